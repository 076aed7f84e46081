/// Attributes min and max: values outside of them are told, once for each variable, and change nothing.
///
/// Contract   looks at the rows of output (the first and the last point of a run are rows). The limits themselves are
///            inside. A value that is not a number is no violation: it is reported where it arises.
/// Cost       two comparisons for each value of a variable that has a limit and has not left it yet.
/// Checked by tests/unit/api/range_test.cpp
#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <vector>

#include "base/archive.hpp"
#include "flat/model.hpp"
#include "program/guards/parameter_values.hpp"
#include "saltus/diagnostic.hpp"
#include "saltus/trajectory.hpp"

namespace saltus::api {

struct Range {
  double minimum = -std::numeric_limits<double>::infinity();
  double maximum = std::numeric_limits<double>::infinity();

  [[nodiscard]] bool excludes(double value) const { return value < minimum || value > maximum; }
};

/// A variable with at least one limit.
struct VariableRange {
  std::size_t variable = 0;
  Range range;
  SourceSpan span;  ///< of the declaration
};

[[nodiscard]] std::vector<VariableRange> variable_ranges(const flat::Model& model,
                                                         program::ParameterValues& values);

/// Warnings about parameters whose value lies outside of their own limits.
[[nodiscard]] Diagnostics check_parameter_ranges(const flat::Model& model, program::ParameterValues& values);

class RangeCheck {
 public:
  explicit RangeCheck(const std::vector<VariableRange>& ranges) : watched_(ranges) {}

  void look_at(const OutputRows& rows);

  /// What was found, in the order of the variables. A long list is cut.
  [[nodiscard]] Diagnostics warnings(std::shared_ptr<const SourceText> source,
                                     const std::vector<VariableInfo>& variables) const;

  void fields(Archive& a);

 private:
  struct Violation {
    VariableRange where;
    double time = 0.0;
    double value = 0.0;
  };

  std::vector<VariableRange> watched_;  // that have not left their range
  std::vector<Violation> violations_;
};

}  // namespace saltus::api
