// Functions: called by running their algorithm on values, so that what remains is an expression of the arguments.
#include <fmt/format.h>

#include "base/similar_name.hpp"
#include "lang/elaborate/elaborator.hpp"
#include "lang/elaborate/semantic_codes.hpp"
#include "lang/syntax/diagnostic_codes.hpp"

namespace saltus::lang {
namespace {

/// Calls within calls.
constexpr int kMaxInliningDepth = 100;
/// What a call costs compared with one expression inside it.
constexpr double kCallWork = 20.0;

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
    if (given->failed || !fits_declaration(component, *given, span)) {
      return false;
    }
    local.value = std::move(*given);
    locals_.push_back(std::move(local));
    return true;
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
  bool ok = true;
  {
    SavedContext saved(*this);
    context_.in_function = true;
    context_.repeated = true;
    context_.frame = n_outer;
    context_.mode = ModeId();
    ++inlining_depth_;
    // Sizes of inputs and values of those not given are computed inside the new frame.
    for (std::size_t i = 0; ok && i < given.inputs.size(); ++i) {
      ok = declare_local(*given.inputs[i], std::move(given.values[i]), given.spans[i]);
    }
    for (const Component& component : function.components) {
      ok = ok &&
           (component.causality == CausalityPrefix::input || declare_local(component, std::nullopt, span));
    }
    ok = ok && execute(function.algorithm) != Flow::failed;
    --inlining_depth_;
  }
  std::vector<FunctionInput> inputs;
  for (std::size_t i = 0; ok && i < given.inputs.size(); ++i) {
    inputs.push_back({given.inputs[i], std::move(locals_[n_outer + i].value)});
  }
  for (std::size_t i = n_outer; ok && i < locals_.size(); ++i) {
    if (locals_[i].role != Local::Role::output) {
      continue;
    }
    Value& value = locals_[i].value;
    for (std::size_t k = 0; k < value.size(); ++k) {
      if (!value[k].defined() && value.type != flat::Type::string) {
        error(kUnassigned,
              fmt::format("output {} of {} is not assigned on every path", quoted(locals_[i].name),
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
