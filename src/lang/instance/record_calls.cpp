// Records in calls: what functions take and return, and constructors, which are functions too (Modelica 12.4, 12.6; records.cpp).
#include <fmt/format.h>

#include <algorithm>

#include "lang/instance/instance_codes.hpp"
#include "lang/instance/instantiator.hpp"

namespace saltus::lang {

/// `type Argument = input Real` says it too.
CausalityPrefix Instantiator::causality_of(Instance& function, Element& element) {
  const CausalityPrefix written = element.component->causality;
  return written != CausalityPrefix::none ? written : node_of(function, element).causality;
}

/// The variables of a function with this role; of a constructor, those that may be given.
std::vector<Node*> Instantiator::interface_of(Instance& function, CausalityPrefix role) {
  const bool is_function = function.def().kind() == ClassKind::function;
  std::vector<Node*> result;
  for (Element* const element : in_order(function)) {
    const bool fits = element->component != nullptr &&
                      (is_function ? causality_of(function, *element) == role
                                   : role == CausalityPrefix::input && is_constructor_input(*element));
    if (!fits) {
      continue;
    }
    Node& node = node_of(function, *element);
    if (!node.failed && node.is_present) {
      result.push_back(&node);
    }
  }
  return result;
}

/// A record constructor is a function of the same name: inputs are the members that may be given (Modelica 12.6).
Instance& Instantiator::constructor_of(Instance& record) {
  Instance*& constructor = constructors_[&record];
  if (constructor == nullptr) {
    constructor = &instances_.emplace_back();
    constructor->use = record.use;
    constructor->modifier = record.modifier;
    constructor->function = constructor;
    constructor->depth = record.depth;
    constructor->path = record.path;
    expand(*constructor);
  }
  return *constructor;
}

/// The function that is called for one leaf of its first output; of a constructor, for one of the record.
std::string Instantiator::name_for_leaf(Instance& function, const Leaf& leaf) {
  const std::string leaf_path = path_of(leaf);
  const auto [known, is_new] = leaf_functions_.try_emplace(
      {&function, leaf_path}, fmt::format("member {} of {}", leaf_path, free_function_name(function)));
  if (is_new) {
    functions_to_write_.push_back({&function, known->second, leaf.node});
  }
  return known->second;
}

/// Members and elements of what a function or constructor returns, the members before the elements.
void Instantiator::write_leaf_of_call(Target target, const Binding& binding) {
  const ClassFile& file = *binding.file;
  const Call& call = file.ast.call(binding.value);
  const FilePlace place{&file, file.ast[binding.value].span};
  Instance* const called = class_of_call(file, call, binding.where);
  Leaf wanted;
  for (const Selector& selector : binding.selectors) {
    wanted.path.push_back(selector.member);
  }
  if (called == nullptr && file.ast.text(call.function) == "fill" && !call.arguments.empty()) {
    const auto arguments = file.ast[call.arguments];
    target.out << "fill(";
    write_binding(target, {&file, arguments[0].value, binding.where, binding.selectors});
    for (const Argument& argument : arguments.subspan(1)) {
      target.out << ", ";
      write(target, file, argument.value, binding.where);
    }
    target.out << ")";
    return;
  }
  const bool is_record = called != nullptr && record_of(file, call, binding.where) != nullptr;
  Instance* const function = is_record ? &constructor_of(*called) : called;
  const bool is_function = is_record || (called != nullptr && called->def().kind() == ClassKind::function);
  const std::vector<Node*> outputs =
      is_function && !is_record ? interface_of(*function, CausalityPrefix::output) : std::vector<Node*>();
  std::vector<Leaf> known;
  if (is_record) {
    known = leaves(*function);
  } else if (!outputs.empty() && !outputs[0]->is_primitive()) {
    known = leaves(*outputs[0]->type);
  }
  const auto leaf =
      std::find_if(known.begin(), known.end(), [&](const Leaf& one) { return one.path == wanted.path; });
  if (leaf == known.end()) {
    reports_.error(
        kUnknownComponent,
        fmt::format("what '{}' returns has no member '{}'", file.ast.text(call.function), path_of(wanted)),
        place);
    target.out << "0";
    return;
  }
  {
    const FlatWriter::Scope scope(target.out, {&file, call.function_span});
    target.out.name(name_for_leaf(*function, *leaf));
  }
  write_function_arguments(target, file, call, *function, binding.where);
}

/// All leaves of an argument where the function has a record.
void Instantiator::write_function_arguments(Target target, const ClassFile& file, const Call& call,
                                            Instance& function, Context from) {
  FlatWriter& out = target.out;
  const std::vector<Node*> inputs = interface_of(function, CausalityPrefix::input);
  check_argument_types(target, file, call, inputs, from);
  const bool has_records =
      std::any_of(inputs.begin(), inputs.end(), [](const Node* node) { return !node->is_primitive(); });
  if (!has_records || !call.iterators.empty()) {
    write_arguments(target, file, call, from);
    return;
  }
  const auto arguments = file.ast[call.arguments];
  std::vector<bool> given(inputs.size());
  bool first = true;
  out << "(";
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    std::size_t place = k;
    if (arguments[k].name.valid()) {
      const Name wanted = name(file, arguments[k].name);
      place = static_cast<std::size_t>(
          std::find_if(inputs.begin(), inputs.end(),
                       [&](const Node* node) { return node->element->name == wanted; }) -
          inputs.begin());
    }
    if (place < inputs.size() && !inputs[place]->is_primitive()) {
      given[place] = true;
      for (const Leaf& leaf : leaves(*inputs[place]->type)) {
        out << (first ? "" : ", ");
        first = false;
        if (arguments[k].name.valid()) {
          out.name(flat_name(*leaf.node)) << " = ";
        }
        write_binding(target, {&file, arguments[k].value, from, selectors_of(leaf)});
      }
      continue;
    }
    out << (first ? "" : ", ");
    first = false;
    if (arguments[k].name.valid()) {
      out.name(file.ast.text(arguments[k].name)) << " = ";
    }
    write(target, file, arguments[k].value, from);
  }
  out << ")";
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i]->is_primitive() && !given[i] && !inputs[i]->component().value.valid() &&
        function.def().kind() == ClassKind::function) {
      reports_
          .error(kMissingInput,
                 fmt::format("input '{}' of '{}' is missing", text(inputs[i]->element->name),
                             file.ast.text(call.function)),
                 {&file, call.function_span})
          .notes.push_back({"declared here", inputs[i]->element->place()});
    }
  }
}

