// annotation(experiment(...), __saltus(...)), and derivative = f_der of functions (Modelica 12.7.1).

#include <fmt/format.h>

#include <algorithm>

#include "base/number_text.hpp"
#include "base/similar_name.hpp"
#include "lang/elaborate/elaborator.hpp"
#include "lang/elaborate/semantic_codes.hpp"

namespace saltus::lang {

void Elaborator::lower_annotations() {
  lower_annotation_list(main_.annotations, ModeId());
  for (std::size_t m = 0; m < main_.modes.size(); ++m) {
    lower_annotation_list(main_.modes[m].annotations, ModeId(m));
  }
}

// `mode`: in whose section they stand. The experiment is that of the model wherever it stands.
void Elaborator::lower_annotation_list(std::span<const Modification> annotations, ModeId mode) {
  SavedContext saved(*this);
  context_.watching = Watching::none;
  for (const Modification& modification : annotations) {
    const std::string_view name = ast_.text(modification.name);
    if (name == "experiment") {
      for (const Modification& item : ast_[modification.nested]) {
        lower_experiment(item);
      }
    } else if (name == "__saltus") {
      for (const Modification& item : ast_[modification.nested]) {
        lower_options(item, mode);
      }
    }
  }
}

void Elaborator::lower_experiment(const Modification& item) {
  const std::string_view name = ast_.text(item.name);
  flat::Experiment& experiment = model_.experiment;
  std::optional<double>* place = name == "StartTime"   ? &experiment.start
                                 : name == "StopTime"  ? &experiment.stop
                                 : name == "Tolerance" ? &experiment.tolerance
                                 : name == "Interval"  ? &experiment.interval
                                                       : nullptr;
  if (place == nullptr) {
    diagnostics_.warning(kUnknownAnnotation,
                         fmt::format("'experiment' has no {}: ignored", quoted(item.name)), item.name_span,
                         did_you_mean(name, {"StartTime", "StopTime", "Tolerance", "Interval"}));
    return;
  }
  if (!item.value.valid()) {
    error(kWrongAnnotation, fmt::format("{} needs a number", quoted(item.name)), item.span);
    return;
  }
  const Value value = lower(item.value);
  if (value.failed) {
    return;
  }
  const bool is_number = value.type == flat::Type::real || value.type == flat::Type::integer;
  if (!is_number || !value.is_scalar()) {
    error(kWrongAnnotation, fmt::format("{} needs a number", quoted(item.name)), span_of(item.value));
    return;
  }
  const std::optional<double> number =
      evaluate_now(value.scalar, span_of(item.value), fmt::format("{} of the experiment", quoted(item.name)));
  if (!number) {
    return;
  }
  const bool must_be_positive = name == "Tolerance" || name == "Interval";
  if (must_be_positive && !(*number > 0.0)) {
    error(kWrongAnnotation, fmt::format("{} must be positive, not {}", quoted(item.name), *number),
          span_of(item.value));
    return;
  }
  *place = *number;
}

void Elaborator::lower_options(const Modification& item, ModeId mode) {
  flat::Experiment::Option option;
  option.name = std::string(ast_.text(item.name));
  option.span = item.span;
  option.mode = mode;
  if (!item.value.valid()) {
    error(kWrongAnnotation, fmt::format("option {} needs a value", quoted(item.name)), item.span);
    return;
  }
  const Value value = lower(item.value);
  if (value.failed) {
    return;
  }
  if (!value.is_scalar()) {
    error(kWrongAnnotation, fmt::format("option {} needs a text, a number or a Boolean", quoted(item.name)),
          span_of(item.value));
    return;
  }
  if (value.type == flat::Type::string) {
    option.value = value.text ? *value.text : std::string();
  } else {
    const std::optional<double> number = evaluate_now(value.scalar, span_of(item.value), "an option");
    if (!number) {
      return;
    }
    option.value = value.type == flat::Type::boolean ? (*number != 0.0 ? "on" : "off") : number_text(*number);
  }
  model_.experiment.options.push_back(std::move(option));
}

std::optional<Elaborator::GivenDerivative> Elaborator::read_derivative(const Class& function,
                                                                       const Modification& annotation) {
  GivenDerivative given;
  given.annotation = &annotation;
  given.order = 1;
  const bool is_new = seen_derivatives_.insert(&annotation).second;
  const auto written = [this](ExpressionId name) {
    std::string text;
    for (const NamePart& part : ast_.name_parts(name)) {
      text += (text.empty() ? "" : ".") + std::string(ast_.text(part.name));
    }
    return text;
  };
  const auto refuse = [&](DiagnosticCode code, std::string message, SourceSpan span) {
    if (is_new) {
      error(code, std::move(message), span);
    }
    return std::nullopt;
  };
  const auto symbol_of = [this](ExpressionId name) {
    const auto parts = ast_.name_parts(name);
    return parts.size() == 1 ? parts[0].name : joined_symbol(parts);
  };
  for (const Modification& item : ast_[annotation.nested]) {
    const std::string_view name = ast_.text(item.name);
    const bool is_number = item.value.valid() && ast_[item.value].kind == ExpressionKind::integer;
    const bool is_name = item.value.valid() && ast_[item.value].kind == ExpressionKind::name;
    if (name == "order" && is_number) {
      const Value order = lower(item.value);
      given.order = order.failed ? 0 : static_cast<int>(order.scalar.number);
      if (given.order < 1) {
        return refuse(kWrongAnnotation, "the order of a derivative is 1 or more", item.span);
      }
      if (given.order > kHighestGivenOrder && is_new) {
        diagnostics_.warning(
            kUnknownAnnotation,
            fmt::format("a derivative of order {} is not used: those of functions are taken up to order {}",
                        given.order, kHighestGivenOrder),
            annotation.span);
      }
    } else if ((name == "zeroDerivative" || name == "noDerivative") && is_name) {
      const Symbol input = symbol_of(item.value);
      bool is_input = false;
      for (const Component& component : function.components) {
        is_input = is_input || (component.causality == CausalityPrefix::input && component.name == input);
      }
      if (!is_input) {
        return refuse(kWrongAnnotation,
                      fmt::format("{} has no input '{}'", quoted(function.name), written(item.value)),
                      item.span);
      }
      (name == "noDerivative" ? given.not_moving : given.resting).push_back(input);
    } else {
      return refuse(kWrongAnnotation,
                    fmt::format("'derivative' has no '{}' of this form: order = 2, zeroDerivative = x and "
                                "noDerivative = x are known",
                                name),
                    item.span);
    }
  }
  if (!annotation.value.valid() || ast_[annotation.value].kind != ExpressionKind::name) {
    return refuse(kWrongAnnotation, "'derivative' needs the name of a function", annotation.span);
  }
  const Symbol name = symbol_of(annotation.value);
  const std::uint32_t entity = name.valid() ? entity_of_symbol_[name.index()] : kNoEntity;
  if (entity == kNoEntity || entities_[entity].kind != Entity::Kind::function) {
    return refuse(kUnknownFunction,
                  fmt::format("there is no function '{}', the derivative of {}", written(annotation.value),
                              quoted(function.name)),
                  span_of(annotation.value));
  }
  given.function = &ast_.classes[entities_[entity].class_index];
  return given;
}

/// The first derivative of this order whose conditions hold (Modelica 12.7.1).
std::optional<Elaborator::GivenDerivative> Elaborator::find_derivative(
    const Class& function, int order, const std::vector<FunctionInput>& inputs) {
  for (const Modification& annotation : function.annotations) {
    if (ast_.text(annotation.name) != "derivative") {
      continue;
    }
    std::optional<GivenDerivative> given = read_derivative(function, annotation);
    if (!given || given->order != order) {
      continue;
    }
    bool holds = true;
    for (const FunctionInput& input : inputs) {
      const bool rests = std::find(given->resting.begin(), given->resting.end(), input.component->name) !=
                         given->resting.end();
      holds = holds && (!rests || variability(input.value) != flat::NodeVariability::continuous);
    }
    if (holds) {
      given->resting.insert(given->resting.end(), given->not_moving.begin(), given->not_moving.end());
      return given;
    }
  }
  return std::nullopt;
}

/// Whether the derivative function takes the inputs of `function` and a derivative of each one of `moving`, and returns one number for each of the
/// Real outputs; if not, what it must look like is reported.
bool Elaborator::fits_derivative(const Class& function, const GivenDerivative& given,
                                 const std::vector<Symbol>& moving) {
  const auto refuse = [&](const std::string& what) {
    error(kWrongAnnotation,
          fmt::format("{} cannot be the derivative of {}: {}", quoted(given.function->name),
                      quoted(function.name), what),
          given.annotation->span, "Modelica 12.7.1: the inputs of the function, then the derivative of each");
    return false;
  };
  std::vector<const Component*> inputs;
  std::size_t n_outputs = 0;
  for (const Component& component : given.function->components) {
    if (component.causality == CausalityPrefix::input) {
      inputs.push_back(&component);
    }
    n_outputs += component.causality == CausalityPrefix::output ? 1 : 0;
  }
  std::size_t place = 0;
  std::size_t n_real_outputs = 0;
  for (const Component& component : function.components) {
    const ResolvedType type = resolve_type(component.type, component.type_span);
    if (type.failed) {
      return false;
    }
    n_real_outputs += component.causality == CausalityPrefix::output && type.type == flat::Type::real ? 1 : 0;
    if (component.causality != CausalityPrefix::input) {
      continue;
    }
    if (place >= inputs.size() || inputs[place]->name != component.name) {
      return refuse(fmt::format("its input {} must be {}", place + 1, quoted(component.name)));
    }
    ++place;
  }
  for (const Symbol name : moving) {
    if (place >= inputs.size()) {
      return refuse(fmt::format("an input with the derivative of {} is missing", quoted(name)));
    }
    const ResolvedType type = resolve_type(inputs[place]->type, inputs[place]->type_span);
    if (type.failed || type.type != flat::Type::real) {
      return type.failed ? false
                         : refuse(fmt::format("its input {} must be Real, the derivative of {}",
                                              quoted(inputs[place]->name), quoted(name)));
    }
    ++place;
  }
  if (place != inputs.size()) {
    return refuse(fmt::format("it has an input {} more", quoted(inputs[place]->name)));
  }
  if (n_outputs != n_real_outputs) {
    return refuse(
        fmt::format("it has {} output{}, not {}", n_outputs, n_outputs == 1 ? "" : "s", n_real_outputs));
  }
  return true;
}

}  // namespace saltus::lang
