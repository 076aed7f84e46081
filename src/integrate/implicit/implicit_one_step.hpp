/// What implicit one-step methods for r(t, y, ẏ) = 0 have in common: everything but their stages.
///
/// Problem      one step of r(t, y, ẏ) = 0, index at most 1, y = (x, z), as a Stepper
/// Method       simplified Newton iterations with matrices kept by policy (newton_policy.hpp), result projected where the
///              evaluator projects, dense output of full order through the middle of the step
/// Notation     x the first n_states entries of y
/// Contract     Stepper. The accepted point is x; z and ẏ are kept beside it. The way that a projection moves the result counts
///              as error too. A method gives its own part by the functions of one_step_parts.hpp.
/// Choices      The standard extension is under error control: its filtered defect, with the factorisation that the step has, is
///              its distance from x where x follows the equations at once, and h times the error of its slope elsewhere. Steps
///              whose extension is off by more than the tolerance are rejected (docs/math/dense_output.md).
///              Full dense output: the polynomial of degree 5 through x and ẋ at both ends and in the middle, where these come
///              from a step of size h/2; so states at events have the order of the method. Filtered defects at three points
///              replace the slopes where x follows the equations at once. Just after a start off the smooth
///              solution of a stiff system, ẋ at the start belongs to a transient shorter than the step; it is then left
///              out.
///              Errors of z do not propagate, so the estimate is tested for x alone, and the iteration may leave in z the whole
///              tolerance where it leaves κ of it in x. More would be wasted where z balances derivatives (forces of constraints):
///              there it converges like δx/h.
///              Beside x of an accepted point stands z as the iteration left it. Where the next iteration fails, z is solved for
///              there, once: it does not come closer with smaller steps (ladders of diodes, whose error is spread over many states).
///              Without error test (fixed steps) the iteration goes on to kFixedStepAccuracy; where it does not converge, it goes on from
///              where it is with the Jacobian of that point, up to kMostRenewals times: a fixed step cannot be made smaller.
/// Fails when   an evaluation fails: evaluation_failed; the iteration does not converge or a matrix is singular:
///              iteration_failed, advice() says how much smaller the step should be
/// Checked by   tests/contract/, tests/unit/integrate/radau5_test.cpp, tests/unit/integrate/sdirk4_test.cpp
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/archive.hpp"
#include "integrate/implicit/one_step_parts.hpp"
#include "integrate/step/adjustment.hpp"
#include "integrate/step/implicit_system.hpp"
#include "integrate/step/newton_policy.hpp"
#include "integrate/step/settled_point.hpp"
#include "integrate/step/step_phase.hpp"
#include "integrate/step/stepper.hpp"

