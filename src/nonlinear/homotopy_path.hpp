/// Equations whose matrix is singular where the search begins: the path of a homotopy from an easy problem, past its turning points.
///
/// Problem      r(z) = 0 from z₀, where ∂r/∂z may be singular (x·|x| = -5 from 0) and Newton's direction says nothing
/// Method       H(z, λ) = λ·r(z) + (1 - λ)·M·(z - z₀), M regular: at λ = 0 the solution is z₀, at λ = 1 it is one of r. The curve H = 0
///              is followed by its length, not by λ, with a tangent as predictor and Newton's method orthogonal to it as corrector
///              [AG90] 2-3, so that it may turn back in λ. With M = ∂r/∂z at a point beside z₀ the curve does not change when equations
///              are scaled or combined.
/// Notation     h: length of a step.  distance: of z from z₀, in sizes of the unknowns
/// Contract     A Problem has
///                bool find_tangent()                  at the point, along the last one (the first: λ grows); false: it is not unique
///                void predict(double h)               trial := point + h·tangent
///                std::optional<double> correct()      one correction of the trial, its size; none: no value, or no correction
///                double lambda(), distance()          of the trial
///                bool finish()                        solves r = 0 from where the step passes λ = 1; false: it does not
///                void accept()                        point := trial
///              Nothing is allocated here. `arrived` means that finish() has solved the equations: the path itself proves nothing.
/// Choices      Steps are doubled when two corrections suffice, and halved when corrections do not shrink or turn the step by more than
///              kMostTurn: a step that is too long would land on another curve. λ < 0 has no solutions on the curve from z₀ (at
///              λ = 0 there is one): such a trial lies on another curve, too.
/// Fails when   the curve goes to infinity (away: equations without a solution end here), leaves where r has values (no_value), loses
///              its tangent or takes too many steps
/// Cost         for each step two to five matrices of order n + 1
/// Checked by   tests/unit/nonlinear/homotopy_path_test.cpp
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

namespace saltus::nonlinear {

enum class HomotopyEnd : std::uint8_t { arrived, no_value, no_tangent, away, too_many_steps };

struct HomotopyPolicy {
  int most_steps = 400;
  double first_step = 0.1;
  double smallest_step = 1e-12;  ///< beside 1 + distance
  double farthest = 1e12;  ///< in sizes of the unknowns: nothing in a model is so far from its nominal value
  double is_corrected = 1e-3;  ///< a correction, beside h: the end of the path is solved for by itself
  double most_turn = 0.5;      ///< corrections together, beside h: an angle of 27 degrees
  int most_corrections = 5;
  int few_corrections = 2;
};

/// Whether the trial comes back to the curve.
template <class Problem>
[[nodiscard]] bool correct_trial(Problem& problem, const HomotopyPolicy& policy, double h, int& n) {
  double before = std::numeric_limits<double>::infinity();
  double way = 0.0;
  for (n = 1; n <= policy.most_corrections; ++n) {
    const std::optional<double> size = problem.correct();
    way += size.value_or(0.0);
    if (!size || !(*size <= 0.5 * before) || !(way <= policy.most_turn * h)) {
      return false;
    }
    if (*size <= policy.is_corrected * h) {
      return true;
    }
    before = *size;
  }
  return false;
}

/// `n_steps` counts on.
template <class Problem>
[[nodiscard]] HomotopyEnd follow_homotopy(Problem& problem, const HomotopyPolicy& policy, int& n_steps) {
  double h = policy.first_step;
  for (const int last = n_steps + policy.most_steps; n_steps < last; ++n_steps) {
    if (!problem.find_tangent()) {
      return HomotopyEnd::no_tangent;
    }
    bool has_moved = false;
    while (!has_moved) {
      problem.predict(h);
      const double smallest = policy.smallest_step * (1.0 + problem.distance());
      int n_corrections = 0;
      has_moved = correct_trial(problem, policy, h, n_corrections) && problem.lambda() >= 0.0;
      if (has_moved && problem.lambda() >= 1.0) {
        if (problem.finish()) {
          return HomotopyEnd::arrived;
        }
        has_moved = false;
      }
      if (!has_moved) {
        h *= 0.5;
      } else if (n_corrections <= policy.few_corrections) {
        h *= 2.0;
      }
      if (!has_moved && !(h >= smallest)) {
        return HomotopyEnd::no_value;
      }
    }
    if (!(problem.distance() <= policy.farthest)) {
      return HomotopyEnd::away;
    }
    problem.accept();
  }
  return HomotopyEnd::too_many_steps;
}

}  // namespace saltus::nonlinear
