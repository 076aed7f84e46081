// What the start determines: initial algorithms, parameters with fixed = false, clocks that depend on them (Modelica 8.6, 16.5.1).
//
// An initial algorithm whose variables are each assigned once, without branches, says what equations say. Any other becomes a
// function for each variable that it assigns, with everything that it reads as inputs; the value of a parameter is then that
// function of other parameters, and an initial equation gives that of a variable.
//
// An initial equation `p = e` of a parameter p with fixed = false gives p its value, if e is made of parameters alone that have
// values: then p is known before the start.
//
// The times of 'sample' are known before a run. Where they depend on a parameter that the start determines, the k-th instant is
// that of a condition on time, with k counted by a variable of its own.
#include <fmt/format.h>

#include <algorithm>

#include "lang/instance/instance_codes.hpp"
#include "lang/instance/instantiator.hpp"
#include "lang/syntax/diagnostic_codes.hpp"

namespace saltus::lang {
namespace {

/// Parameters that are given by others that are given by others …
constexpr int kLongestChainOfValues = 300;

}  // namespace

bool Instantiator::write_simple_initial_algorithm(const ClassFile& file, std::span<const Statement> list,
                                                  Context from) {
  const FlatWriter::Mark before = initial_equations_.mark();
  std::set<std::string> targets;
  for (const Statement& statement : list) {
    if (statement.kind == StatementKind::call) {
      write_statement({initial_equations_, nullptr}, file, statement, from);
      continue;
    }
    const bool simple =
        statement.kind == StatementKind::assignment && file.ast[statement.left].kind == ExpressionKind::name;
    const Reference target = simple ? resolve(file, statement.left, from, nullptr) : Reference{};
    const bool whole = target.kind == Reference::Kind::primitive && target.last[0].subscripts.empty();
    if (!whole || !targets.insert(target.node->path).second) {
      initial_equations_.rewind(before);
      return false;
    }
    const FlatWriter::Scope scope(initial_equations_, {&file, statement.span});
    write({initial_equations_, nullptr}, file, statement.left, from);
    initial_equations_ << " = ";
    write({initial_equations_, nullptr}, file, statement.right, from);
    initial_equations_ << ";\n";
  }
  return true;
}

/// The variables that are assigned, in branches and loops too.
bool Instantiator::find_targets(const ClassFile& file, std::span<const Statement> list, Context from,
                                std::vector<Node*>& targets) {
  for (const Statement& statement : list) {
    if (statement.kind == StatementKind::assignment) {
      const bool is_tuple = file.ast[statement.left].kind == ExpressionKind::tuple;
      const std::vector<ExpressionId> one{statement.left};
      for (const ExpressionId id : is_tuple ? file.ast.operands(statement.left) : std::span(one)) {
        const Reference target = id.valid() ? resolve(file, id, from, nullptr) : Reference{};
        if (id.valid() && target.kind != Reference::Kind::primitive) {
          reports_.error(kNotSupported,
                         "in an 'initial algorithm', only variables of simple types can be assigned",
                         {&file, file.ast[id].span});
          return false;
        }
        if (id.valid() && std::find(targets.begin(), targets.end(), target.node) == targets.end()) {
          targets.push_back(target.node);
        }
      }
    } else if (statement.kind == StatementKind::when_block) {
      reports_.error(kWrongModification, "'when' may not stand in an 'initial algorithm'",
                     {&file, statement.span});
      return false;
    }
    bool fine = find_targets(file, file.ast[statement.body], from, targets);
    for (const Branch& branch : file.ast[statement.branches]) {
      fine = fine && find_targets(file, file.ast[branch.body], from, targets);
    }
    if (!fine) {
      return false;
    }
  }
  return true;
}

/// `input Real x[:];`
bool Instantiator::write_interface(FlatWriter& out, Node& node, std::string_view role) {
  const std::optional<std::vector<std::int64_t>> shape = shape_of(node);
  if (!shape) {
    reports_.error(kNotDecided, fmt::format("the size of '{}' must be known here", node.path),
                   node.element->place());
    return false;
  }
  out << "    " << role << type_text(node.type->built_in) << " ";
  out.name(node.path);
  out << (shape->empty() ? std::string() : fmt::format("[{}]", fmt::join(*shape, ", "))) << ";\n";
  return true;
}

void Instantiator::write_value_of_algorithm(const FlatWriter& body, Node& target,
                                            const std::vector<Node*>& targets,
                                            const std::vector<Node*>& inputs, FilePlace place) {
  const std::string name = flat_identifier(fmt::format("initial algorithm {}", ++n_start_functions_));
  FlatWriter out;
  const FlatWriter::Scope scope(out, place);
  out << "  function " << name << "\n";
  bool fine = true;
  std::string call = name + "(";
  for (Node* const input : inputs) {
    fine = fine && write_interface(out, *input, "input ");
    call += (call.back() == '(' ? "" : ", ") + flat_identifier(input->path);
  }
  call += ")";
  fine = fine && write_interface(out, target, "output ");
  for (Node* const other : targets) {
    fine = fine && (other == &target || write_interface(out, *other, ""));
  }
  out << "  algorithm\n";
  out.append(body);
  out << "  end " << name << ";\n";
  if (!fine) {
    return;
  }
  functions_.append(out);
  if (target.variability == VariabilityPrefix::parameter) {
    given_at_start_[&target] = call;
    return;
  }
  const FlatWriter::Scope equation_scope(initial_equations_, place);
  initial_equations_.name(target.path) << " = " << call << ";\n";
}

void Instantiator::write_initial_algorithm(const ClassFile& file, std::span<const Statement> list,
                                           Context from) {
  if (list.empty() || write_simple_initial_algorithm(file, list, from)) {
    return;
  }
  const FilePlace place{&file, list.front().span};
  std::vector<Statement> steps;
  for (const Statement& statement : list) {
    if (statement.kind == StatementKind::call) {
      write_statement({initial_equations_, nullptr}, file, statement, from);
    } else {
      steps.push_back(statement);
    }
  }
  std::vector<Node*> targets;
  if (!find_targets(file, steps, from, targets)) {
    return;
  }
  FlatWriter body;
  std::vector<Node*> mentioned;
  mentioned_ = &mentioned;
  in_algorithm_ = true;
  write_statements({body, nullptr}, file, steps, from);
  in_algorithm_ = false;
  mentioned_ = nullptr;
  std::vector<Node*> inputs;
  for (Node* const node : mentioned) {
    const bool is_constant_of_class = !node->holder->is_component;
    if (!is_constant_of_class && std::find(inputs.begin(), inputs.end(), node) == inputs.end() &&
        std::find(targets.begin(), targets.end(), node) == targets.end()) {
      inputs.push_back(node);
    }
  }
  for (Node* const target : targets) {
    if (target->variability == VariabilityPrefix::parameter && !is_free_parameter(*target)) {
      reports_
          .error(
              kWrongModification,
              fmt::format("'{}' is a parameter with a value of its own: it cannot be assigned", target->path),
              place, "write fixed = false")
          .notes.push_back({"declared here", target->element->place()});
      return;
    }
    write_value_of_algorithm(body, *target, targets, inputs, place);
  }
}

/// `p = e`, `(p, q) = f(x)` in an initial equation section, where p and q are parameters with fixed = false.
bool Instantiator::is_start_equation(Target target, const ClassFile& file, const Statement& statement,
                                     Context from, std::vector<Node*>& targets) {
  if (&target.out != &initial_equations_ || target.locals != nullptr || writes_start_equations_) {
    return false;
  }
  const ExpressionKind kind = file.ast[statement.left].kind;
  if (kind != ExpressionKind::name && kind != ExpressionKind::tuple) {
    return false;
  }
  const std::vector<ExpressionId> one{statement.left};
  for (const ExpressionId id :
       kind == ExpressionKind::tuple ? file.ast.operands(statement.left) : std::span(one)) {
    if (!id.valid() || file.ast[id].kind != ExpressionKind::name) {
      return false;
    }
    const Reference reference = resolve(file, id, from, nullptr);
    const bool is_whole = reference.kind == Reference::Kind::primitive &&
                          reference.last[0].subscripts.empty() && reference.last[0].known.empty();
    if (!is_whole || !is_free_parameter(*reference.node) || reference.node->type->attributes->value) {
      return false;
    }
    targets.push_back(reference.node);
  }
  return true;
}

void Instantiator::write_start_equations() {
  std::vector<StartEquation> open = std::move(start_equations_);
  for (bool any = true; any;) {
    any = false;
    std::vector<StartEquation> rest;
    for (StartEquation& item : open) {
      const ClassFile& file = *item.file;
      std::vector<Node*> mentioned;
      mentioned_ = &mentioned;
      mentions_time_ = false;
      FlatWriter right;
      write({right, nullptr}, file, item.statement->right, item.from);
      mentioned_ = nullptr;
      const bool is_known =
          !mentions_time_ && std::all_of(mentioned.begin(), mentioned.end(), [&](Node* node) {
            return node->variability >= VariabilityPrefix::parameter && !is_free_parameter(*node);
          });
      const bool is_new = std::none_of(item.targets.begin(), item.targets.end(),
                                       [&](Node* node) { return given_at_start_.count(node) != 0; });
      if (!is_known || !is_new) {
        rest.push_back(std::move(item));
        continue;
      }
      any = true;
      const FilePlace place{&file, item.statement->span};
      if (file.ast[item.statement->left].kind == ExpressionKind::name) {
        given_at_start_[item.targets.front()] = right.text();
        continue;
      }
      FlatWriter body;
      write({body, nullptr}, file, item.statement->left, item.from);
      body << " := ";
      body.append(right);
      body << ";\n";
      std::vector<Node*> inputs;
      for (Node* const node : mentioned) {
        if (node->holder->is_component && std::find(inputs.begin(), inputs.end(), node) == inputs.end()) {
          inputs.push_back(node);
        }
      }
      for (Node* const target : item.targets) {
        write_value_of_algorithm(body, *target, item.targets, inputs, place);
      }
    }
    open = std::move(rest);
  }
  writes_start_equations_ = true;
  for (const StartEquation& item : open) {
    write_statement({initial_equations_, nullptr}, *item.file, *item.statement, item.from);
  }
}

bool Instantiator::is_free_parameter(Node& node) {
  std::vector<Node*> open{&node};
  for (int n = 0; !open.empty() && n < kLongestChainOfValues; ++n) {
    Node& one = *open.back();
    open.pop_back();
    const Modifier* const attributes = one.type->attributes;
    if (one.variability != VariabilityPrefix::parameter || attributes == nullptr) {
      continue;
    }
    if (given_at_start_.count(&one) != 0) {
      continue;
    }
    const Modifier* const fixed = part_of(attributes, tree_.intern("fixed"));
    const std::optional<KnownValue> value =
        fixed != nullptr && fixed->value ? evaluate_binding(*fixed->value) : std::nullopt;
    if (value && value->type == KnownValue::Type::boolean && !value->is_true()) {
      return true;
    }
    if (attributes->value) {
      FlatWriter unused;
      std::vector<Node*>* const outer = mentioned_;
      mentioned_ = &open;
      write_binding({unused, nullptr}, *attributes->value);
      mentioned_ = outer;
    }
  }
  return false;
}

/// `sample(t0 + T, T)` where t0 is determined by the start.
bool Instantiator::write_sample(Target target, const ClassFile& file, const Call& call, Context from) {
  const auto arguments = file.ast[call.arguments];
  if (file.ast.text(call.function) != "sample" || arguments.size() != 2) {
    return false;
  }
  std::vector<Node*> mentioned;
  std::vector<Node*>* const outer = mentioned_;
  mentioned_ = &mentioned;
  FlatWriter start;
  FlatWriter interval;
  write_operand({start, target.locals}, file, arguments[0].value, from);
  write_operand({interval, target.locals}, file, arguments[1].value, from);
  mentioned_ = outer;
  if (std::none_of(mentioned.begin(), mentioned.end(),
                   [&](Node* node) { return is_free_parameter(*node); })) {
    return false;
  }
  const FilePlace place{&file, call.function_span};
  if (!in_when_condition_) {
    reports_.error(kNotSupported,
                   "'sample' with times that the start determines is supported in conditions of 'when' only",
                   place);
    target.out << "false";
    return true;
  }
  const int number = ++n_samples_;
  const std::string tick = flat_identifier(fmt::format("sample {}", number));
  const std::string count = flat_identifier(fmt::format("sample {} count", number));
  const FlatWriter::Scope scope(samples_, place);
  samples_ << "  Boolean " << tick << "(start = false, fixed = true);\n  Integer " << count << ";\n";
  clocks_.push_back({tick, count, start.text(), interval.text(), place});
  target.out << tick;
  return true;
}

void Instantiator::write_clocks() {
  for (const FreeClock& clock : clocks_) {
    const FlatWriter::Scope scope(equations_, clock.place);
    const FlatWriter::Scope initial_scope(initial_equations_, clock.place);
    initial_equations_ << clock.count << " = max(0, integer(ceil((time - " << clock.start << ") / "
                       << clock.interval << ")));\n";
    equations_ << clock.tick << " = not initial() and time >= " << clock.start << " + pre(" << clock.count
               << ") * " << clock.interval << ";\nwhen " << clock.tick << " then\n"
               << clock.count << " = pre(" << clock.count << ") + 1;\nend when;\n";
  }
}

}  // namespace saltus::lang
