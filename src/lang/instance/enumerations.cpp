// Values of enumerations, which are no numbers and of no other enumeration (Modelica 4.9.5, 10.5).
//
// Problem     In the flat model they are Integers from 1: what is mixed up there goes unnoticed.
// Method      The enumeration that an expression has values of follows from names, literals and calls; sides, branches, elements,
//             arguments, attributes, subscripts and operands are compared while they are written. Where the type does not follow
//             (nothing is returned), nothing is compared.
// Tested by   tests/corpus/fail/enumerations.test, tests/classes/hold/enumerations.test.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "lang/instance/instance_codes.hpp"
#include "lang/instance/instantiator.hpp"

namespace saltus::lang {
namespace {

/// Functions of the language that give numbers.
constexpr std::array<std::string_view, 4> kCounts = {"Integer", "size", "ndims", "integer"};
/// Those that give values of the type of their first argument, whatever it is.
constexpr std::array<std::string_view, 10> kOfAnyType = {
    "pre", "noEvent", "homotopy", "min", "max", "fill", "vector", "matrix", "scalar", "transpose"};
/// Those that calculate with their arguments.
constexpr std::array<std::string_view, 29> kCalculations = {
    "abs",  "sign", "sqrt", "sin",   "cos",  "tan",     "asin",  "acos",     "atan",        "atan2",
    "sinh", "cosh", "tanh", "exp",   "log",  "log10",   "floor", "ceil",     "integer",     "mod",
    "rem",  "div",  "sum",  "cross", "skew", "product", "der",   "linspace", "outerProduct"};

template <std::size_t N>
bool is_one_of(std::string_view name, const std::array<std::string_view, N>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_arithmetic(Operator op) {
  switch (op) {
    case Operator::add:
    case Operator::subtract:
    case Operator::multiply:
    case Operator::divide:
    case Operator::power:
    case Operator::elementwise_add:
    case Operator::elementwise_subtract:
    case Operator::elementwise_multiply:
    case Operator::elementwise_divide:
    case Operator::elementwise_power: return true;
    default: return false;
  }
}

}  // namespace

bool same_literals(const ClassDef& a, const ClassDef& b) {
  const auto& left = a.text->literals;
  const auto& right = b.text->literals;
  const bool is_open = left.empty() || right.empty();  // enumeration(:)
  return &a == &b || is_open ||
         std::equal(left.begin(), left.end(), right.begin(), right.end(),
                    [&](const EnumerationLiteral& x, const EnumerationLiteral& y) {
                      return a.file->ast.text(x.name) == b.file->ast.text(y.name);
                    });
}

/// The enumeration that an expression has values of, or null for a number; nothing where that does not follow, and for other types.
Instantiator::ValueType Instantiator::enumeration_of(const ClassFile& file, ExpressionId id, Context from,
                                                     const Locals* locals) {
  const Ast& ast = file.ast;
  if (!id.valid()) {
    return std::nullopt;
  }
  switch (ast[id].kind) {
    case ExpressionKind::real:
    case ExpressionKind::integer: return nullptr;
    case ExpressionKind::array:
    case ExpressionKind::range:
    case ExpressionKind::element: {
      const auto operands = ast.operands(id);
      return operands.empty() ? std::nullopt : enumeration_of(file, operands[0], from, locals);
    }
    case ExpressionKind::conditional: return enumeration_of(file, ast.operands(id)[1], from, locals);
    case ExpressionKind::unary:
      return ast[id].op == Operator::logical_not ? std::nullopt
                                                 : enumeration_of(file, ast.operands(id)[0], from, locals);
    case ExpressionKind::binary: return is_arithmetic(ast[id].op) ? ValueType(nullptr) : std::nullopt;
    case ExpressionKind::chain: {
      const bool is_number =
          is_arithmetic(ast.operators(id)[0]) && ast[ast.operands(id)[0]].kind != ExpressionKind::string;
      return is_number ? ValueType(nullptr) : std::nullopt;
    }
    case ExpressionKind::call: return enumeration_of_call(file, ast.call(id), from, locals);
    case ExpressionKind::name: break;
    default: return std::nullopt;
  }
  if (is_known_constant(file, id, from)) {
    return nullptr;
  }
  const Reference reference = resolve(file, id, from, locals);
  const Reference* at = &reference;
  while (at->kind == Reference::Kind::array && !at->elements.empty()) {
    at = &at->elements.front();
  }
  switch (at->kind) {
    case Reference::Kind::literal: return at->enumeration;
    case Reference::Kind::type: return at->enumeration == nullptr ? std::nullopt : ValueType(at->enumeration);
    case Reference::Kind::local: return at->local == nullptr ? ValueType(nullptr) : at->local->type;
    case Reference::Kind::primitive: return type_of_values(*at->node);
    default: return std::nullopt;
  }
}

Instantiator::ValueType Instantiator::enumeration_of_call(const ClassFile& file, const Call& call,
                                                          Context from, const Locals* locals) {
  if (Instance* const called = class_of_call(file, call, from)) {
    const bool is_function = called->def().kind() == ClassKind::function && external_name(*called).empty();
    const std::vector<Node*> outputs =
        is_function ? interface_of(*called, CausalityPrefix::output) : std::vector<Node*>();
    return outputs.empty() || !outputs[0]->is_primitive() ? std::nullopt : type_of_values(*outputs[0]);
  }
  const std::string_view function = file.ast.text(call.function);
  const auto arguments = file.ast[call.arguments];
  if (is_one_of(function, kCounts)) {
    return nullptr;
  }
  return is_one_of(function, kOfAnyType) && call.iterators.empty() && !arguments.empty()
             ? enumeration_of(file, arguments[0].value, from, locals)
             : std::nullopt;
}

Instantiator::ValueType Instantiator::enumeration_of(const Binding& binding) {
  const Binding value = peeled(binding);
  return value.selectors.empty() ? enumeration_of(*value.file, value.value, value.where, nullptr)
                                 : std::nullopt;
}

Instantiator::ValueType Instantiator::type_of_values(const Node& node) {
  switch (node.type->built_in) {
    case BuiltIn::enumeration: return node.type->enumeration;
    case BuiltIn::real:
    case BuiltIn::integer: return nullptr;
    default: return std::nullopt;
  }
}

/// The type that a size is made of, which counts (Modelica 10.1); nothing: it is a number, or ':'.
std::optional<const ClassDef*> Instantiator::type_of_size(const Size& size) {
  if (size.file->ast[size.value].kind != ExpressionKind::name) {
    return std::nullopt;
  }
  const Reference reference = resolve(*size.file, size.value, size.where, nullptr);
  return reference.kind == Reference::Kind::type ? std::optional<const ClassDef*>(reference.enumeration)
                                                 : std::nullopt;
}

/// Of a size that is a type; null: Boolean.
std::int64_t Instantiator::n_values(const ClassDef* type) {
  return type == nullptr ? 2 : static_cast<std::int64_t>(type->text->literals.size());
}

/// What a loop variable has values of.
Instantiator::ValueType Instantiator::type_of_iterator(const ClassFile& file, const Iterator& iterator,
                                                       Context from, const Locals* locals) {
  return iterator.range.valid() ? enumeration_of(file, iterator.range, from, locals) : std::nullopt;
}

void Instantiator::check_enumerations(ValueType a, ValueType b, FilePlace place, std::string_view first,
                                      std::string_view second) {
  const auto name = [](const ClassDef* def) {
    return def == nullptr ? std::string("a number") : fmt::format("of enumeration '{}'", def->path);
  };
  if (!a || !b || *a == *b || (*a != nullptr && *b != nullptr && same_literals(**a, **b))) {
    return;
  }
  reports_.error(kMixedEnumeration, fmt::format("{} is {}, {} {}", first, name(*a), second, name(*b)), place);
}

/// A value or an attribute of a variable.
void Instantiator::check_given(const Node& node, const Binding& given, std::string_view what) {
  const Binding value = peeled(given);
  check_enumerations(type_of_values(node), enumeration_of(value),
                     {value.file, value.file->ast[value.value].span}, what, "what it is given");
}

void Instantiator::check_sides(Target target, const ClassFile& file, ExpressionId left, ExpressionId right,
                               Context from) {
  const std::size_t n_before = reports_.items().size();
  const ValueType a = enumeration_of(file, left, from, target.locals);
  const ValueType b = a ? enumeration_of(file, right, from, target.locals) : std::nullopt;
  if (reports_.items().size() == n_before) {
    check_enumerations(a, b, {&file, file.ast[right].span}, "the left side", "the right one");
  }
}

/// Branches of a condition, elements of an array.
void Instantiator::check_alike(Target target, const ClassFile& file, std::span<const ExpressionId> list,
                               Context from, std::string_view what) {
  const ValueType first = list.empty() ? std::nullopt : enumeration_of(file, list[0], from, target.locals);
  for (std::size_t k = 1; first && k < list.size(); ++k) {
    check_enumerations(first, enumeration_of(file, list[k], from, target.locals),
                       {&file, file.ast[list[k]].span}, fmt::format("the first {}", what), "this one");
  }
}

void Instantiator::check_number(Target target, const ClassFile& file, ExpressionId id, Context from,
                                std::string_view what) {
  const ValueType type = enumeration_of(file, id, from, target.locals);
  if (type && *type != nullptr) {
    reports_.error(kMixedEnumeration,
                   fmt::format("{} takes numbers, this is of enumeration '{}'", what, (*type)->path),
                   {&file, file.ast[id].span}, "'Integer' gives the number of a literal");
  }
}

void Instantiator::check_operands(Target target, const ClassFile& file, ExpressionId id, Context from) {
  const Expression& expression = file.ast[id];
  const bool is_chain = expression.kind == ExpressionKind::chain;
  if (!is_arithmetic(is_chain ? file.ast.operators(id)[0] : expression.op)) {
    return;
  }
  for (const ExpressionId operand : file.ast.operands(id)) {
    check_number(target, file, operand, from,
                 fmt::format("'{}'", to_string(is_chain ? file.ast.operators(id)[0] : expression.op)));
  }
}

/// Of a function of the language.
void Instantiator::check_calculation(Target target, const ClassFile& file, const Call& call, Context from) {
  if (!is_one_of(file.ast.text(call.function), kCalculations) || !call.iterators.empty()) {
    return;
  }
  for (const Argument& argument : file.ast[call.arguments]) {
    check_number(target, file, argument.value, from, fmt::format("'{}'", file.ast.text(call.function)));
  }
}

/// What the inputs of a function are given.
void Instantiator::check_argument_types(Target target, const ClassFile& file, const Call& call,
                                        const std::vector<Node*>& inputs, Context from) {
  const auto arguments = file.ast[call.arguments];
  for (std::size_t k = 0; k < arguments.size() && call.iterators.empty(); ++k) {
    const Argument& argument = arguments[k];
    const auto input =
        argument.name.valid()
            ? std::find_if(inputs.begin(), inputs.end(),
                           [&](const Node* node) { return node->element->name == name(file, argument.name); })
            : inputs.begin() + static_cast<std::ptrdiff_t>(std::min(k, inputs.size()));
    if (input != inputs.end() && (*input)->is_primitive()) {
      check_enumerations(type_of_values(**input), enumeration_of(file, argument.value, from, target.locals),
                         {&file, file.ast[argument.value].span},
                         fmt::format("input '{}'", text((*input)->element->name)), "what it is given");
    }
  }
}

/// A dimension is subscripted by values of the type that its size is made of, else by numbers (Modelica 10.5).
void Instantiator::check_subscript(const Node& node, std::size_t dimension, const ClassFile& file,
                                   ExpressionId subscript, Context from, const Locals* locals) {
  const Size& size = node.sizes[dimension];
  if (!subscript.valid() || file.ast[subscript].kind == ExpressionKind::all ||
      size.file->ast[size.value].kind == ExpressionKind::all) {
    return;
  }
  const std::optional<const ClassDef*> type = type_of_size(size);
  const ValueType wanted = type.value_or(nullptr);
  if (type && *type == nullptr) {
    return;  // Boolean: write_subscript
  }
  check_enumerations(wanted, enumeration_of(file, subscript, from, locals), {&file, file.ast[subscript].span},
                     fmt::format("the subscript of dimension {} of '{}'", dimension + 1, node.path), "this");
}

}  // namespace saltus::lang
