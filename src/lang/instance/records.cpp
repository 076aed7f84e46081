// Records as values (Modelica 4.6, 12.6).
//
// Problem     The flat language has numbers, truth values and arrays of them; records are passed to functions, returned by them,
//             made by constructors, chosen by conditions and assigned as a whole.
// Method      A record is the list of its leaves, the members that are no records themselves. What takes or gives a record in
//             the flat model takes or gives them all: an input `R r` is the inputs 'r.a', 'r.b'; an equation of records is one
//             for each leaf. The leaf of an expression is found by going down the expression: of a name it is a name, of a
//             condition it is a condition of leaves, of a constructor an argument. A function that returns records is written
//             once more for each leaf that is asked for, with this one as its output. An array of records is the arrays of its
//             leaves in functions, where its size need not be known; in models it is a component for each element.
// Contract    What is assigned as a whole in a function is read as it was before the assignment.
// Tested by   tests/classes/hold/records.test.
#include <fmt/format.h>

#include <algorithm>

#include "lang/instance/instance_codes.hpp"
#include "lang/instance/instantiator.hpp"
#include "lang/syntax/diagnostic_codes.hpp"

namespace saltus::lang {

/// What a variable is called in the flat model, or in the function that it belongs to.
std::string Instantiator::flat_name(const Node& node) const {
  const Instance* const function = node.holder->function;
  if (function == nullptr) {
    return node.path;
  }
  return node.holder == function ? text(node.element->name) : node.path.substr(function->path.size() + 1);
}

std::vector<Leaf> Instantiator::leaves(Instance& record) {
  std::vector<Leaf> result;
  for (Element* const element : in_order(record)) {
    if (element->component == nullptr) {
      continue;
    }
    Node& node = node_of(record, *element);
    if (node.failed || !node.is_present) {
      continue;
    }
    if (node.is_primitive()) {
      result.push_back({{element->name}, &node});
      continue;
    }
    for (Leaf& inner : leaves(*node.type)) {
      inner.path.insert(inner.path.begin(), element->name);
      result.push_back(std::move(inner));
    }
  }
  return result;
}

std::optional<std::vector<Leaf>> Instantiator::leaves_of(const ClassFile& file, ExpressionId id, Context from,
                                                         const Locals* locals) {
  const Ast& ast = file.ast;
  if (!id.valid()) {
    return std::nullopt;
  }
  switch (ast[id].kind) {
    case ExpressionKind::name: {
      if (is_known_constant(file, id, from)) {
        return std::nullopt;
      }
      const Reference whole = resolve(file, id, from, locals);
      const Reference* at = &whole;
      while (at->kind == Reference::Kind::array && !at->elements.empty()) {
        at = &at->elements.front();
      }
      return at->kind == Reference::Kind::composite ? std::optional(leaves(*at->instance)) : std::nullopt;
    }
    case ExpressionKind::call: {
      const Call& call = ast.call(id);
      Instance* const called = class_of_call(file, call, from);
      if (called == nullptr) {
        const auto arguments = ast[call.arguments];
        return ast.text(call.function) == "fill" && !arguments.empty()
                   ? leaves_of(file, arguments[0].value, from, locals)
                   : std::nullopt;
      }
      if (record_of(file, call, from) != nullptr) {
        return leaves(constructor_of(*called));
      }
      if (called->def().kind() != ClassKind::function) {
        return std::nullopt;
      }
      const std::vector<Node*> outputs = interface_of(*called, CausalityPrefix::output);
      return outputs.empty() || outputs[0]->is_primitive() ? std::nullopt
                                                           : std::optional(leaves(*outputs[0]->type));
    }
    case ExpressionKind::conditional: return leaves_of(file, ast.operands(id)[1], from, locals);
    case ExpressionKind::array:
    case ExpressionKind::element: return leaves_of(file, ast.operands(id)[0], from, locals);
    case ExpressionKind::member: {
      const std::optional<std::vector<Leaf>> all = leaves_of(file, ast.operands(id)[0], from, locals);
      std::vector<Leaf> inner;
      for (std::size_t k = 0; all && k < all->size(); ++k) {
        const std::vector<Name>& path = (*all)[k].path;
        if (path.size() > 1 && path[0] == name(file, ast.member_name(id))) {
          inner.push_back({{path.begin() + 1, path.end()}, (*all)[k].node});
        }
      }
      return inner.empty() ? std::nullopt : std::optional(std::move(inner));
    }
    case ExpressionKind::comprehension: {
      std::deque<Locals> inner;
      for (const Iterator& iterator : ast.iterators(id)) {
        // Which element is meant makes no difference for its type.
        inner.push_back({name(file, iterator.name), known_number(KnownValue::Type::integer, 1.0),
                         inner.empty() ? locals : &inner.back()});
      }
      return leaves_of(file, ast.operands(id)[0], from, &inner.back());
    }
    default: return std::nullopt;
  }
}

std::vector<Selector> Instantiator::selectors_of(const Leaf& leaf) {
  std::vector<Selector> result;
  for (const Name name : leaf.path) {
    result.push_back({{}, name});
  }
  return result;
}

std::string Instantiator::path_of(const Leaf& leaf) const {
  std::string path;
  for (const Name name : leaf.path) {
    path += (path.empty() ? "" : ".") + text(name);
  }
  return path;
}

void Instantiator::write_leaf(Target target, const Binding& binding) {
  const ClassFile& file = *binding.file;
  const Ast& ast = file.ast;
  FlatWriter& out = target.out;
  const auto inside = [&](ExpressionId id) -> Binding {
    return {&file, id, binding.where, binding.selectors};
  };
  switch (ast[binding.value].kind) {
    case ExpressionKind::call: write_leaf_of_call(target, binding); return;
    case ExpressionKind::array: {
      bool first = true;
      out << "{";
      for (const ExpressionId operand : ast.operands(binding.value)) {
        out << (first ? "" : ", ");
        first = false;
        write_binding(target, inside(operand));
      }
      out << "}";
      return;
    }
    case ExpressionKind::comprehension:
      out << "{";
      write_comprehension(target, file, ast.operands(binding.value)[0], ast.iterators(binding.value),
                          binding.where, binding.selectors);
      out << "}";
      return;
    case ExpressionKind::element:
      out << "(";
      write_binding(target, inside(ast.operands(binding.value)[0]));
      out << ")[";
      write_list(target, file, ast[ast.element_subscripts(binding.value)], binding.where, ", ");
      out << "]";
      return;
    default:
      reports_.error(
          kWrongKindOfClass,
          fmt::format("a record is needed here, with a member '{}'", text(binding.selectors.front().member)),
          {&file, ast[binding.value].span});
      out << "0";
  }
}

bool Instantiator::check_same_leaves(const std::vector<Leaf>& left, const std::vector<Leaf>& right,
                                     FilePlace place) {
  const auto missing = [&](const std::vector<Leaf>& from, const std::vector<Leaf>& in) {
    return std::find_if(from.begin(), from.end(), [&](const Leaf& one) {
      return std::none_of(in.begin(), in.end(), [&](const Leaf& other) { return other.path == one.path; });
    });
  };
  const auto only_left = missing(left, right);
  const auto only_right = missing(right, left);
  if (only_left == left.end() && only_right == right.end()) {
    return true;
  }
  reports_.error(kWrongKindOfClass,
                 fmt::format("the records differ: only the one on the {} has '{}'",
                             only_left != left.end() ? "left" : "right",
                             path_of(only_left != left.end() ? *only_left : *only_right)),
                 place);
  return false;
}

/// `r1 = r2` of records means the same of their members (Modelica 8.3.1).
bool Instantiator::write_record_equation(Target target, const ClassFile& file, const Statement& statement,
                                         Context from) {
  if (file.ast[statement.left].kind == ExpressionKind::tuple) {
    return false;
  }
  const std::optional<std::vector<Leaf>> left = leaves_of(file, statement.left, from, target.locals);
  const std::optional<std::vector<Leaf>> right = leaves_of(file, statement.right, from, target.locals);
  if (!left && !right) {
    return false;
  }
  const FilePlace place{&file, statement.span};
  if (left && right && !check_same_leaves(*left, *right, place)) {
    return true;
  }
  for (const Leaf& leaf : left ? *left : *right) {
    const bool is_constant = left && leaf.node->variability == VariabilityPrefix::constant;
    if (is_constant && file.ast[statement.left].kind == ExpressionKind::name) {
      check_constant(*leaf.node, {&file, statement.right, from, selectors_of(leaf)}, target.locals);
      continue;
    }
    const FlatWriter::Scope scope(target.out, place);
    const bool is_choice = file.ast[statement.left].kind == ExpressionKind::conditional;
    target.out << (is_choice ? "(" : "");
    write_binding(target, {&file, statement.left, from, selectors_of(leaf)});
    target.out << (is_choice ? ")" : "") << " = ";
    write_binding(target, {&file, statement.right, from, selectors_of(leaf)});
    target.out << ";\n";
  }
  return true;
}

/// `r := e` in a function. Where a leaf of e reads one that is assigned before it, all are assigned at once, by a call.
bool Instantiator::write_record_assignment(Target target, const ClassFile& file, const Statement& statement,
                                           Context from) {
  if (file.ast[statement.left].kind != ExpressionKind::name) {
    return false;
  }
  const std::optional<std::vector<Leaf>> left = leaves_of(file, statement.left, from, target.locals);
  if (!left) {
    return false;
  }
  const FilePlace place{&file, statement.span};
  const std::optional<std::vector<Leaf>> right = leaves_of(file, statement.right, from, target.locals);
  if (!right) {
    reports_.error(kWrongKindOfClass, "a record is assigned, what is given is none", place);
    return true;
  }
  if (!check_same_leaves(*left, *right, place)) {
    return true;
  }
  std::vector<Node*> assigned;
  std::vector<std::string> values;
  bool reads_assigned = false;
  for (const Leaf& leaf : *left) {
    FlatWriter value;
    std::vector<Node*> read;
    std::vector<Node*>* const outer = mentioned_;
    mentioned_ = &read;
    write_binding({value, target.locals}, {&file, statement.right, from, selectors_of(leaf)});
    mentioned_ = outer;
    reads_assigned = reads_assigned || std::any_of(read.begin(), read.end(), [&](Node* node) {
                       return std::find(assigned.begin(), assigned.end(), node) != assigned.end();
                     });
    assigned.push_back(leaf.node);
    values.push_back(value.text());
  }
  FlatWriter& out = target.out;
  const auto write_target = [&](const Leaf& leaf) {
    write_binding(target, {&file, statement.left, from, selectors_of(leaf)});
  };
  if (!reads_assigned) {
    for (std::size_t k = 0; k < left->size(); ++k) {
      write_target((*left)[k]);
      out << " := " << values[k] << ";\n";
    }
    return true;
  }
  out << "(";
  for (std::size_t k = 0; k < left->size(); ++k) {
    out << (k > 0 ? ", " : "");
    write_target((*left)[k]);
  }
  out << ") := ";
  out.name(name_for_copy(*left)) << "(";
  for (std::size_t k = 0; k < left->size(); ++k) {
    out << (k > 0 ? ", " : "") << values[k];
  }
  out << ");\n";
  return true;
}

/// A function that returns its arguments, which have the types of these leaves in an element that is no array of records.
std::string Instantiator::name_for_copy(const std::vector<Leaf>& of) {
  std::string inputs;
  std::string outputs;
  std::string body;
  for (std::size_t k = 0; k < of.size(); ++k) {
    const Node& node = *of[k].node;
    std::string sizes;
    for (std::size_t d = 0; d < node.sizes.size(); ++d) {
      sizes += sizes.empty() ? "[:" : ", :";
    }
    sizes += sizes.empty() ? "" : "]";
    const std::string_view type = type_text(node.type->built_in);
    inputs += fmt::format("    input {} x{}{};\n", type, k + 1, sizes);
    outputs += fmt::format("    output {} y{}{} = x{};\n", type, k + 1, sizes, k + 1);
  }
  const auto [known, is_new] = copies_.try_emplace(inputs, fmt::format("values {}", copies_.size() + 1));
  if (is_new) {
    functions_ << "  function ";
    functions_.name(known->second) << "\n" << inputs << outputs << "  algorithm\n  end ";
    functions_.name(known->second) << ";\n";
  }
  return known->second;
}

/// `size(r, 1)` of an array of records in a function.
std::string Instantiator::size_of_record(const Reference& record, std::size_t dimension) {
  const std::vector<Leaf> members = leaves(*record.instance);
  return members.empty() ? std::string()
                         : fmt::format("size({}, {})", flat_identifier(flat_name(*members[0].node)),
                                       record.node->holder->record_sizes.size() + dimension + 1);
}

/// The sizes of an array of records or components.
bool Instantiator::write_size(Target target, const ClassFile& file, const Call& call, Context from) {
  const auto arguments = file.ast[call.arguments];
  if (file.ast.text(call.function) != "size" || arguments.empty() || arguments.size() > 2 ||
      file.ast[arguments[0].value].kind != ExpressionKind::name ||
      is_known_constant(file, arguments[0].value, from)) {
    return false;
  }
  const Reference reference = resolve(file, arguments[0].value, from, target.locals);
  if (reference.kind == Reference::Kind::array) {
    const std::optional<KnownValue> sizes = evaluate_sizes(file, call, from, target.locals);
    if (sizes) {
      target.out << to_text(*sizes);
    }
    return sizes.has_value();
  }
  if (reference.kind != Reference::Kind::composite || reference.node->holder->function == nullptr) {
    return false;
  }
  const std::size_t n = reference.node->sizes.size();
  if (arguments.size() == 1) {
    for (std::size_t d = 0; d < n; ++d) {
      target.out << (d > 0 ? ", " : "{") << size_of_record(reference, d);
    }
    target.out << (n == 0 ? "zeros(0)" : "}");
    return true;
  }
  const std::optional<KnownValue> dimension =
      decide(file, arguments[1].value, from, target.locals, "of which dimension the size is asked");
  if (!dimension || !dimension->is_scalar() || dimension->whole() < 1 ||
      dimension->whole() > static_cast<std::int64_t>(n)) {
    return false;
  }
  target.out << size_of_record(reference, static_cast<std::size_t>(dimension->whole() - 1));
  return true;
}

}  // namespace saltus::lang
