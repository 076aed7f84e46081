/// Complementarity in a box where F is not affine: linearised and solved again at each answer.
///
/// Problem      s ∈ [-1, 1]ᵏ with, for every i, Fᵢ(s) = 0 where |sᵢ| < 1, Fᵢ ≥ 0 where sᵢ = +1, Fᵢ ≤ 0 where sᵢ = -1
/// Method       Josephy and Newton [FP03] 7.3: M·s + q is F linearised at the answer before, its problem is solved by Lemke's method
///              (lemke.hpp); shorter steps where the full one does not come nearer
/// Contract     A Problem has
///                bool linearize()            M and q at s
///                bool solve_affine()         their answer beside s; false: there is none
///                bool go(double share)       s := s₀ + share·(answer - s₀), s₀ the s of linearize(), and F there
///                double violation()          how far F at s is from solving the problem, in units of what s does: 0 solves it
///              linearize() and go() are false where F cannot be evaluated. Nothing is allocated here.
/// Choices      steps are halved down to shortest_share; at 1/2 and above none is, where F is affine but for small terms
/// Fails when   F cannot be evaluated (failed), an affine problem has no answer (no_answer), most_steps are used up (not_solved)
/// Used by      slide/decide: rates of guards, guards that jump with their own sides
/// Checked by   tests/unit/nonlinear/box_newton_test.cpp
#pragma once

#include <cstdint>
#include <limits>

namespace saltus::nonlinear {

struct BoxPolicy {
  int most_steps = 40;
  double solved = 1e-7;         ///< a violation this small is none
  double shortest_share = 0.5;  ///< shares at or below this are not tried

  [[nodiscard]] bool damps() const { return shortest_share < 0.5; }
};

enum class BoxEnd : std::uint8_t { solved, no_answer, not_solved, failed };

template <class Problem>
[[nodiscard]] BoxEnd box_newton(Problem& problem, const BoxPolicy& policy) {
  for (int step = 0; step < policy.most_steps; ++step) {
    if (!problem.linearize()) {
      return BoxEnd::failed;
    }
    const double before = policy.damps() ? problem.violation() : std::numeric_limits<double>::infinity();
    if (before <= policy.solved) {
      return BoxEnd::solved;
    }
    if (!problem.solve_affine()) {
      return BoxEnd::no_answer;
    }
    double after = before;
    for (double share = 1.0; share > policy.shortest_share; share *= 0.5) {
      if (!problem.go(share)) {
        return BoxEnd::failed;
      }
      after = problem.violation();
      if (after < before) {
        break;
      }
    }
    if (after <= policy.solved) {
      return BoxEnd::solved;
    }
  }
  return BoxEnd::not_solved;
}

}  // namespace saltus::nonlinear
