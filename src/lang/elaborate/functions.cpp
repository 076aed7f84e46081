// Functions: called by running their algorithm on values, so that what remains is an expression of the arguments.
//
// Values and sizes of a function's variables may name variables that are declared after them (Modelica 12.4.4). Where the order of the
// text has what it needs, inputs first, it is kept; else each variable comes after those that it names.
#include <fmt/format.h>

#include <algorithm>

#include "base/similar_name.hpp"
#include "lang/elaborate/elaborator.hpp"
#include "lang/elaborate/semantic_codes.hpp"
#include "lang/syntax/diagnostic_codes.hpp"
#include "lang/syntax/operand_kinds.hpp"

namespace saltus::lang {
namespace {

/// Calls within calls.
constexpr int kMaxInliningDepth = 100;
/// What a call costs compared with one expression inside it.
constexpr double kCallWork = 20.0;

/// The symbols that an expression names, those of its own loops left out.
void add_named(const Ast& ast, ExpressionId id, std::vector<Symbol>& hidden, std::vector<Symbol>& named) {
  if (!id.valid()) {
    return;
  }
  const auto add_list = [&](std::span<const ExpressionId> list) {
    for (const ExpressionId one : list) {
      add_named(ast, one, hidden, named);
    }
  };
  const std::size_t n_hidden = hidden.size();
  const auto hide = [&](std::span<const Iterator> iterators) {
    for (const Iterator& iterator : iterators) {
      add_named(ast, iterator.range, hidden, named);
      hidden.push_back(iterator.name);
    }
  };
  switch (ast[id].kind) {
    case ExpressionKind::name:
      if (const Symbol first = ast.name_parts(id)[0].name;
          std::find(hidden.begin(), hidden.end(), first) == hidden.end()) {
        named.push_back(first);
      }
      for (const NamePart& part : ast.name_parts(id)) {
        add_list(ast[part.subscripts]);
      }
      break;
    case ExpressionKind::call:
      hide(ast[ast.call(id).iterators]);
      for (const Argument& argument : ast[ast.call(id).arguments]) {
        add_named(ast, argument.value, hidden, named);
      }
      break;
    case ExpressionKind::comprehension:
      hide(ast.iterators(id));
      add_list(ast.operands(id));
      break;
    case ExpressionKind::element:
      add_list(ast.operands(id));
      add_list(ast[ast.element_subscripts(id)]);
      break;
    default:
      if (has_operands(ast[id].kind)) {
        add_list(ast.operands(id));
      }
      break;
  }
  hidden.resize(n_hidden);
}

}  // namespace

bool Elaborator::fits_declaration(const Component& component, Value& value, SourceSpan span) {
  const ResolvedType type = resolve_type(component.type, component.type_span);
  if (type.failed) {
    return false;
  }
  const bool fits =
      value.type == type.type || (value.type == flat::Type::integer && type.type == flat::Type::real);
  if (!fits) {
    error(kWrongType,
          fmt::format("{} is {}, the value is {}", quoted(component.name), to_string(type.type),
                      to_string(value.type)),
          span);
    return false;
  }
  value.type = type.type;
  const auto own = ast_[component.dimensions];
  std::vector<ExpressionId> dimensions(own.begin(), own.end());
  dimensions.insert(dimensions.end(), type.dimensions.begin(), type.dimensions.end());
  if (component.causality == CausalityPrefix::input && dimensions.size() < value.shape.size()) {
    error(kNotSupported,
          fmt::format("{} has {} dimensions, the value is {}: calls for each element of an array (Modelica "
                      "12.4.6) are not supported yet",
                      quoted(component.name), dimensions.size(), to_string(value.shape)),
          span, "write {f(x) for x in v}");
    return false;
  }
  if (dimensions.size() != value.shape.size()) {
    error(kShapeMismatch,
          fmt::format("{} has {} dimensions, the value is {}", quoted(component.name), dimensions.size(),
                      to_string(value.shape)),
          span);
    return false;
  }
  for (std::size_t d = 0; d < dimensions.size(); ++d) {
    if (ast_[dimensions[d]].kind == ExpressionKind::all) {
      continue;
    }
    const std::optional<Index> size = integer_now(dimensions[d], "the size of an array");
    if (!size) {
      return false;
    }
    if (*size != value.shape[d]) {
      error(kShapeMismatch,
            fmt::format("dimension {} of {} has size {}, that of the value {}", d + 1, quoted(component.name),
                        *size, value.shape[d]),
            span);
      return false;
    }
  }
  return true;
}

bool Elaborator::declare_local(const Component& component, std::optional<Value> given, SourceSpan span) {
  Local local;
  local.name = component.name;
  local.role = component.causality == CausalityPrefix::input    ? Local::Role::input
               : component.causality == CausalityPrefix::output ? Local::Role::output
                                                                : Local::Role::inner;
  if (!given && component.value.valid()) {
    given = lower(component.value);
    span = span_of(component.value);
  }
  if (given) {
    if (given->failed) {
      return false;
    }
    // Its own sizes may name it: A[:, size(A, 1)].
    Value form;
    form.type = given->type;
    form.shape = given->shape;
    local.value = std::move(*given);
    const std::size_t place = locals_.size();
    locals_.push_back(std::move(local));
    const bool fits = fits_declaration(component, form, span);
    locals_[place].value.type = form.type;
    return fits;
  }
  const ResolvedType type = resolve_type(component.type, component.type_span);
  if (type.failed) {
    return false;
  }
  const auto own = ast_[component.dimensions];
  std::vector<ExpressionId> dimensions(own.begin(), own.end());
  dimensions.insert(dimensions.end(), type.dimensions.begin(), type.dimensions.end());
  Shape shape;
  for (const ExpressionId dimension : dimensions) {
    if (ast_[dimension].kind == ExpressionKind::all) {
      error(kWrongSize,
            fmt::format("the size ':' of {} needs a value to follow from", quoted(component.name)),
            span_of(dimension));
      return false;
    }
    const std::optional<Index> size = integer_now(dimension, "the size of an array");
    if (!size || *size < 0) {
      if (size) {
        error(kWrongSize, fmt::format("the size {} of {} is negative", *size, quoted(component.name)),
              span_of(dimension));
      }
      return false;
    }
    shape.push_back(*size);
  }
  if (n_elements(shape) >= kTooManyElements ||
      !spend(static_cast<double>(n_elements(shape)), component.span)) {
    if (n_elements(shape) >= kTooManyElements) {
      error(kTooLarge, fmt::format("{} has more than {} elements", quoted(component.name), kTooManyElements),
            component.name_span);
    }
    return false;
  }
  local.value = array_value(type.type, std::move(shape));
  locals_.push_back(std::move(local));
  return true;
}

/// Which argument is given to which input; the values are computed where the call stands.
bool Elaborator::match_arguments(const Class& function, const Call& call, SourceSpan span,
                                 GivenInputs& given) {
  std::vector<std::string_view> names;
  for (const Component& component : function.components) {
    if (component.causality == CausalityPrefix::input) {
      given.inputs.push_back(&component);
      names.push_back(ast_.text(component.name));
    }
  }
  given.values.resize(given.inputs.size());
  given.spans.resize(given.inputs.size(), span);
  const auto arguments = ast_[call.arguments];
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    std::size_t place = k;
    if (arguments[k].name.valid()) {
      for (place = 0; place < names.size() && given.inputs[place]->name != arguments[k].name; ++place) {
      }
      if (place == names.size()) {
        error(kWrongArguments,
              fmt::format("{} has no input {}", quoted(call.function), quoted(arguments[k].name)),
              arguments[k].span, did_you_mean(ast_.text(arguments[k].name), names));
        return false;
      }
    } else if (k >= names.size()) {
      error(kWrongArguments,
            fmt::format("{} takes {} argument{}, not {}", quoted(call.function), names.size(),
                        names.size() == 1 ? "" : "s", arguments.size()),
            span);
      return false;
    }
    if (given.values[place]) {
      error(kWrongArguments, fmt::format("input {} is given twice", quoted(given.inputs[place]->name)),
            arguments[k].span);
      return false;
    }
    given.values[place] = lower(arguments[k].value);
    given.spans[place] = span_of(arguments[k].value);
    if (given.values[place]->failed) {
      return false;
    }
  }
  return true;
}