/// `(r, y) = f(x)` where an output is a record.
bool Instantiator::write_record_tuple(Target target, const ClassFile& file, const Statement& statement,
                                      Context from, std::string_view sign) {
  if (file.ast[statement.left].kind != ExpressionKind::tuple ||
      file.ast[statement.right].kind != ExpressionKind::call) {
    return false;
  }
  const Call& call = file.ast.call(statement.right);
  Instance* const function = function_of(file, call, from);
  if (function == nullptr || !external_name(*function).empty()) {
    return false;
  }
  const std::vector<Node*> outputs = interface_of(*function, CausalityPrefix::output);
  if (std::all_of(outputs.begin(), outputs.end(), [](const Node* node) { return node->is_primitive(); })) {
    return false;
  }
  const auto targets = file.ast.operands(statement.left);
  FlatWriter& out = target.out;
  out << "(";
  for (std::size_t k = 0; k < targets.size(); ++k) {
    out << (k > 0 ? ", " : "");
    if (k >= outputs.size() || outputs[k]->is_primitive()) {
      if (targets[k].valid()) {
        write(target, file, targets[k], from);
      }
      continue;
    }
    bool first = true;
    for (const Leaf& leaf : leaves(*outputs[k]->type)) {
      out << (first ? "" : ", ");
      first = false;
      if (targets[k].valid()) {
        write_binding(target, {&file, targets[k], from, selectors_of(leaf)});
      }
    }
  }
  out << ") " << sign << " ";
  {
    const FlatWriter::Scope scope(out, {&file, call.function_span});
    out.name(function_name(*function));
  }
  write_function_arguments(target, file, call, *function, from);
  out << ";\n";
  return true;
}

}  // namespace saltus::lang
