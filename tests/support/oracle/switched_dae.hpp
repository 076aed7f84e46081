/// A switched linear DAE as plain data: what random tests generate, the DAE oracle solves and model texts say.
///
///   E x' = A x + F w(t) in each mode,      w = (1, t, t², sin ωt, cos ωt),      transitions while c·x + e + f·t > 0
///
/// with x of one size in all modes. E, A and F come from the canonical form of Weierstraß, which is kept with them:
/// E = P·diag(I, N)·Q, A = P·diag(J, I)·Q, F = P·B. P, Q, J, N and B are short binary fractions, so E, A and F are exact
/// in a text, a double and a long double.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "support/oracle/switched_system.hpp"

namespace saltus::test::oracle {

inline constexpr std::size_t kForcings = 5;

/// x[target] ← before·x + forced·w(t), both with the values before the round.
struct DaeReset {
  std::size_t target = 0;
  Vector before;
  Vector forced;
};

struct DaeTransition {
  std::size_t target = 0;
  AffineFunction g;  ///< fires while g is positive
  std::vector<DaeReset> resets;
};

struct DaeMode {
  Matrix e;
  Matrix a;
  Matrix f;
  std::size_t d = 0;  ///< y = Q x: the first d satisfy y₁' = J y₁ + B₁ w, the others N y₂' = y₂ + B₂ w
  Matrix j;
  Matrix n;
  Matrix b;
  Matrix q_inverse;
  /// By variable: whether it is in a constraint that is differentiated twice and that the equations show as such. These
  /// variables find their values first when the mode is entered, as positions do before velocities.
  std::vector<bool> comes_first;
  std::vector<DaeTransition> transitions;

  /// Whether a derivative of x[i] is in the equations.
  [[nodiscard]] bool is_differential(std::size_t i) const;
};

struct SwitchedDae {
  Vector y0;  ///< y₁ of the first mode at time 0
  Vector
      start;  ///< x as the text gives it: that of y0, or one whose nearest consistent values are those of y0
  std::vector<DaeMode> modes;  ///< the first is initial
  Real omega = 1;
  Real stop = 1;
  bool is_fixed = false;  ///< whether the text fixes the start values
  Vector nominal;         ///< by variable; changes are measured in these
  std::size_t size = 0;

  [[nodiscard]] std::size_t n() const { return size; }
};

/// w(t)
[[nodiscard]] Vector forcings(Real omega, Real t);

/// The model as the language says it.
[[nodiscard]] std::string model_text(const SwitchedDae& system);
/// The same with parameters: `poly` and `wave`, 1, are factors of the polynomial and of the other forcings, in equations and resets; `omega`; `gM_K` is the
/// constant of the K-th guard of mode M.
[[nodiscard]] std::string model_text_with_parameters(const SwitchedDae& system);

}  // namespace saltus::test::oracle