/// What each variable names; found once for a function.
const Elaborator::VariableOrder& Elaborator::order_of(const Class& function) {
  const auto [known, is_new] = orders_.try_emplace(&function);
  VariableOrder& order = known->second;
  if (!is_new) {
    return order;
  }
  const auto& components = function.components;
  const auto uses = [&](std::vector<Symbol> named) {
    std::vector<std::size_t> result;
    for (std::size_t k = 0; k < components.size(); ++k) {
      if (std::find(named.begin(), named.end(), components[k].name) != named.end()) {
        result.push_back(k);
      }
    }
    return result;
  };
  for (const bool is_input : {true, false}) {
    for (std::size_t k = 0; k < components.size(); ++k) {
      if ((components[k].causality == CausalityPrefix::input) == is_input) {
        order.in_text.push_back(k);
      }
    }
  }
  std::vector<Symbol> hidden;
  for (const Component& component : components) {
    std::vector<Symbol> in_sizes;
    for (const ExpressionId size : ast_[component.dimensions]) {
      add_named(ast_, size, hidden, in_sizes);
    }
    std::vector<Symbol> in_value;
    add_named(ast_, component.value, hidden, in_value);
    order.of_size.push_back(uses(std::move(in_sizes)));
    order.of_value.push_back(uses(std::move(in_value)));
  }
  std::vector<bool> is_there(components.size());
  for (const std::size_t k : order.in_text) {
    const auto lacks = [&](std::size_t other) { return !is_there[other] && other != k; };
    order.is_text_order = order.is_text_order &&
                          std::none_of(order.of_size[k].begin(), order.of_size[k].end(), lacks) &&
                          std::all_of(order.of_value[k].begin(), order.of_value[k].end(),
                                      [&](std::size_t other) { return is_there[other]; });
    is_there[k] = true;
  }
  return order;
}

