/// Problem      when a simplified Newton iteration has converged, when it never will, and what to do about the step
/// Method       the rate of convergence is observed, θ_k = ‖Δ_k‖/‖Δ_(k-1)‖ (geometric mean of the last two), and the error
///              after k corrections is estimated by η‖Δ_k‖, η = θ/(1 - θ): [HW96] IV.8 (8.9)-(8.11)
/// Notation     Δ_k  correction of iteration k in a weighted norm in which 1 is the tolerance of the step
///              κ    part of the tolerance that the iteration may leave (`tolerance`)
/// Contract     begin_step() before the first system of equations of a step, begin() before the first iteration of each (a step
///              may have several, stage by stage); after(‖Δ_k‖) once per iteration, before Δ_k is added: with `converged` and
///              `go_on` it is to be added.
/// Choices      In the first iteration there is no rate: η of the system before, raised to 0.8, serves (RADAU5), but only where
///              a rate has been measured in this step. Otherwise a matrix with slopes that are far too large (a root near zero, √δ
///              with δ of rounding) makes every correction tiny, and states that solve nothing pass, step after step.
///              Corrections of the size of rounding need no rate.
///              In careful steps (the first one, and after failures) each system has two: its first correction makes up for
///              the prediction in the equations that are linear, and the first quotient says how fast those converge.
///              An iteration ends by the larger of the last quotient and the mean of two, and is given up by the mean, as soon as
///              it promises that κ is not reached within max_iterations; the failed rate says how much smaller the step must
///              be. Constants of RADAU5.
///              Fixed steps have no tolerance beside which the iteration may leave something: it goes on until corrections stop
///              shrinking (`least`), and every system measures its own rates (fixed_step_newton()).
/// Fails when   θ ≥ 0.99, or ‖Δ‖ is not finite: `diverges`; too slow: `too_slow`
/// Checked by   tests/unit/integrate/newton_policy_test.cpp
#pragma once

#include <cstdint>
#include <optional>

#include "base/archive.hpp"

namespace saltus::integrate {

/// Jacobians within one fixed step beside the first: the step cannot be made smaller.
inline constexpr int kMostRenewals = 8;

class NewtonConvergence {
 public:
  struct Options {
    int max_iterations = 7;
    double tolerance = 1e-3;  ///< κ
    int step_order = 4;       ///< the first error is expected to grow like h^step_order
    /// Iteration from which on a rate gives up. 3: where algebraic unknowns follow from derivatives, corrections shrink only in
    /// every other iteration, and the mean of two rates is the first to mean something.
    int judged_from = 2;
    double noise = 0.0;  ///< corrections up to this size may be rounding
    /// Corrections up to this size that shrink no more are rounding: the iteration has come as far as it can. 0: there are none.
    double least = 0.0;
  };
  enum class Verdict : std::uint8_t { converged, go_on, diverges, too_slow };

  explicit NewtonConvergence(const Options& options) : options_(options) {}

  /// Nothing is known any more about the rate: another system, another matrix.
  void forget();
  /// `is_careful`: nothing is known of how the iteration converges here.
  void begin_step(bool is_careful);
  /// `least_rate`: no iteration with this matrix converges faster, whatever others have shown.
  void begin(double least_rate = 0.0);
  [[nodiscard]] Verdict after(double correction_norm);

  [[nodiscard]] int iterations() const { return iterations_; }
  [[nodiscard]] int max_iterations() const { return options_.max_iterations; }
  [[nodiscard]] double tolerance() const { return options_.tolerance; }
  /// θ of the last iteration; 0 when the first one was enough.
  [[nodiscard]] double rate() const { return rate_; }
  /// The largest θ of the step; none where all corrections were of the size of rounding.
  [[nodiscard]] std::optional<double> step_rate() const {
    return has_rate_ ? std::optional(step_rate_) : std::nullopt;
  }
  /// After a failure: the factor by which the step should shrink.
  [[nodiscard]] double step_factor() const { return step_factor_; }

  void fields(Archive& a) {
    // Not saved: options_.
    a(is_careful_, rates_, iterations_, error_factor_, rate_, has_rate_, step_rate_, last_quotient_,
      last_norm_, step_factor_);
  }

 private:
  [[nodiscard]] Verdict judge_rate(double correction_norm);
  [[nodiscard]] bool may_end(double correction_norm) const;

  Options options_;
  bool is_careful_ = false;
  int rates_ = 0;  // measured in this step, in careful ones by this iteration
  int iterations_ = 0;
  double error_factor_ = 1.0;  // η
  double rate_ = 0.0;
  bool has_rate_ = false;  // in this step
  double step_rate_ = 0.0;
  double last_quotient_ = 0.0;
  double last_norm_ = 0.0;
  double step_factor_ = 1.0;
};

/// Part of the size of y to which the equations of fixed steps are solved: corrections in units of this.
inline constexpr double kFixedStepAccuracy = 1e-12;
/// The iteration of fixed steps, which ends at rounding: so orders are seen down to there.
[[nodiscard]] NewtonConvergence::Options fixed_step_newton(int step_order);

/// κ of RADAU5: a small part of the tolerance where that is loose, and never below what rounding allows. `gain`: how many times what is left of
/// the equations comes into the result, of which the same part is left.
[[nodiscard]] double newton_tolerance(double rtol, double gain = 1.0);
/// Size of corrections that may be rounding of y, where weights are rtol |y| or more.
[[nodiscard]] double newton_noise(double rtol);

/// When the Jacobian and the factorisation of the iteration matrix are made anew.
///
/// Method       A Jacobian is kept while the iteration with it converges fast (θ ≤ 0.001), and renewed when a step failed with
///              one that belongs to an earlier point. A factorisation is kept while Jacobian and h stay. [HW96] IV.8
class JacobianPolicy {
 public:
  struct Options {
    double fast_rate = 1e-3;  ///< RADAU5's THET: Jacobians are cheaper than iterations below about this rate
  };

  JacobianPolicy() = default;
  explicit JacobianPolicy(const Options& options) : options_(options) {}

  /// Another system or a jump: nothing can be kept. `is_constant`: from here to the next restart one Jacobian is enough.
  void restarted(bool is_constant);
  void jacobian_evaluated();
  void factorized(double h);
  void factorization_failed() { factorized_size_ = 0.0; }
  /// The point moves on: the Jacobian is that of an earlier one. Without a rate nothing is known of it: slopes that are far too large (the
  /// end of ẋ = -x^¼, where those behind are zero) make corrections of any error look like rounding.
  void step_accepted(std::optional<double> rate);
  /// By its error or its iteration: a Jacobian of an earlier point may be to blame.
  void step_failed();

  [[nodiscard]] bool needs_jacobian() const { return needs_jacobian_; }
  [[nodiscard]] bool needs_factorization(double h) const;
  /// Whether the Jacobian belongs to the accepted point.
  [[nodiscard]] bool is_current() const { return is_current_; }

  void fields(Archive& a) {
    // Not saved: options_.
    a(is_constant_, needs_jacobian_, is_current_, factorized_size_);
  }

 private:
  Options options_;
  bool is_constant_ = false;
  bool needs_jacobian_ = true;
  bool is_current_ = false;
  double factorized_size_ = 0.0;
};

}  // namespace saltus::integrate
