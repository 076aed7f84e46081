// Calls: functions of the language keep their names, those of classes become functions of the flat model (Modelica 12).
#include <fmt/format.h>

#include <algorithm>

#include "lang/instance/instance_codes.hpp"
#include "lang/instance/instantiator.hpp"
#include "lang/syntax/diagnostic_codes.hpp"
#include "lang/syntax/foreign_names.hpp"
#include "lang/syntax/operand_kinds.hpp"

namespace saltus::lang {

Instance* Instantiator::function_of(const ClassFile& file, const Call& call, Context from) {
  Instance* const called = class_of_call(file, call, from);
  return called != nullptr && called->def().kind() == ClassKind::function ? called : nullptr;
}

std::string Instantiator::external_name(const Instance& function) {
  for (const Part& part : function.parts) {
    if (part.def->text != nullptr && part.def->text->built_in_function.valid()) {
      return std::string(part.def->file->ast.text(part.def->text->built_in_function));
    }
  }
  return {};
}

void Instantiator::write_arguments(Target target, const ClassFile& file, const Call& call, Context from) {
  FlatWriter& out = target.out;
  out << "(";
  const auto arguments = file.ast[call.arguments];
  if (!call.iterators.empty() && arguments.size() == 1) {
    const bool unrolled = needs_unrolling(file, arguments[0].value, from);
    out << (unrolled ? "{" : "");
    write_comprehension(target, file, arguments[0].value, file.ast[call.iterators], from);
    out << (unrolled ? "}" : "");
  } else {
    bool first = true;
    const bool is_assertion = file.ast.text(call.function) == "assert";
    for (std::size_t k = 0; k < arguments.size(); ++k) {
      const Argument& argument = arguments[k];
      const bool is_level = argument.name.valid() ? file.ast.text(argument.name) == "level" : k == 2;
      if (is_assertion && is_level) {
        const std::optional<KnownValue> level =
            decide(file, argument.value, from, target.locals, "the level of an assertion");
        out << (level && level->whole() == 1 ? ", AssertionLevel.warning" : "");
        continue;
      }
      out << (first ? "" : ", ");
      first = false;
      if (argument.name.valid()) {
        if (!is_assertion) {
          out.name(file.ast.text(argument.name)) << " = ";
        }
      }
      const bool is_message = is_assertion ? k == 1 : file.ast.text(call.function) == "terminate";
      if (is_message && file.ast[argument.value].kind != ExpressionKind::string) {
        out << to_text(known_text(message_text(file, argument.value, from, target.locals)));
        continue;
      }
      write(target, file, argument.value, from);
    }
  }
  out << ")";
}

/// A message that is put together: what is known now, and the expressions that are not as they are written.
std::string Instantiator::message_text(const ClassFile& file, ExpressionId id, Context from,
                                       const Locals* locals) {
  const Expression& expression = file.ast[id];
  if (expression.kind == ExpressionKind::chain) {
    std::string whole;
    for (const ExpressionId operand : file.ast.operands(id)) {
      whole += message_text(file, operand, from, locals);
    }
    return whole;
  }
  const std::optional<KnownValue> value =
      expression.kind == ExpressionKind::call ? std::nullopt : evaluate(file, id, from, locals);
  if (value && value->type == KnownValue::Type::string && value->is_scalar()) {
    return value->texts[0];
  }
  return fmt::format("<{}>", file.source->text(expression.span));
}

void Instantiator::write_call(Target target, const ClassFile& file, ExpressionId id, Context from) {
  const Call& call = file.ast.call(id);
  const FilePlace place{&file, file.ast[id].span};
  FlatWriter& out = target.out;
  const std::string_view written = file.ast.text(call.function);
  if (written == "cardinality") {
    write_cardinality(target, file, call, from);
    return;
  }
  if (write_rewritten(target, file, call, from) || write_sample(target, file, call, from) ||
      write_size(target, file, call, from)) {
    return;
  }
  if (written == "String" && class_of_call(file, call, from) == nullptr) {
    const std::optional<KnownValue> known = evaluate_string(file, call, from, target.locals);
    if (!known) {
      reports_.error(kNotSupported, "'String' of what is not known before the run is not supported yet",
                     place);
    }
    out << (known ? to_text(*known) : "\"\"");
    return;
  }
  std::string function(written);
  if (Instance* const called = class_of_call(file, call, from)) {
    if (called->def().kind() != ClassKind::function) {
      reports_
          .error(kNotSupported,
                 called->def().kind() == ClassKind::record
                     ? fmt::format("the record that '{}' makes cannot stand here", called->def().path)
                     : fmt::format("'{}' is a {}, not a function", called->def().path,
                                   to_string(called->def().kind())),
                 place)
          .notes.push_back({"declared here", called->def().place()});
      out << "0";
      return;
    }
    function = external_name(*called);
    if (function.empty()) {
      const FlatWriter::Scope scope(out, {&file, call.function_span});
      const std::vector<Node*> outputs = interface_of(*called, CausalityPrefix::output);
      if (!outputs.empty() && !outputs[0]->is_primitive()) {
        reports_
            .error(kWrongKindOfClass,
                   fmt::format("the record that '{}' returns cannot stand here", called->def().path), place)
            .notes.push_back({"declared here", outputs[0]->element->place()});
      }
      out.name(function_name(*called));
      write_function_arguments(target, file, call, *called, from);
      return;
    }
  } else if (const std::string_view part = foreign_part(written); !part.empty()) {
    reports_.error(kNotSupported, fmt::format("'{}': {} are not supported yet", written, part), place);
    out << "0";
    return;
  } else if (written.rfind('.') == 0) {
    function.erase(0, 1);  // from the top of all: one of the language
  } else if (written.find('.') != std::string_view::npos) {
    reports_.error(kUnknownClass, fmt::format("there is no function '{}' {}", written, where(from)),
                   {&file, call.function_span});
    out << "0";
    return;
  }
  {
    const FlatWriter::Scope scope(out, {&file, call.function_span});
    out << function;
  }
  check_calculation(target, file, call, from);
  write_arguments(target, file, call, from);
}

/// Functions of the language that stand for an expression of others (Modelica 3.7.4).
bool Instantiator::write_rewritten(Target target, const ClassFile& file, const Call& call, Context from) {
  const std::string_view function = file.ast.text(call.function);
  const auto arguments = file.ast[call.arguments];
  const auto given = [&](std::size_t position, std::string_view name) {
    for (std::size_t k = 0; k < arguments.size(); ++k) {
      if (arguments[k].name.valid() ? file.ast.text(arguments[k].name) == name : k == position) {
        return arguments[k].value;
      }
    }
    return ExpressionId();
  };
  FlatWriter& out = target.out;
  if (function == "homotopy" && given(0, "actual").valid()) {
    if (!given(1, "simplified").valid()) {
      return false;
    }
    out << "homotopy(";
    write(target, file, given(0, "actual"), from);
    out << ", ";
    write(target, file, given(1, "simplified"), from);
    out << ")";
    return true;
  }
  if (function == "Integer" && arguments.size() == 1) {
    const ExpressionId value = arguments[0].value;
    // Enumerations are Integers from 1 in the flat model.
    const ValueType type = enumeration_of(file, value, from, target.locals);
    if (!type || *type == nullptr) {
      reports_.error(kNotSupported,
                     "'Integer' of anything but a value of an enumeration is not supported yet",
                     {&file, call.function_span});
    }
    write_operand(target, file, value, from);
    return true;
  }
  const ExpressionId x = given(0, "x");
  const ExpressionId above = given(1, "k_pos");
  const ExpressionId below = given(2, "k_neg");
  if (function != "semiLinear" || !x.valid() || !above.valid() || !below.valid()) {
    return false;
  }
  out << "smooth(0, if ";
  write_operand(target, file, x, from);
  out << " >= 0 then ";
  for (const ExpressionId slope : {above, below}) {
    out << (slope == above ? "" : " else ");
    write_operand(target, file, slope, from);
    out << " * ";
    write_operand(target, file, x, from);
  }
  out << ")";
  return true;
}

/// The number of connections of a connector (Modelica 3.7.4.3).
void Instantiator::write_cardinality(Target target, const ClassFile& file, const Call& call, Context from) {
  const auto arguments = file.ast[call.arguments];
  const FilePlace place{&file, call.function_span};
  if (arguments.size() != 1 || file.ast[arguments[0].value].kind != ExpressionKind::name) {
    reports_.error(kWrongConnection, "'cardinality' takes a connector", place);
    target.out << "0";
    return;
  }
  const Reference reference = resolve(file, arguments[0].value, from, target.locals);
  if (reference.kind == Reference::Kind::primitive && reference.node->type->parts.empty()) {
    reports_.error(kWrongConnection,
                   fmt::format("'cardinality' takes a connector, '{}' is none", reference.node->path), place);
  }
  std::string path = reference.instance != nullptr ? reference.instance->path
                     : reference.node != nullptr   ? reference.node->path
                                                   : std::string();
  const auto found = connections_of_.find(path);
  target.out << std::to_string(found == connections_of_.end() ? 0 : found->second);
}

std::string Instantiator::free_function_name(const Instance& function) const {
  const std::string& name = function.path;
  const bool is_taken = name.find('.') == std::string::npos && root_->of_name.count(tree_.intern(name)) != 0;
  return is_taken ? "function " + name : name;  // a component of the model has this name
}

/// Its name in the flat model, where it is written with the others that are called.
std::string Instantiator::function_name(Instance& function) {
  const auto known = function_names_.find(&function);
  if (known != function_names_.end()) {
    return known->second;
  }
  std::string name = free_function_name(function);
  function_names_.emplace(&function, name);
  functions_to_write_.push_back({&function, name, nullptr});
  return name;
}

/// One variable of a function, or all members of a record of it.
void Instantiator::write_function_variable(Node& node, CausalityPrefix role, bool has_value,
                                           const CalledFunction& called, Target target) {
  if (node.failed || !node.is_present || node.type == nullptr) {
    return;
  }
  if (!node.is_primitive()) {
    for (Element* const member : in_order(*node.type)) {
      if (member->component != nullptr) {
        write_function_variable(node_of(*node.type, *member), role, has_value, called, target);
      }
    }
    return;
  }
  FlatWriter& out = target.out;
  const FlatWriter::Scope scope(out, node.element->place());
  const bool is_constant = node.variability == VariabilityPrefix::constant &&
                           node.holder == called.function && role == CausalityPrefix::none;
  const bool is_output =
      role == CausalityPrefix::output && (called.output == nullptr || called.output == &node);
  out << "    "
      << (is_constant                      ? "constant "
          : role == CausalityPrefix::input ? "input "
          : is_output                      ? "output "
                                           : "");
  write_type_and_name(node, flat_name(node), target);
  const Modifier* const attributes = node.type->attributes;
  if (attributes != nullptr && attributes->value && (has_value || is_constant)) {
    check_given(node, *attributes->value, fmt::format("'{}'", flat_name(node)));
    // What the class of a record says of a member holds for each element of an array of them.
    const bool is_of_element = !node.holder->record_sizes.empty() && attributes->value->selectors.empty();
    out << (is_of_element ? " = fill(" : " = ");
    write_binding(target, *attributes->value);
    for (const Size& size : is_of_element ? node.holder->record_sizes : std::vector<Size>()) {
      out << ", ";
      write(target, *size.file, size.value, size.where);
    }
    out << (is_of_element ? ")" : "");
  }
  out << ";\n";
}

/// `derivative` annotations, which name functions (Modelica 12.7.1). Those of functions of records are not used.
void Instantiator::write_derivatives(Instance& function, Target target) {
  for (const CausalityPrefix role : {CausalityPrefix::input, CausalityPrefix::output}) {
    const std::vector<Node*> variables = interface_of(function, role);
    if (!std::all_of(variables.begin(), variables.end(),
                     [](const Node* node) { return node->is_primitive(); })) {
      return;
    }
  }
  FlatWriter& out = target.out;
  for (std::uint32_t p = 0; p < function.parts.size(); ++p) {
    const Part& part = function.parts[p];
    if (part.def->text == nullptr) {
      continue;
    }
    const ClassFile& file = *part.def->file;
    for (const Modification& annotation : part.def->text->annotations) {
      if (file.ast.text(annotation.name) != "derivative") {
        continue;
      }
      const FlatWriter::Scope scope(out, {&file, annotation.span});
      out << "    annotation(derivative";
      const auto items = file.ast[annotation.nested];
      for (std::size_t k = 0; k < items.size(); ++k) {
        const FlatWriter::Scope item(out, {&file, items[k].span});
        out << (k == 0 ? "(" : ", ") << file.source->text(items[k].span);
      }
      out << (items.empty() ? "" : ")");
      if (annotation.value.valid()) {
        out << " = ";
        const FlatWriter::Scope value(out, {&file, file.ast[annotation.value].span});
        const std::string_view path = file.source->text(file.ast[annotation.value].span);
        Instance* const derivative = file.ast[annotation.value].kind == ExpressionKind::name
                                         ? class_of_path(path, {&function, p})
                                         : nullptr;
        if (derivative != nullptr && derivative->def().kind() == ClassKind::function) {
          out.name(function_name(*derivative));
        } else {
          out << path;  // what is wrong with it is said where it is read
        }
      }
      out << ");\n";
    }
  }
}

void Instantiator::write_function(const CalledFunction& called) {
  Instance& function = *called.function;
  const ClassDef& def = function.def();
  if (def.text != nullptr && def.text->is_partial) {
    reports_.error(kPartialClass, fmt::format("function '{}' is partial and cannot be called", def.path),
                   def.place());
    return;
  }
  FlatWriter text_out;
  FlatWriter body;
  const Target target{text_out, nullptr};
  {
    const FlatWriter::Scope scope(text_out, def.place());
    text_out << "  function ";
    text_out.name(called.name);
    text_out << "\n";
  }
  const bool is_constructor = def.kind() != ClassKind::function;
  for (Element* const element : in_order(function)) {
    if (element->component == nullptr) {
      continue;
    }
    Node& node = node_of(function, *element);
    const CausalityPrefix role = !is_constructor                  ? causality_of(function, *element)
                                 : is_constructor_input(*element) ? CausalityPrefix::input
                                                                  : CausalityPrefix::none;
    // A record that is an input has a value of its own only where the input has one.
    const bool has_value = role != CausalityPrefix::input || node.is_primitive() || is_constructor ||
                           node.component().value.valid();
    write_function_variable(node, role, has_value, called, target);
  }
  bool has_body = is_constructor;
  if (is_constructor) {
    text_out << "    output ";
    write_type_and_name(*const_cast<Node*>(called.output), "value of " + flat_name(*called.output), target);
    text_out << ";\n";
    body.name("value of " + flat_name(*called.output)) << " := ";
    body.name(flat_name(*called.output)) << ";\n";
  }
  text_out << "  algorithm\n";
  for (std::uint32_t p = 0; p < function.parts.size() && !is_constructor; ++p) {
    const Part& part = function.parts[p];
    if (part.def->text != nullptr && !part.def->text->algorithm.empty()) {
      has_body = true;
      write_statements({body, nullptr}, *part.def->file, part.def->text->algorithm, {&function, p});
    }
  }
  const std::vector<Node*> outputs = interface_of(function, CausalityPrefix::output);
  has_body =
      has_body || (!outputs.empty() && std::all_of(outputs.begin(), outputs.end(), [](const Node* node) {
        return node->component().value.valid();
      }));
  if (!has_body && !reports_.has_errors()) {  // 'external' is refused by its name
    reports_.error(kNotSupported,
                   fmt::format("function '{}' has no algorithm: such functions are not supported", def.path),
                   def.place());
  }
  text_out.append(body);
  if (!is_constructor && called.output == nullptr) {
    write_derivatives(function, target);
  }
  text_out << "  end ";
  text_out.name(called.name);
  text_out << ";\n";
  functions_.append(text_out);
}

/// Whether `a[i]` is a component, not a number of an array.
bool Instantiator::chooses_component(const ClassFile& file, ExpressionId id, Context from) {
  const auto parts = file.ast.name_parts(id);
  const Found found = find_simple(name(file, parts[0].name), from);
  if (found.element == nullptr || found.element->component == nullptr || found.holder == nullptr) {
    return false;
  }
  Instance* holder = found.holder;
  Element* element = found.element;
  for (std::size_t k = 0;; ++k) {
    Node* node = &node_of(*holder, *element);
    node = node->inner != nullptr ? node->inner : node;
    if (node->type == nullptr || node->is_primitive() || k + 1 == parts.size()) {
      return node->type != nullptr && !node->is_primitive();
    }
    holder = node->type;
    element = find_member(*holder, name(file, parts[k + 1].name));
    if (element == nullptr || element->component == nullptr) {
      return false;
    }
  }
}

/// Whether a loop variable may choose a component in it: `a[i].b`. Such loops are written out.
bool Instantiator::needs_unrolling(const ClassFile& file, ExpressionId id, Context from) {
  if (!id.valid() || from.instance->function != nullptr) {
    return false;
  }
  const Ast& ast = file.ast;
  const auto any = [&](std::span<const ExpressionId> list) {
    return std::any_of(list.begin(), list.end(),
                       [&](ExpressionId one) { return needs_unrolling(file, one, from); });
  };
  switch (ast[id].kind) {
    case ExpressionKind::name: {
      const auto parts = ast.name_parts(id);
      for (std::size_t k = 0; k < parts.size(); ++k) {
        if ((k + 1 < parts.size() && !parts[k].subscripts.empty()) || any(ast[parts[k].subscripts])) {
          return true;
        }
      }
      return !parts.back().subscripts.empty() && chooses_component(file, id, from);
    }
    case ExpressionKind::call: {
      const auto arguments = ast[ast.call(id).arguments];
      return std::any_of(arguments.begin(), arguments.end(), [&](const Argument& argument) {
        return needs_unrolling(file, argument.value, from);
      });
    }
    default: return has_operands(ast[id].kind) && any(ast.operands(id));
  }
}

bool Instantiator::needs_unrolling(const ClassFile& file, List<Statement> body, Context from) {
  const auto statements = file.ast[body];
  return std::any_of(statements.begin(), statements.end(), [&](const Statement& statement) {
    if (statement.kind == StatementKind::connect || needs_unrolling(file, statement.left, from) ||
        needs_unrolling(file, statement.right, from) || needs_unrolling(file, statement.body, from)) {
      return true;
    }
    const auto branches = file.ast[statement.branches];
    return std::any_of(branches.begin(), branches.end(), [&](const Branch& branch) {
      return needs_unrolling(file, branch.condition, from) || needs_unrolling(file, branch.body, from);
    });
  });
}

}  // namespace saltus::lang
