/// Where x goes at a transition that sets nothing: rule 5.11 of docs/semantics.md for linear DAEs with constant coefficients.
///
/// Problem      x⁻ does not meet the constraints of E x' = A x + F w, the mode that is entered.
/// Method       Integrated over the instant: E (x⁺ - x⁻) = A Λ with Λ of variables that stand in no derivative; all others are
///              bounded. With N the left null space of their columns of A the law is M (x⁺ - x⁻) = 0, M = N E. What the law keeps and
///              the constraints x = X₁ y₁ + X₂ w fix, rows α M with α M X₁ = 0, are positions: they move first, x⁻ → x̃, by the least
///              change in nominal values. Then M (x⁺ - x̃) = 0.
/// Contract     y₁ is determined: E X₁ η = A Λ with E Λ = 0 means (η, 0) = (0, ·) in the canonical form, hence η = 0.
#pragma once

#include "support/oracle/dae_oracle.hpp"

namespace saltus::test::oracle {

struct IntegratedJump {
  Vector moved;  ///< x̃
  Vector y;      ///< y₁ of the mode after it
};

/// From x at time t into the mode.
[[nodiscard]] IntegratedJump integrated_jump(const SwitchedDae& system, std::size_t mode, Real t,
                                             const Vector& x);

}  // namespace saltus::test::oracle
