/// Problem      how large an error vector e is, measured so that 1 is the tolerance
/// Method       weighted_rms:  √(1/n Σ (e_i / w_i)²),  w_i = atol_i + rtol·max(|x_i|, |x₁_i|)     [HNW93] (4.10), (4.11)
///              compere:       ‖e‖_∞ / (rtol·max(‖x‖_∞, 1)), x before the step                    [Com01] (5.8)
/// Contract     a norm that is not finite means that e or x₁ is not; n = 0 gives 0
/// Checked by   tests/unit/integrate/error_norm_test.cpp
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/ids.hpp"

namespace saltus::integrate {

enum class ErrorNorm : std::uint8_t { weighted_rms, compere };

/// The state that is the rate of another, up to its sign.
struct RateState {
  Index state = -1;  ///< -1: none is, as of velocities
  double sign = 1.0;
};

struct Tolerances {
  double rtol = 1e-6;
  std::vector<double> atol;  ///< one per state (absolute tolerance times the nominal value of the state)
  ErrorNorm norm = ErrorNorm::weighted_rms;
  bool test_error = true;               ///< false: every step that can be evaluated is good (fixed steps)
  std::vector<RateState> rate_of = {};  ///< one per state, for methods of motion (motion/rattle.hpp)
};

/// `x` before and `x_new` after the step.
[[nodiscard]] double error_norm(const Tolerances& tolerances, std::span<const double> x,
                                std::span<const double> x_new, std::span<const double> error);

/// √(1/n Σ (v_i / (atol_i + rtol |x_i|))²): the size of a vector beside the state x.
[[nodiscard]] double weighted_norm(const Tolerances& tolerances, std::span<const double> x,
                                   std::span<const double> v);

/// The state that contributes most to the norm; -1 when there is none.
[[nodiscard]] Index worst_state(const Tolerances& tolerances, std::span<const double> x,
                                std::span<const double> x_new, std::span<const double> error);

}  // namespace saltus::integrate
