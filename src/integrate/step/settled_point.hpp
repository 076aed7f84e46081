/// Problem      a point (t, y, ẏ) of an extension, y moved to where r(t, y, ẏ) = 0 in components that follow the equations at once
/// Method       simplified Newton iterations in y with the matrix that the step has, α/h B + A. Where x is integrated, B outweighs A and
///              they do not converge: such components are known by that and stay as they are.
/// Notation     d = (α/h B + A)⁻¹ r, the filtered defect
/// Contract     The point stands in the system, which is factorised, and is changed. No allocation.
/// Choices      A component counts as settling if an iteration leaves at most half of its d. With two iterations an event whose
///              slope is right to ε has a state from which ẋ follows to about ε, however stiff the component is: the decision
///              where a guard goes on needs that. A step cannot give it: rates are λ times the error of x.
/// Fails when   r cannot be evaluated: nothing is moved
/// Cost         three residuals and solves
/// Checked by   tests/unit/integrate/settled_point_test.cpp
#pragma once

#include <span>
#include <vector>

#include "base/archive.hpp"
#include "integrate/step/implicit_system.hpp"

namespace saltus::integrate {

/// Vectors of n_y() numbers.
struct SettlingRoom {
  std::span<double> last, next;
  std::span<double> change;  ///< out: what is to be taken from y
};

/// False: nothing settles at this point, or r has no value.
[[nodiscard]] bool settle_point(ImplicitSystem& system, double t, const SettlingRoom& room);

/// Whether a move by `change` tolerances at θ is worth it, and may be the error of an extension that is right at the start of the step:
/// |e(θ)| ≤ 2 n² θ max |e| for polynomials of degree n (Markov). What is more, shortly after the start, comes from an error of the slope.
[[nodiscard]] bool is_worth_moving(double change, double theta);

/// An extension moved at one θ, by a straight line that begins at the start of the step: between them it moves by no more than there, and
/// what lies beyond an event is not used. The slope of the line is not that of the solution: what is moved next is found from the
/// extension as it was.
class MovedExtension {
 public:
  explicit MovedExtension(Index n_states) : slope_(static_cast<std::size_t>(n_states)) {}

  /// The extension was made anew.
  void forget() { is_known_ = false; }
  /// Takes back the last move. `slope`: the first power of the extension.
  void restore(std::span<double> slope);
  static void move(double theta, std::span<const double> change, std::span<double> slope);

  void fields(Archive& a) { a(slope_, is_known_); }

 private:
  std::vector<double> slope_;
  bool is_known_ = false;
};

}  // namespace saltus::integrate
