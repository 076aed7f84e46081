/// Problem      the size of the first step when nothing is known but f
/// Method       the plan of [HNW93] II.4 (algorithm for the starting step size): a first guess h₀ for which an Euler step
///              moves x by 1 % of its size, f once more at the end of that Euler step, and from it h₁ such that the local
///              error of the method is about 1 % of the tolerance; h = min(100 h₀, h₁, h_max)
/// Notation     d₀, d₁, d₂ = weighted norms of x, f, and of the difference of f over h₀;  q = embedded order + 1
/// Choices      h₁ = (0.01 / A)^(1/q) / λ with the rate λ = max(d₁/d₀, √(d₂/d₀), d₂/d₁) and the size A = d₀ (or d₁/λ
///              when x is near zero). The book takes (0.01 / max(d₁, d₂))^(1/q), whose units are right only when the
///              time scale of the problem is near one; here a model in nanoseconds starts like one in years, and scaling
///              time by a power of two changes no bit.
/// Fails when   the Euler step cannot be evaluated: h₀ is cut to a tenth, at most kMaxProbes times, then returned as it is
/// Cost         one evaluation of f
/// Checked by   tests/unit/integrate/initial_step_test.cpp
#pragma once

#include <span>

#include "integrate/step/stepper.hpp"

namespace saltus::integrate {

/// A magnitude ≤ h_max. `direction` is ±1; the stepper stands at the start; `scratch` holds 2 n_states numbers.
[[nodiscard]] double initial_step(Stepper& stepper, double direction, double h_max,
                                  std::span<double> scratch);

}  // namespace saltus::integrate
