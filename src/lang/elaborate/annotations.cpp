// annotation(experiment(...), __saltus(...)).

#include <fmt/format.h>

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

}  // namespace saltus::lang
