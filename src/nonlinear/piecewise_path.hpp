/// Equations with kinks, from far away: the path of the Newton homotopy through the pieces, one surface after the other.
///
/// Problem      r(z) = 0, r smooth on each piece and continuous across the surfaces gᵢ(z) = 0 that divide the pieces: ideal diodes, min and
///              max. Which piece the solution lies in is part of the problem, and of n surfaces there are up to 2ⁿ.
/// Method       piecewise-linear continuation [AG90] 15, for circuits [Kat65]: the curve r(z) = (1 - λ)·r(z₀) is a straight line in every
///              piece where r is affine. It is followed to the next surface, the side is changed, and it goes on into the piece behind it.
///              The tangent (dz, dλ) is the null vector of [A r], so that pieces in which A itself is singular (all diodes of a bridge block)
///              are passed like any other; λ may go back on the way. The homotopy is begun anew with the residual at each surface: the
///              same line where r is continuous, a step towards the solution of the new piece where it is not.
/// Notation     side sᵢ = ±1 of gᵢ;  piece: the set of z with sᵢ·gᵢ(z) ≥ 0
/// Contract     A Problem has
///                bool evaluate()                    r and g at z with the sides at hand; false: they have no value
///                bool is_solved() const             r is zero but for rounding
///                bool find_tangent(double& dlambda) dz of any length; false: the null vector is not unique
///                std::size_t n_guards() const;  double guard(i), slope(i) const     gᵢ and ∇gᵢ·dz, in units of a size of gᵢ
///                double side(i) const;  void change_side(i)
///                void advance(double tau)           z := z + τ·dz
///              Nothing is allocated here. Where it ends in `arrived`, z solves the equations of its sides, and gᵢ(z) has these sides or is
///              zero.
/// Choices      Where the path crosses an edge (two surfaces at once) it would branch: a problem begins at a point that no model singles out.
///              Smooth terms that are not affine make the end of a line miss: there the next line begins, which is Newton's method with
///              surfaces in between.
/// Fails when   the path goes to infinity (ray), comes to a piece where [A r] loses its rank, or has more pieces than are allowed: a value
///              says so. A problem without a solution has no path that arrives; one with a solution may be missed where r is
///              not monotone.
/// Checked by   tests/unit/nonlinear/piecewise_path_test.cpp
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace saltus::nonlinear {

enum class PathEnd : std::uint8_t { arrived, no_value, no_tangent, ray, too_many_pieces };

struct PathPolicy {
  std::size_t most_pieces = 1000;
  /// A guard this far beyond its surface, in units of its size, lies on the other side.
  double beyond = 1e-12;
};

template <class Problem>
[[nodiscard]] PathEnd follow_pieces(Problem& problem, const PathPolicy& policy) {
  constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
  std::size_t entered = kNone;  // the surface that the last line ended on
  for (std::size_t piece = 0; piece < policy.most_pieces; ++piece) {
    if (!problem.evaluate()) {
      return PathEnd::no_value;
    }
    // At the beginning, and where a guard itself has jumped, sides are those of the values.
    std::size_t wrong = kNone;
    for (std::size_t i = 0; i < problem.n_guards() && wrong == kNone; ++i) {
      if (i != entered && problem.side(i) * problem.guard(i) < -policy.beyond) {
        wrong = i;
      }
    }
    if (wrong != kNone) {
      problem.change_side(wrong);
      entered = kNone;
      continue;
    }
    if (problem.is_solved()) {
      return PathEnd::arrived;
    }
    double dlambda = 0.0;
    if (!problem.find_tangent(dlambda)) {
      return PathEnd::no_tangent;
    }
    const double way = entered != kNone ? problem.side(entered) * problem.slope(entered) : dlambda;
    const double sign = way < 0.0 ? -1.0 : 1.0;
    double tau = sign * dlambda > 0.0 ? 1.0 / std::abs(dlambda) : std::numeric_limits<double>::infinity();
    std::size_t next = kNone;
    for (std::size_t i = 0; i < problem.n_guards(); ++i) {
      const double rate = sign * problem.side(i) * problem.slope(i);
      if (i == entered || !(rate < 0.0)) {
        continue;
      }
      const double reached = std::max(0.0, problem.side(i) * problem.guard(i)) / -rate;
      if (reached < tau) {
        tau = reached;
        next = i;
      }
    }
    if (!std::isfinite(tau)) {
      return PathEnd::ray;
    }
    problem.advance(sign * tau);
    if (next != kNone) {
      problem.change_side(next);
    }
    entered = next;
  }
  return PathEnd::too_many_pieces;
}

}  // namespace saltus::nonlinear
