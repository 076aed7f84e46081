// Equations and statements in the names of the flat model (Modelica 8, 11).
#include <fmt/format.h>

#include <algorithm>

#include "lang/instance/instance_codes.hpp"
#include "lang/instance/instantiator.hpp"
#include "lang/syntax/diagnostic_codes.hpp"

namespace saltus::lang {
namespace {

/// Of the flat model, in bytes.
constexpr std::size_t kLongestFlatText = std::size_t{256} << 20U;

}  // namespace

void Instantiator::write_equations(Instance& instance) {
  for (std::uint32_t p = 0; p < instance.parts.size(); ++p) {
    const Part& part = instance.parts[p];
    if (part.def->text == nullptr) {
      continue;
    }
    const Class& item = *part.def->text;
    const ClassFile& file = *part.def->file;
    if (!item.modes.empty()) {
      reports_.error(kNotSupported, "modes in a model with components are not supported yet",
                     {&file, item.modes.front().span});
    }
    write_statements({equations_, nullptr}, file, item.equations, {&instance, p});
    write_statements({initial_equations_, nullptr}, file, item.initial_equations, {&instance, p});
    write_initial_algorithm(file, item.initial_algorithm, {&instance, p});
  }
  for (Element* const element : in_order(instance)) {
    if (element->component == nullptr || element->node == nullptr || element->node->inner != nullptr) {
      continue;
    }
    for (Instance* const inner : element->node->instances) {
      write_equations(*inner);
    }
  }
}

void Instantiator::write_statements(Target target, const ClassFile& file, std::span<const Statement> list,
                                    Context from) {
  for (const Statement& statement : list) {
    write_statement(target, file, statement, from);
  }
}

void Instantiator::write_statement(Target target, const ClassFile& file, const Statement& statement,
                                   Context from) {
  FlatWriter& out = target.out;
  if (out.text().size() > kLongestFlatText) {
    if (!limit_told_) {
      limit_told_ = true;
      reports_.error(kTooManyComponents,
                     fmt::format("the equations of '{}' make the flat model too long", root_->def().path),
                     {&file, statement.span});
    }
    return;
  }
  const FlatWriter::Scope scope(out, {&file, statement.span});
  switch (statement.kind) {
    case StatementKind::equation: write_equation(target, file, statement, from); break;
    case StatementKind::assignment:
      if (write_record_assignment(target, file, statement, from) ||
          write_record_tuple(target, file, statement, from, ":=")) {
        break;
      }
      check_sides(target, file, statement.left, statement.right, from);
      write(target, file, statement.left, from);
      out << " := ";
      write(target, file, statement.right, from);
      out << ";\n";
      break;
    case StatementKind::call:
      write(target, file, statement.right, from);
      out << ";\n";
      break;
    case StatementKind::if_block: write_if(target, file, statement, from); break;
    case StatementKind::when_block: {
      const auto branches = file.ast[statement.branches];
      for (std::size_t k = 0; k < branches.size(); ++k) {
        const FlatWriter::Scope branch_scope(out, {&file, branches[k].span});
        out << (k == 0 ? "when " : "elsewhen ");
        in_when_condition_ = true;
        write(target, file, branches[k].condition, from);
        in_when_condition_ = false;
        out << " then\n";
        write_statements(target, file, file.ast[branches[k].body], from);
      }
      out << "end when;\n";
      break;
    }
    case StatementKind::for_block: write_for(target, file, statement, from); break;
    case StatementKind::while_block:
      out << "while ";
      write(target, file, statement.right, from);
      out << " loop\n";
      write_statements(target, file, file.ast[statement.body], from);
      out << "end while;\n";
      break;
    case StatementKind::return_statement: out << "return;\n"; break;
    case StatementKind::break_statement: out << "break;\n"; break;
    case StatementKind::connect:  // connections.cpp
    case StatementKind::error: break;
  }
}

void Instantiator::write_equation(Target target, const ClassFile& file, const Statement& statement,
                                  Context from) {
  if (write_record_equation(target, file, statement, from) ||
      write_record_tuple(target, file, statement, from, "=")) {
    return;
  }
  if (gives_text(target, file, statement, from)) {
    return;
  }
  std::vector<Node*> targets;
  if (is_start_equation(target, file, statement, from, targets)) {
    start_equations_.push_back({&file, &statement, from, std::move(targets)});
    return;
  }
  check_sides(target, file, statement.left, statement.right, from);
  write_operand(target, file, statement.left, from);  // an 'if' would begin another statement
  target.out << " = ";
  write(target, file, statement.right, from);
  target.out << ";\n";
}

/// The branch whose condition holds, where all conditions up to it are known from parameters; none: no branch holds.
std::optional<std::size_t> Instantiator::chosen_branch(const ClassFile& file,
                                                       std::span<const Branch> branches, Context from,
                                                       const Locals* locals, bool& decided) {
  decided = true;
  for (std::size_t k = 0; k < branches.size(); ++k) {
    if (!branches[k].condition.valid()) {
      return k;
    }
    const std::optional<KnownValue> condition = evaluate(file, branches[k].condition, from, locals);
    if (!condition || condition->type != KnownValue::Type::boolean || !condition->is_scalar()) {
      decided = false;
      return std::nullopt;
    }
    if (condition->is_true()) {
      return k;
    }
  }
  return std::nullopt;
}

void Instantiator::write_if(Target target, const ClassFile& file, const Statement& statement, Context from) {
  const auto branches = file.ast[statement.branches];
  FlatWriter& out = target.out;
  if (from.instance->function == nullptr && !in_algorithm_) {
    bool decided = false;
    const std::optional<std::size_t> chosen = chosen_branch(file, branches, from, target.locals, decided);
    if (decided) {
      if (chosen) {
        write_statements(target, file, file.ast[branches[*chosen].body], from);
      }
      return;
    }
  }
  for (std::size_t k = 0; k < branches.size(); ++k) {
    if (branches[k].condition.valid()) {
      out << (k == 0 ? "if " : "elseif ");
      write(target, file, branches[k].condition, from);
      out << " then\n";
    } else {
      out << "else\n";
    }
    write_statements(target, file, file.ast[branches[k].body], from);
  }
  out << "end if;\n";
}

void Instantiator::for_each_value(const ClassFile& file, std::span<const Iterator> iterators,
                                  const LoopBody& body, Context from, const Locals* locals,
                                  const std::function<void(const Locals*)>& visit) {
  if (iterators.empty()) {
    visit(locals);
    return;
  }
  const auto values = range_values(file, iterators.front(), body, from, locals);
  const ValueType type = type_of_iterator(file, iterators.front(), from, locals);
  for (std::size_t i = 0; values && i < values->size(); ++i) {
    const Locals inner{name(file, iterators.front().name), (*values)[i], locals, type};
    for_each_value(file, iterators.subspan(1), body, from, &inner, visit);
  }
}

void Instantiator::write_for(Target target, const ClassFile& file, const Statement& statement, Context from) {
  const auto iterators = file.ast[statement.iterators];
  const LoopBody body{ExpressionId(), file.ast[statement.body]};
  const bool is_boolean = std::any_of(iterators.begin(), iterators.end(), [&](const Iterator& iterator) {
    return is_boolean_loop(file, iterator, body, from, target.locals);
  });
  if (from.instance->function == nullptr && (is_boolean || needs_unrolling(file, statement.body, from))) {
    for_each_value(file, iterators, body, from, target.locals, [&](const Locals* locals) {
      write_statements({target.out, locals}, file, file.ast[statement.body], from);
    });
    return;
  }
  std::deque<Locals> locals;
  target.out << "for ";
  write_iterators(target, file, iterators, body, from, locals);
  target.out << " loop\n";
  write_statements({target.out, locals.empty() ? target.locals : &locals.back()}, file,
                   file.ast[statement.body], from);
  target.out << "end for;\n";
}

}  // namespace saltus::lang
