// Models whose sensitivities exist, each with the parameters and start values asked for. What is right is found by differences of converged
// runs (difference_oracle.hpp); some have closed forms in closed_forms_test.cpp.
#pragma once

#include <string>
#include <vector>

namespace saltus::test {

struct SensitivityProblem {
  const char* name;
  const char* text;
  std::vector<std::string> parameters;
  double stop = 1.0;
  double start = 0.0;
};

/// Smooth: explicit, stiff, implicit, of higher index.
[[nodiscard]] const std::vector<SensitivityProblem>& smooth_problems();
/// With crossings, resets, clocks, held values.
[[nodiscard]] const std::vector<SensitivityProblem>& switching_problems();
/// With sliding, and with modes and structures that have other states.
[[nodiscard]] const std::vector<SensitivityProblem>& structural_problems();

}  // namespace saltus::test
