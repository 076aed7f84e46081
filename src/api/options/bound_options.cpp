#include "api/options/bound_options.hpp"

#include <fmt/format.h>

#include "api/model/diagnostic_codes.hpp"
#include "api/options/variable_names.hpp"

namespace saltus::api {
namespace {

double tolerance_of(const RunSettings& settings, const VariableInfo& variable) {
  double tolerance = settings.atol.value_or(settings.tolerance * variable.nominal);
  for (const NamedValue& item : settings.atol_of) {
    tolerance = item.name == variable.name ? item.value : tolerance;
  }
  return tolerance;
}

}  // namespace

Diagnostics check_variable_names(const RunSettings& settings, const std::vector<VariableInfo>& variables) {
  Diagnostics problems;
  const auto check = [&](const std::vector<std::string>& names, const DiagnosticCode& code,
                         std::string_view option) {
    for (const std::string& name : names) {
      if (variables_meant(name, variables).empty()) {
        problems.error(code, fmt::format("--{}: the model has no variable '{}'", option, name), std::nullopt,
                       similar_variable(name, variables));
      }
    }
  };
  check(settings.nonnegative, kUnknownBoundName, "nonnegative");
  check(settings.invariants, kUnknownInvariant, "invariant");
  return problems;
}

std::vector<hybrid::Bound> bounds_of(const RunSettings& settings,
                                     const std::vector<VariableInfo>& variables) {
  std::vector<bool> is_bounded(variables.size());
  for (const std::string& name : settings.nonnegative) {
    for (const std::size_t place : variables_meant(name, variables)) {
      is_bounded[place] = true;
    }
  }
  std::vector<hybrid::Bound> bounds;
  for (std::size_t i = 0; i < variables.size(); ++i) {
    if (is_bounded[i]) {
      bounds.push_back({variables[i].name, static_cast<Index>(i), tolerance_of(settings, variables[i])});
    }
  }
  return bounds;
}

}  // namespace saltus::api
