/// Equations from far away: damped corrections, each with the matrix of its own iterate. The room `nonlinear` holds the iterations that
/// the others share; a problem says what a correction is and how long, a policy when it is the last.
///
/// Problem      r(z) = 0; as many unknowns as rows (Newton) or any numbers of them (Gauss-Newton with steps of least change)
/// Method       z ← z + λd, d the correction at z; λ by the natural monotonicity test ‖d̄‖ ≤ (1 - κλ)‖d‖, d̄ the simplified correction: that
///              of the trial point with the matrix of z ([Deu04] 3.3, 4.3.4). It does not change when equations are scaled, so residuals of
///              any units may stand together
/// Notation     κ: NewtonPolicy::demand.  part: the largest change of an unknown beside its size.  length: ‖d‖ of the test.
///              Θ: part beside that of the correction before
/// Contract     A Problem has
///                bool correct(CorrectionSize&)                  d at z; false: it has none, and the problem knows why
///                std::optional<double> try_step(double λ)       ‖d̄‖ at z + λd; none: r has no value there
///                double take_trial(double λ, double ‖d‖, double ‖d̄‖)   z := z + λd; the λ that the next step begins with
///                void take_correction(), take_simplified()      z := z + d; z := z + d̄
///                void keep(), return_to_kept()                  z is remembered; z is what was remembered
///              Nothing is allocated here. The same calls, the same bits.
/// Choices      A correction says what is left after it only together with Θ. Quadratic convergence: Θ² times itself. Linear convergence, at
///              a root of multiplicity m or one that looks so from afar (1e9·z² = 5e-9 from 1): Θ = 1 - 1/m, as much as itself and more,
///              so that corrections which shrink by half or by a third are no rounding however small they are. Rounding is what does
///              not shrink, or hardly does directly after fast convergence; after slow convergence only repeatedly (z³ = c³ from the
///              other side of 0 has a long step). An iteration that has been slow may have come from far above a
///              small solution, and what it leaves is small beside the nominal value only: it goes on until corrections are rounding.
///              Where only rounding is left (part ≤ noise) the test has nothing to compare: the full step is taken, shorter ones only where r
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
#include <utility>

namespace saltus::nonlinear {

/// Θ above which convergence is linear: at a double root it is 1/2.
inline constexpr double kSlow = 0.25;

/// So often corrections grow after slow convergence where they are rounding; past a point where the slope vanishes they do twice in a row.
inline constexpr int kGrowthsOfRounding = 4;

struct NewtonPolicy {
  int most_steps = 100;
  double demand = 0.5;             ///< κ
  double smallest_damping = 1e-8;  ///< below it the direction, not the length of the step, is to blame
  double exact = 2.0 * std::numeric_limits<double>::epsilon();  ///< a part this small is rounding
  double noise = 0.0;        ///< corrections below this that do not shrink any more are rounding
  double contraction = 0.0;  ///< the largest Θ that counts as fast convergence
  double left_behind =
      0.0;  ///< what a correction may leave as the last one; 0: only `exact` and `noise` end the iteration
  bool takes_last = true;  ///< the correction that ends the iteration is applied
};

/// How corrections shrink.
class NewtonTrend {
 public:
  explicit NewtonTrend(const NewtonPolicy& policy) : policy_(policy) {}

  /// Whether the next correction, of size `part`, is the last one.
  [[nodiscard]] bool is_last(double part) {
    const double rate = part / before_;
    const bool is_first = before_ == std::numeric_limits<double>::infinity();
    const bool was_fast =
        earlier_ < std::numeric_limits<double>::infinity() && before_ <= policy_.contraction * earlier_;
    n_growths_ += rate >= 1.0 && before_ <= policy_.noise ? 1 : 0;
    const bool does_not_shrink =
        (was_fast && rate > 0.5) || n_growths_ >= (has_been_slow_ ? kGrowthsOfRounding : 1);
    const bool is_rounding = part <= policy_.exact || (part <= policy_.noise && does_not_shrink);
    const bool is_fast = !is_first && rate <= policy_.contraction;
    const bool is_last = is_rounding || (is_fast && leaves_little(2.0 * rate * rate * part));
    has_been_slow_ = has_been_slow_ || rate > kSlow;
    earlier_ = std::exchange(before_, part);
    return is_last;
  }
  /// Of the corrections that may be rounding the last one is the smallest.
  [[nodiscard]] bool is_smallest() {
    const bool is_smaller = before_ <= policy_.noise && before_ < smallest_;
    smallest_ = is_smaller ? before_ : smallest_;
    return is_smaller;
  }
  /// Corrections have been small, and then grown.
  [[nodiscard]] bool has_met_rounding() const { return n_growths_ > 0; }
  /// Whether a correction after which this is expected may be the last one.
  [[nodiscard]] bool leaves_little(double left) const {
    return !has_been_slow_ && policy_.left_behind > 0.0 && left <= policy_.left_behind;
  }

 private:
  const NewtonPolicy& policy_;
  double before_ = std::numeric_limits<double>::infinity();  // the last correction …
  double earlier_ = before_;                                 // … and the one before it
  bool has_been_slow_ = false;
  double smallest_ = before_;
  int n_growths_ = 0;  // after corrections that may be rounding
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
  NewtonTrend trend(policy);
  // At a double root rounding may throw the iteration out again: where it was best is as near as numbers go.
  const auto ended = [&](NewtonEnd end, int n) {
    if (!trend.has_met_rounding()) {
      return NewtonOutcome{end, n};
    }
    problem.return_to_kept();
    return NewtonOutcome{NewtonEnd::arrived, n};
  };
  for (int n = 0; n < policy.most_steps; ++n) {
    CorrectionSize size;
    if (!problem.correct(size)) {
      return ended(NewtonEnd::failed, n);
    }
    if (trend.is_last(size.part)) {
      if (policy.takes_last) {
        problem.take_correction();
      }
      return {NewtonEnd::arrived, n};
    }
    if (trend.is_smallest()) {
      problem.keep();
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
      return ended(NewtonEnd::no_damping, n);
    }
    const double following = problem.take_trial(damping, size.length, *next);
    first = is_noise ? first : following;
    // After it simplified corrections go on shrinking by ‖d̄‖/‖d‖, twice that where the matrix changes along the step.
    if (trend.leaves_little(2.0 * *next * *next / size.length)) {
      problem.take_simplified();
      return {NewtonEnd::arrived, n + 1};
    }
  }
  return ended(NewtonEnd::too_many_steps, policy.most_steps);
}

}  // namespace saltus::nonlinear