namespace saltus::integrate {

/// What stands for a measure of the extension that is not taken, so that the next step does not leap beyond where it would be: these
/// parts of d, where x is integrated (ψ at θ₂ and θ₁ of radau5, roughly) and where it follows the equations at once (a guess: there
/// the extension gains an order by d).
inline constexpr double kShareIntegrated = 0.8;
inline constexpr double kShareFollowing = 0.3;
/// Degree of the extensions of radau5 and sdirk4.
inline constexpr std::size_t kExtensionDegree = 4;
/// Power of h with which the error of a corrected extension falls.
inline constexpr double kExtensionPower = 5.0;

class ImplicitOneStep : public Stepper,
                        protected OneStepStages,
                        protected OneStepEstimate,
                        protected OneStepMemory,
                        protected OneStepExtension {
 public:
  [[nodiscard]] Index n_states() const override { return n_states_; }
  [[nodiscard]] const Tolerances& tolerances() const override { return tolerances_; }
  [[nodiscard]] const trajectory::CompensatedTime& time() const override {
    return phase_.is_accepted() ? end_ : start_;
  }
  [[nodiscard]] std::span<const double> state() const override {
    return states_of(phase_.is_accepted() ? y_end_ : y_start_);
  }
  [[nodiscard]] std::span<const double> derivative() const override {
    return phase_.is_accepted() ? ydot_end_ : ydot_start_;
  }
  [[nodiscard]] system::ResidualPoint residual_point() const override {
    return system_.has_form() ? system::ResidualPoint{phase_.is_accepted() ? y_end_ : y_start_, derivative()}
                              : system::ResidualPoint{};
  }

  system::Evaluation restart(const trajectory::CompensatedTime& t, std::span<const double> x) override;
  system::Evaluation restart(const trajectory::CompensatedTime& t, std::span<const double> x,
                             std::span<const double> xdot) override;
  void start_is_singular() override { looks_ahead_ = true; }
  void set_evaluator(system::Evaluator& evaluator) override;
  void rejoin(system::Evaluator& evaluator) override { system_.rejoin(evaluator); }
  void set_system(system::Evaluator& evaluator, const system::LockedDae& locked) override;
  void accept() override;
  void reject() override;
  void retract() override;

  [[nodiscard]] std::span<const double> step_start_state() const override { return states_of(y_start_); }
  [[nodiscard]] std::span<const double> step_end_state() const override { return states_of(y_end_); }
  [[nodiscard]] const trajectory::CompensatedTime& step_start_time() const override { return start_; }
  [[nodiscard]] double step_size() const override { return h_; }
  system::Evaluation dense_output(DenseOutput which, trajectory::SegmentView& segment) override;
  bool settle_extension(double theta) override;
  [[nodiscard]] double extension_defect(const trajectory::SegmentView& extension, double theta) override;
  [[nodiscard]] StepAdvice advice() const override;
  [[nodiscard]] Index worst_state() const override;

  system::Evaluation probe(double t, std::span<const double> x, std::span<double> xdot) override;
  [[nodiscard]] const Statistics& statistics() const override { return statistics_; }
  /// Of the last attempt, for x.
  [[nodiscard]] std::span<const double> error_estimate() const override { return states_of(error_); }
  /// z of the accepted point.
  [[nodiscard]] std::span<const double> algebraic() const {
    return std::span<const double>(phase_.is_accepted() ? y_end_ : y_start_)
        .subspan(static_cast<std::size_t>(n_states_));
  }
  // For a multistep method that starts with this one and shares its system and counts.
  [[nodiscard]] ImplicitSystem& system() { return system_; }
  [[nodiscard]] Statistics& counts() { return statistics_; }
  /// y at both ends of the open step.
  [[nodiscard]] std::span<const double> whole_start() const { return y_start_; }
  [[nodiscard]] std::span<const double> whole_end() const { return y_end_; }

  void fields(Archive& a) override;

 protected:
  struct Choices {
    double tolerance_factor = 1.0;  ///< of the estimate and the iteration, where errors are tested
    bool needs_complex = false;
    int max_iterations = 7;
    double stage_gain = 1.0;        ///< newton_tolerance()
    int step_order = 4;             ///< NewtonConvergence::Options
    double extension_factor = 1.0;  ///< of the tolerance between the ends of a step
  };

  ImplicitOneStep(system::Evaluator& evaluator, const system::LockedDae* locked, Index n_states,
                  Tolerances tolerances, const Choices& choices);
  /// To be called by the constructor of the method, when its own members exist.
  void lay_out();
  /// Fixed steps: the Jacobian of the point that stands in the system's y() and ydot(), and the matrices of a step of size h.
  /// False: there is none, or enough were tried.
  [[nodiscard]] bool renew_matrices(double t, double h, NewtonConvergence& convergence);

  [[nodiscard]] bool is_open() const { return phase_.is_open(); }
  /// No step was accepted since the last restart: the slope at the start may belong to a transient.
  [[nodiscard]] bool is_fresh_start() const { return is_fresh_; }
  [[nodiscard]] std::span<const double> states_of(std::span<const double> y) const {
    return y.first(std::min(y.size(), static_cast<std::size_t>(n_states_)));
  }
  /// start + c·h, apart also where h is near the spacing of doubles.
  [[nodiscard]] double stage_time(double c_times_h) const {
    return start_.value() + (start_.low() + c_times_h);
  }
  /// How far a component follows the equations at once, 0 to 1, from its error estimate: what a filter has taken away and left.
  [[nodiscard]] static double following_share(double taken, double left) {
    return taken + left > 0.0 ? taken / (taken + left) : 1.0;
  }
  /// The largest weighted entry, of the states; 1 is the tolerance between the ends of a step.
  [[nodiscard]] double extension_norm(std::span<const double> error) const;
  /// The defect of a point of the open step, which stands in the system, filtered by its last factorisation; n_y numbers.
  [[nodiscard]] system::Evaluation filtered_defect(double theta, std::span<double> defect);
  [[nodiscard]] std::span<double> dense_row(Index power) {
    return std::span<double>(dense_).subspan(static_cast<std::size_t>(power * n_states_),
                                             static_cast<std::size_t>(n_states_));
  }

  Index n_states_;
  Tolerances tolerances_;
  Tolerances inner_;  // of the estimate and the iteration
  Statistics statistics_;
  ImplicitSystem system_;
  NewtonConvergence convergence_;
  trajectory::CompensatedTime start_;
  trajectory::CompensatedTime end_;
  double h_ = 0.0;
  Adjustment adjustment_;
  std::span<double> y_start_, y_end_, y_middle_, error_, scratch_, scale_;
  std::span<double> ydot_start_, ydot_end_, ydot_middle_;  // of the states

 private:
  StepAttempt do_attempt(double h, const trajectory::CompensatedTime& end) override;
  void begin_step();
  void move_to(const trajectory::CompensatedTime& t, std::span<const double> x);
  system::Evaluation finish_restart(const system::Evaluation& evaluation);
  [[nodiscard]] StepAttempt prepare_matrices();
  system::Evaluation settle_slope(double t, std::span<const double> y, std::span<double> ydot);
  [[nodiscard]] StepAttempt failed(const system::Evaluation& evaluation);
  [[nodiscard]] StepAttempt not_converged();
  void step_failed();
  [[nodiscard]] StepAttempt iteration_failed(Index unknown, bool is_singular);
  void refine_start();
  [[nodiscard]] StepAttempt test_result();
  [[nodiscard]] double norm_of(std::span<const double> vector) const;
  [[nodiscard]] bool may_be_of_kink(double error) const;
  [[nodiscard]] system::Evaluation finish_end();
  void add_projection_to_error(double& error);
  void add_extension_to_error(double& error);
  [[nodiscard]] bool find_middle();
  void fill_hermite();
  void fill_without_start_slope();
  [[nodiscard]] bool find_defects();
  void correct_by_defects();
  [[nodiscard]] bool fill_full();
  // Residuals since `before` belong to the extension.
  void count_as_dense_output(std::int64_t before) {
    statistics_.rhs.dense_output += statistics_.rhs.stages - before;
    statistics_.rhs.stages = before;
  }
  void point_of_full(double theta, std::span<double> y, std::span<double> ydot);

  static constexpr Index kHighestDegree = 5;  // of the full extension: one more than the standard one

  double extension_factor_;
  JacobianPolicy policy_;
  int n_renewals_ = 0;                        // of the Jacobian in this step
  std::array<std::span<double>, 3> defects_;  // of the full extension
  std::vector<double> storage_;
  std::vector<double> dense_;
  MovedExtension moved_;
  StepPhase phase_;
  bool has_middle_ = false;
  bool has_defects_ = false;  // of the full extension
  bool is_full_ = false;      // dense_ holds the full extension
  bool is_fresh_ = true;
  bool is_start_exact_ = true;        // z of the start was solved for, not left by a step
  system::Evaluation start_failure_;  // there is no z there
  bool is_careful_ = true;            // first step or after a rejection: a large estimate is filtered again
  bool looks_ahead_ = false;          // Stepper::start_is_singular
  double error_before_ = 0.0;         // of the last accepted step, where f has kinks
  double h_before_ = 1.0;
};

}  // namespace saltus::integrate