/// Adds a variable after those that its value and its sizes name; false (reported) if its value depends on itself.
bool Elaborator::add_in_order(const Class& function, const std::vector<bool>& given, std::size_t variable,
                              OrderInWork& work) {
  if (work.state[variable] == OrderInWork::State::done) {
    return true;
  }
  if (work.state[variable] == OrderInWork::State::running) {
    const Component& component = function.components[variable];
    error(kParameterCycle,
          fmt::format("the value of {} in function {} depends on itself", quoted(component.name),
                      quoted(function.name)),
          component.name_span);
    return false;
  }
  work.state[variable] = OrderInWork::State::running;
  const VariableOrder& order = order_of(function);
  for (const std::size_t other : given[variable] ? std::vector<std::size_t>() : order.of_value[variable]) {
    if (!add_in_order(function, given, other, work)) {
      return false;
    }
  }
  for (const std::size_t other : order.of_size[variable]) {
    // Sizes may name each other: of what is given they are only compared.
    if (work.state[other] == OrderInWork::State::open && !add_in_order(function, given, other, work)) {
      return false;
    }
  }
  work.state[variable] = OrderInWork::State::done;
  work.order.push_back(variable);
  return true;
}

/// Positions of the variables of a function in an order in which they can get their values; nothing (reported) if there is none.
std::optional<std::vector<std::size_t>> Elaborator::variables_in_order(const Class& function,
                                                                       const GivenInputs& given) {
  const VariableOrder& order = order_of(function);
  if (order.is_text_order) {
    return order.in_text;
  }
  std::vector<bool> is_given(function.components.size());
  for (std::size_t i = 0; i < given.inputs.size(); ++i) {
    is_given[static_cast<std::size_t>(given.inputs[i] - function.components.data())] =
        given.values[i].has_value();
  }
  OrderInWork work;
  work.state.resize(function.components.size());
  for (const std::size_t k : order.in_text) {
    if (!add_in_order(function, is_given, k, work)) {
      return std::nullopt;
    }
  }
  return std::move(work.order);
}

