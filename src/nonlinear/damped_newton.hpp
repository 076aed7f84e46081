/// Equations from far away: damped corrections, each with the matrix of its own iterate. The room `nonlinear` holds the iterations that
/// the others share; a problem says what a correction is and how long, a policy when it is the last.
///
/// Problem      r(z) = 0; as many unknowns as rows (Newton) or any numbers of them (Gauss-Newton with steps of least change)
/// Method       z ← z + λd, d the correction at z; λ by the natural monotonicity test ‖d̄‖ ≤ (1 - κλ)‖d‖, d̄ the simplified correction: that
///              of the trial point with the matrix of z ([Deu04] 3.3, 4.3.4). It does not change when equations are scaled, so residuals of
///              any units may stand together
/// Notation     κ: NewtonPolicy::demand.  part: the largest change of an unknown beside its size.  length: ‖d‖ of the test
/// Contract     A Problem has
///                bool correct(CorrectionSize&)                  d at z; false: it has none, and the problem knows why
///                std::optional<double> try_step(double λ)       ‖d̄‖ at z + λd; none: r has no value there
///                double take_trial(double λ, double ‖d‖, double ‖d̄‖)   z := z + λd; the λ that the next step begins with
///                void take_correction(), take_simplified()      z := z + d; z := z + d̄
///              Nothing is allocated here. The same calls, the same bits.
/// Choices      Where only rounding is left (part ≤ noise) the test has nothing to compare: the full step is taken, shorter ones only where r
///              has no value.
/// Fails when   the correction fails (failed), no λ ≥ smallest_damping passes (no_damping), or most_steps are used up: what each means is the
///              caller's to say, for Gauss-Newton no_damping is where it comes to rest
/// Used by      program/blocks/block_solver.hpp (square, LU; a singular matrix ends it), reduce/nonlinear/damped_gauss_newton.hpp (any rank)
/// Other loops  kept_newton.hpp: kept matrices. box_newton.hpp: complementarity. What stays where it is: implicit steps (integrate/step/
///              newton_policy.hpp: rates of convergence are carried from step to step and choose its size); derivative arrays (reduce/ranks/
///              array_newton.hpp: damping and kept matrices answer each other, a failure first asks for a new matrix); locate's shift of a
///              root along a frozen slope; interval iterations (program/guards/krawczyk.hpp), which prove rather than approximate.
/// Checked by   tests/unit/nonlinear/damped_newton_test.cpp
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

namespace saltus::nonlinear {

struct NewtonPolicy {
  int most_steps = 100;
  double demand = 0.5;             ///< κ
  double smallest_damping = 1e-8;  ///< below it the direction, not the length of the step, is to blame
  double exact = 2.0 * std::numeric_limits<double>::epsilon();  ///< a part this small is rounding
  double noise = 0.0;        ///< corrections below this that do not halve any more are rounding
  double quadratic = 0.0;    ///< one this small, …
  double contraction = 0.0;  ///< … and at most this part of the one before, leaves less than rounding
  double left_behind = 0.0;  ///< what a simplified correction may leave as the last one; 0: it never is that
  bool takes_last = true;    ///< the correction that ends the iteration is applied

  [[nodiscard]] bool is_last(double part, double before) const {
    return part <= exact || (part <= quadratic && part <= contraction * before) ||
           (part <= noise && part > 0.5 * before);
  }
};

struct CorrectionSize {
  double part = 0.0;
  double length = 0.0;
};

enum class NewtonEnd : std::uint8_t { arrived, no_damping, too_many_steps, failed };

struct NewtonOutcome {
  NewtonEnd end = NewtonEnd::arrived;
  int n_steps = 0;
};

template <class Problem>
[[nodiscard]] NewtonOutcome damped_newton(Problem& problem, const NewtonPolicy& policy) {
  double first = 1.0;
  double before = std::numeric_limits<double>::infinity();
  for (int n = 0; n < policy.most_steps; ++n) {
    CorrectionSize size;
    if (!problem.correct(size)) {
      return {NewtonEnd::failed, n};
    }
    if (policy.is_last(size.part, before)) {
      if (policy.takes_last) {
        problem.take_correction();
      }
      return {NewtonEnd::arrived, n};
    }
    const bool is_noise = size.part <= policy.noise;
    double damping = is_noise ? 1.0 : first;
    std::optional<double> next;
    for (; damping >= policy.smallest_damping; damping *= 0.5) {
      next = problem.try_step(damping);
      if (next && (is_noise || *next <= (1.0 - policy.demand * damping) * size.length)) {
        break;
      }
    }
    if (!(damping >= policy.smallest_damping)) {
      return {NewtonEnd::no_damping, n};
    }
    const double following = problem.take_trial(damping, size.length, *next);
    first = is_noise ? first : following;
    // After it simplified corrections go on shrinking by ‖d̄‖/‖d‖, twice that where the matrix changes along the step.
    if (policy.left_behind > 0.0 && 2.0 * *next * *next <= policy.left_behind * size.length) {
      problem.take_simplified();
      return {NewtonEnd::arrived, n + 1};
    }
    before = size.part;
  }
  return {NewtonEnd::too_many_steps, policy.most_steps};
}

}  // namespace saltus::nonlinear
