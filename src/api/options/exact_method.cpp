#include "api/options/exact_method.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "api/model/diagnostic_codes.hpp"
#include "flat/constant_linear.hpp"
#include "flat/expression_printer.hpp"
#include "integrate/exact/exact_flow.hpp"
#include "program/guards/parameter_values.hpp"

namespace saltus::api {
namespace {

std::string text_of_equation(const flat::Model& model, const flat::Equation& equation) {
  flat::ExpressionPrinter printer(model, flat::ExpressionPrinter::Form::readable);
  std::string text;
  printer.write(equation.left, false, text, true);
  text += " = ";
  printer.write(equation.right, false, text);
  return text;
}

void check_other_options(const RunSettings& settings, Diagnostics& problems) {
  if (settings.fixed_step > 0.0) {
    problems.error(kConflictingOptions, "the method 'exact' chooses its steps: leave out --step");
  }
  if (!settings.sensitivities.empty() || settings.error_estimate) {
    problems.error(kConflictingOptions,
                   "sensitivities and estimates of errors are not there for the method 'exact'");
  }
  for (const ModeSettings& mode : settings.modes) {
    if (mode.choice.method != settings.choice.method) {
      problems.error(kConflictingOptions,
                     fmt::format("the method 'exact' is that of a whole run, and mode '{}' asks for '{}'",
                                 mode.mode, mode.choice.method->name));
    }
  }
}

}  // namespace

ExactForm exact_form(const Instance& instance, const RunSettings& settings) {
  ExactForm form;
  const bool is_asked = settings.choice.method->is_exact();
  for (const ModeSettings& mode : settings.modes) {
    if (!is_asked && mode.choice.method->is_exact()) {
      form.problems.error(
          kConflictingOptions,
          fmt::format("the method 'exact' is that of a whole run, not of the mode '{}' alone", mode.mode));
    }
  }
  if (!is_asked) {
    return form;
  }
  check_other_options(settings, form.problems);
  if (instance.flat == nullptr) {
    form.problems.error(
        kNotLinear,
        "the method 'exact' needs equations: of C++ functions it is not known that they are linear");
    return form;
  }
  program::ParameterValues values(*instance.flat, instance.overrides);
  const std::size_t n_modes = std::max<std::size_t>(instance.flat->modes.size(), 1);
  for (std::size_t i = 0; i < n_modes; ++i) {
    const flat::ConstantLinear found =
        flat::constant_linear(*instance.flat, instance.flat->modes.empty() ? ModeId{} : ModeId(i),
                              [&](NodeId node) { return values.of(node); });
    if (found.other) {
      form.problems.error(
          kNotLinear,
          fmt::format(
              "the method 'exact' is for equations that are linear with constant coefficients between "
              "events, and forced by polynomials, exponentials and sines of time: this one is not: {}",
              text_of_equation(*instance.flat, *found.other)),
          found.other->span, "take another method");
      return form;
    }
    form.largest_step.push_back(found.rate > 0.0 ? integrate::ExactFlow::kMostTurning / found.rate
                                                 : std::numeric_limits<double>::infinity());
  }
  return form;
}

}  // namespace saltus::api