Elaborator::InlinedOutputs Elaborator::inline_function(const Class& function, const Call& call,
                                                       SourceSpan span) {
  InlinedOutputs result;
  result.failed = true;
  if (function.is_damaged) {
    return result;
  }
  if (!call.iterators.empty()) {
    error(kWrongArguments, fmt::format("{} takes no 'for'", quoted(call.function)), span);
    return result;
  }
  GivenInputs given;
  if (!match_arguments(function, call, span, given)) {
    return result;
  }
  for (std::size_t i = 0; i < given.inputs.size(); ++i) {
    if (!given.values[i] && !given.inputs[i]->value.valid()) {
      error(kWrongArguments,
            fmt::format("input {} of {} is missing", quoted(given.inputs[i]->name), quoted(call.function)),
            span);
      return result;
    }
  }
  return inline_given(function, std::move(given), span);
}

Elaborator::InlinedOutputs Elaborator::inline_given(const Class& function, GivenInputs given,
                                                    SourceSpan span) {
  InlinedOutputs result;
  result.failed = true;
  if (function.is_damaged || !spend(kCallWork, span)) {
    return result;
  }
  if (inlining_depth_ >= kMaxInliningDepth) {
    error(kRecursionTooDeep,
          fmt::format("calls of {} are nested more than {} deep", quoted(function.name), kMaxInliningDepth),
          span, "a recursion must end at a condition that is known at compile time");
    return result;
  }
  const std::size_t n_outer = locals_.size();
  std::vector<std::size_t> place_of(function.components.size());
  bool ok = true;
  {
    SavedContext saved(*this);
    context_.in_function = true;
    context_.repeated = true;
    context_.frame = n_outer;
    context_.mode = ModeId();
    ++inlining_depth_;
    // Sizes of inputs and values of those not given are computed inside the new frame.
    const auto order = variables_in_order(function, given);
    ok = order.has_value();
    for (std::size_t k = 0; ok && k < order->size(); ++k) {
      const Component& component = function.components[(*order)[k]];
      const auto input = static_cast<std::size_t>(
          std::find(given.inputs.begin(), given.inputs.end(), &component) - given.inputs.begin());
      place_of[(*order)[k]] = locals_.size();
      ok = input < given.inputs.size()
               ? declare_local(component, std::move(given.values[input]), given.spans[input])
               : declare_local(component, std::nullopt, span);
    }
    ok = ok && execute(function.algorithm) != Flow::failed;
    --inlining_depth_;
  }
  std::vector<FunctionInput> inputs;
  for (std::size_t k = 0; ok && k < place_of.size(); ++k) {
    Local& local = locals_[place_of[k]];
    if (local.role == Local::Role::input) {
      inputs.push_back({&function.components[k], std::move(local.value)});
    }
    if (local.role != Local::Role::output) {
      continue;
    }
    Value& value = local.value;
    for (std::size_t i = 0; i < value.size(); ++i) {
      if (!value[i].defined() && value.type != flat::Type::string) {
        error(kUnassigned,
              fmt::format("output {} of {} is not assigned on every path", quoted(local.name),
                          quoted(function.name)),
              span);
        ok = false;
        break;
      }
    }
    result.values.push_back(std::move(value));
  }
  locals_.resize(n_outer);
  result.failed = !ok;
  if (ok) {
    give_rates(function, inputs, result);
  }
  return result;
}

Value Elaborator::call_function(const Class& function, const Call& call, SourceSpan span) {
  InlinedOutputs outputs = inline_function(function, call, span);
  if (outputs.failed) {
    return failed_value();
  }
  if (outputs.values.empty()) {
    return fail(kWrongArguments, fmt::format("{} has no output", quoted(call.function)), span);
  }
  return std::move(outputs.values.front());
}

}  // namespace saltus::lang
