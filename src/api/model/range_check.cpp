#include "api/model/range_check.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "api/model/diagnostic_codes.hpp"
#include "flat/columns.hpp"
#include "saltus/model.hpp"

namespace saltus::api {
namespace {

// A model that leaves its ranges everywhere is not understood better by a thousand lines.
constexpr std::size_t kMaxWarnings = 20;

Range range_of(const std::optional<NodeId>& minimum, const std::optional<NodeId>& maximum,
               program::ParameterValues& values) {
  Range range;
  if (minimum) {
    range.minimum = values.of(*minimum).value_or(range.minimum);
  }
  if (maximum) {
    range.maximum = values.of(*maximum).value_or(range.maximum);
  }
  return range;
}

std::string limit_text(const Range& range, double value) {
  return value < range.minimum ? fmt::format("below its minimum of {}", range.minimum)
                               : fmt::format("above its maximum of {}", range.maximum);
}

}  // namespace

std::vector<VariableRange> variable_ranges(const flat::Model& model, program::ParameterValues& values) {
  std::vector<VariableRange> ranges;
  const std::vector<std::size_t> columns = flat::columns_of_variables(model);
  for (std::size_t i = 0; i < model.variables.size(); ++i) {
    const flat::Variable& variable = model.variables[i];
    if (variable.minimum || variable.maximum) {
      ranges.push_back({columns[i], range_of(variable.minimum, variable.maximum, values), variable.span});
    }
  }
  return ranges;
}

Diagnostics check_parameter_ranges(const flat::Model& model, program::ParameterValues& values) {
  Diagnostics warnings(model.source);
  std::size_t n_found = 0;
  for (std::size_t i = 0; i < model.parameters.size(); ++i) {
    const flat::Parameter& parameter = model.parameters[i];
    const std::optional<double> value = values.of(ParameterId(i));
    const Range range = range_of(parameter.minimum, parameter.maximum, values);
    if (value && range.excludes(*value) && ++n_found <= kMaxWarnings) {
      warnings.warning(
          kOutOfRange,
          fmt::format("the parameter '{}' is {}, {}", parameter.name, *value, limit_text(range, *value)),
          parameter.span);
    }
  }
  if (n_found > kMaxWarnings) {
    warnings.warning(kOutOfRange,
                     fmt::format("{} more parameters are outside of min and max", n_found - kMaxWarnings));
  }
  return warnings;
}

// The others are those that are watched.
void RangeCheck::fields(Archive& a) {
  std::uint64_t n_left = violations_.size();
  a(n_left);
  for (std::uint64_t k = 0; k < n_left && a.ok(); ++k) {
    Violation violation = k < violations_.size() ? violations_[k] : Violation{};
    std::size_t variable = violation.where.variable;
    a(variable, violation.time, violation.value);
    if (k < violations_.size()) {
      continue;
    }
    const auto watched =
        std::find_if(watched_.begin(), watched_.end(),
                     [variable](const VariableRange& range) { return range.variable == variable; });
    if (watched == watched_.end()) {
      a.refuse("ranges of variables do not fit");
      return;
    }
    violation.where = *watched;
    violations_.push_back(violation);
    watched_.erase(watched);
  }
}

void RangeCheck::look_at(const OutputRows& rows) {
  if (watched_.empty()) {
    return;
  }
  const auto has_left = [&](const VariableRange& item) {
    for (std::size_t k = 0; k < rows.times.size(); ++k) {
      const double value = rows.value(k, item.variable);
      if (item.range.excludes(value)) {
        violations_.push_back({item, rows.times[k], value});
        return true;
      }
    }
    return false;
  };
  watched_.erase(std::remove_if(watched_.begin(), watched_.end(), has_left), watched_.end());
}

Diagnostics RangeCheck::warnings(std::shared_ptr<const SourceText> source,
                                 const std::vector<VariableInfo>& variables) const {
  std::vector<Violation> sorted = violations_;
  std::sort(sorted.begin(), sorted.end(),
            [](const Violation& a, const Violation& b) { return a.where.variable < b.where.variable; });
  Diagnostics warnings(std::move(source));
  for (std::size_t i = 0; i < std::min(sorted.size(), kMaxWarnings); ++i) {
    const auto& [where, time, value] = sorted[i];
    warnings.warning(kOutOfRange,
                     fmt::format("'{}' is {} at time {}, {}", variables[where.variable].name, value, time,
                                 limit_text(where.range, value)),
                     where.span);
  }
  if (sorted.size() > kMaxWarnings) {
    warnings.warning(kOutOfRange, fmt::format("{} more variables left the range of min and max",
                                              sorted.size() - kMaxWarnings));
  }
  return warnings;
}

}  // namespace saltus::api
