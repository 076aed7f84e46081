#include "api/options/step_options.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "api/model/diagnostic_codes.hpp"
#include "api/model/fill_option.hpp"
#include "api/model/number_option.hpp"
#include "api/options/option_words.hpp"
#include "integrate/method_registry.hpp"

namespace saltus::api {
namespace {

constexpr Word<StepControl> kStepControl[] = {{"standard", StepControl::standard},
                                              {"compere", StepControl::compere}};
constexpr std::array<std::string_view, 3> kStepNames{"step-control", "step-exponent", "restart-step"};

void require_positive_number(Diagnostics& problems, const char* name, const std::optional<double>& value) {
  if (value && !(*value > 0.0 && std::isfinite(*value))) {
    problems.error(kWrongOptionValue, fmt::format("--{} must be a positive number, not {}", name, *value));
  }
}

// The control is that of embedded explicit pairs.
void check_controlled_method(Diagnostics& problems, const std::string& name) {
  const integrate::Method* method = integrate::find_method(name);
  if (method == nullptr || method->kind != integrate::Method::Kind::explicit_runge_kutta ||
      !method->has_error_estimate) {
    problems.error(kConflictingOptions,
                   "--step-control compere is for explicit methods that estimate their error", std::nullopt,
                   "add --method dopri5, fehlberg45, fehlberg78 or rk23");
  }
}

}  // namespace

std::span<const std::string_view> step_option_names() {
  return kStepNames;
}

std::optional<Diagnostics> set_step_option(SimulationOptions& options, std::string_view name,
                                           std::string_view value) {
  if (name == "step-control") {
    return set_word(options.step_control, kStepControl, name, value);
  }
  if (name == "step-exponent" || name == "restart-step") {
    std::optional<double>& field = name == "step-exponent" ? options.step_exponent : options.restart_step;
    field = parse_number(value);
    return field ? Diagnostics{} : wrong_value(name, value, "a number");
  }
  return std::nullopt;
}

void check_step_options(Diagnostics& problems, const SimulationOptions& options) {
  require_positive_number(problems, "step-exponent", options.step_exponent);
  require_positive_number(problems, "restart-step", options.restart_step);
  const bool is_compere = options.step_control == StepControl::compere;
  if (options.step && (is_compere || options.restart_step)) {
    problems.error(kConflictingOptions, "a fixed --step leaves nothing to --step-control and --restart-step");
    return;
  }
  if (options.step_exponent && !is_compere) {
    problems.warning(kOptionWithoutEffect, "--step-exponent has no effect without --step-control compere");
  }
  if (!is_compere) {
    return;
  }
  check_controlled_method(problems, options.method);
  for (const ModeOptions& mode : options.modes) {
    if (!mode.method.empty()) {
      check_controlled_method(problems, mode.method);
    }
  }
  if (options.atol || !options.atol_of.empty()) {
    problems.warning(kOptionWithoutEffect,
                     "--atol has no effect on steps with --step-control compere, whose norm is "
                     "rtol*max(|x|, 1)");
  }
}

void fill_step_options(SimulationOptions& options, const SimulationOptions& annotated) {
  fill(options.step_control, annotated.step_control);
  fill(options.step_exponent, annotated.step_exponent);
  fill(options.restart_step, annotated.restart_step);
}

}  // namespace saltus::api
