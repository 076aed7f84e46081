#include "api/options/bound_options.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "api/model/diagnostic_codes.hpp"
#include "base/similar_name.hpp"

namespace saltus::api {
namespace {

std::string trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) {
    return {};
  }
  return std::string(text.substr(first, text.find_last_not_of(" \t") - first + 1));
}

bool is_meant(std::string_view name, std::string_view variable) {
  return variable.substr(0, name.size()) == name &&
         (variable.size() == name.size() || variable[name.size()] == '[');
}

double tolerance_of(const RunSettings& settings, const VariableInfo& variable) {
  double tolerance = settings.atol.value_or(settings.tolerance * variable.nominal);
  for (const NamedValue& item : settings.atol_of) {
    tolerance = item.name == variable.name ? item.value : tolerance;
  }
  return tolerance;
}

}  // namespace

std::vector<std::string> split_names(std::string_view text) {
  std::vector<std::string> names;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    depth += text[i] == '[' ? 1 : text[i] == ']' ? -1 : 0;
    if (text[i] == ',' && depth <= 0) {
      names.push_back(trimmed(text.substr(begin, i - begin)));
      begin = i + 1;
    }
  }
  names.push_back(trimmed(text.substr(begin)));
  return names;
}

Diagnostics check_nonnegative(const std::vector<std::string>& names,
                              const std::vector<VariableInfo>& variables) {
  Diagnostics problems;
  for (const std::string& name : names) {
    const bool is_known =
        !name.empty() && std::any_of(variables.begin(), variables.end(),
                                     [&](const VariableInfo& item) { return is_meant(name, item.name); });
    if (!is_known) {
      std::vector<std::string_view> candidates;
      for (const VariableInfo& variable : variables) {
        candidates.push_back(variable.name);
      }
      problems.error(kUnknownBoundName, fmt::format("--nonnegative: the model has no variable '{}'", name),
                     std::nullopt, did_you_mean(name, candidates));
    }
  }
  return problems;
}

std::vector<hybrid::Bound> bounds_of(const RunSettings& settings,
                                     const std::vector<VariableInfo>& variables) {
  std::vector<hybrid::Bound> bounds;
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const bool is_bounded =
        std::any_of(settings.nonnegative.begin(), settings.nonnegative.end(),
                    [&](const std::string& name) { return is_meant(name, variables[i].name); });
    if (is_bounded) {
      bounds.push_back({variables[i].name, static_cast<Index>(i), tolerance_of(settings, variables[i])});
    }
  }
  return bounds;
}

}  // namespace saltus::api
