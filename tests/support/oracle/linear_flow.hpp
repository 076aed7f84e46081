/// Linear algebra of the oracle: the linear flow of a configuration, sliding included.
#pragma once

#include <optional>
#include <vector>

#include "support/oracle/switched_system.hpp"

namespace saltus::test::oracle {

/// The side of a surface: +1, -1, or slid on.
enum class Side : int { minus = -1, sliding = 0, plus = 1 };
[[nodiscard]] inline Real sign_of(Side side) {
  return static_cast<Real>(static_cast<int>(side));
}

/// A derivative or pivot below it decides nothing: the numbers of the systems are of order one.
inline constexpr Real kDirection = 1e-12L;

[[nodiscard]] Real dot(const Vector& a, const Vector& b);
[[nodiscard]] Vector times(const Matrix& a, const Vector& x);
[[nodiscard]] Matrix product(const Matrix& a, const Matrix& b);
/// Solves K X = R by Gaussian elimination with row pivoting; none if K is singular.
[[nodiscard]] std::optional<Matrix> solved(Matrix k, Matrix r);

/// ẋ = M x + q with the weights of the surfaces slid on, each w·x + w0.
struct Flow {
  Matrix m;
  Vector q;
  std::vector<std::size_t> sliding;
  Matrix w;
  Vector w0;

  [[nodiscard]] Vector field(const Vector& x) const;
};

/// None where the weights are not determined.
[[nodiscard]] std::optional<Flow> flow_of(const SwitchedSystem& system, std::size_t mode,
                                          const std::vector<Side>& sides);

/// Sign of the first total derivative of g along the flow that is not zero; 0 if the first three are.
[[nodiscard]] int direction(const AffineFunction& g, const Flow& flow, const Vector& x);

}  // namespace saltus::test::oracle
