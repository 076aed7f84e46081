/// The step of a least-squares iteration within bounds.
///
/// Problem      min ½‖R·p + c‖² + ½μ‖D·p‖² over lower ≤ p ≤ upper, where lower ≤ 0 ≤ upper; D diagonal and positive, μ ≥ 0
/// Method       active sets ([BVLS]: P. B. Stark, R. L. Parker, Comput. Stat. 10, 1995): the minimum over the components that are free, towards it as
///              far as bounds allow, then what stopped is held; at a minimum the component that its bound hinders most is let go
/// Contract     p is within its bounds, and no worse than p = 0. Components whose bound would be left stand on it to the last bit. For μ = 0 and
///              an R without full rank: of the minima over the free components the one with the least ‖D·p‖; what counts as zero rank is
///              `least_pivot`, relative to the largest.
/// Choices      the problem is solved and not its path clipped: a clipped step need not go down.
/// Cost         a decomposition of 2n × n for each set, usually one to n
/// Checked by   tests/unit/api_fit/box_step_test.cpp
#pragma once

#include <vector>

#include "linalg/triangular_factor.hpp"

namespace saltus::api {

struct BoxProblem {
  const linalg::TriangularFactor& factor;  ///< R and c
  const std::vector<double>& scale;        ///< D
  std::vector<double> lower;
  std::vector<double> upper;
  double damping = 0.0;  ///< μ
  double least_pivot = 0.0;
};

struct BoxStep {
  std::vector<double> p;
  std::vector<char> is_held;  ///< by a bound
  double length = 0.0;        ///< ‖R·p‖
  double left = 0.0;          ///< ‖R·p + c‖², without what no p changes
};

[[nodiscard]] BoxStep box_step(const BoxProblem& problem);

}  // namespace saltus::api
