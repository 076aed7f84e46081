/// How long the parts of a step of the run are in which its variational or adjoint equation is solved.
#pragma once

#include <algorithm>
#include <cmath>

namespace saltus::sensitivity {

// Step control: the usual safety and bounds [HNW93] II.4.
inline constexpr double kFlowSafety = 0.9;
inline constexpr double kMostShrink = 0.2;
inline constexpr double kMostGrowth = 5.0;
// Of a step of the run: no shorter ones are needed, unless what is solved for has no bounds.
inline constexpr double kLeastPartOfStep = 1e-9;
// Orders of the estimates, plus one: of Dormand-Prince, and of Radau IIA.
inline constexpr double kExplicitExponent = 5.0;
inline constexpr double kImplicitExponent = 4.0;

/// Widths are parts of a step; `error` is in tolerances.
struct FlowControl {
  /// Of the next part, where `rest` is left: two of one length rather than a long one and a crumb.
  [[nodiscard]] static double width(double largest, double rest) {
    return largest >= rest ? rest : 2.0 * largest > rest ? 0.5 * rest : largest;
  }
  [[nodiscard]] static double factor(double error, double exponent) {
    return std::clamp(kFlowSafety * std::pow(std::max(error, 1e-10), -1.0 / exponent), kMostShrink,
                      kMostGrowth);
  }
  /// After a part that was too long.
  [[nodiscard]] static double shorter(double width, double error, double exponent) {
    return width * std::min(factor(error, exponent), kFlowSafety);
  }
  /// After one that was accepted: what was cut short at the end says little about longer ones.
  [[nodiscard]] static double next(double largest, double width, double error, double exponent) {
    const double wanted = width * factor(error, exponent);
    return std::min(1.0, width < largest ? std::max(largest, wanted) : wanted);
  }
};

}  // namespace saltus::sensitivity
