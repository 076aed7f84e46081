/// What an implicit method sees of a system: r(t, y, ẏ) = 0 with y = (x, z), and factorised combinations of ∂r/∂y and ∂r/∂ẏ.
///
/// Problem      residuals, the Jacobian and A + αB, A = ∂r/∂y, B = ∂r/∂ẏ, of what an Evaluator offers
/// Method       Where the evaluator has a residual runner: LockedDae::residual_form, exact sparse Jacobians, or rows of the states
///              with full Jacobians where there is a runner alone (modes reduced by ranks). Elsewhere
///              (black boxes, some slides) y = x and r = ẋ - f(t, x), ∂f/∂x by forward differences, dense.
/// Notation     x  states, the first n_states() entries of y; only these have derivatives
///              z  algebraic unknowns, the rest of the n_y() entries
/// Contract     The point of the next evaluation is written into y() and ydot(); residual() and evaluate_jacobian() read it
///              there. factorize(α) takes the Jacobian of the last evaluate_jacobian(). One evaluator at a time, which
///              outlives this object or the next set_evaluator(). What belongs to a residual form is made when it is first
///              met and kept: no allocation afterwards.
///              An evaluator that projects the arguments of stages (Projection::stages) is evaluated at projected points.
/// Choices      Differences: δ_i = √ε·max(|x_i|, |h ẋ_i|, atol_i), with the sign of h ẋ_i so that no point lies on the far side
///              of where the solution goes; where f has no value there, the other sign.
///              Slopes of a form that are not finite: those where the step leads to, else secants over a displacement of atol.
///              Tolerances of z: the smallest atol of a state in units of its nominal value, times the nominal value of z.
/// Fails when   an evaluation fails: the Evaluation names a state or variable where rhs() at the same point can tell it
/// Cost         one residual or one Jacobian; n_states + 1 right-hand sides for a Jacobian by differences
/// Checked by   tests/unit/integrate/implicit_system_test.cpp
#pragma once

#include <complex>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/archive.hpp"
#include "integrate/step/algebraic_states.hpp"
#include "integrate/step/error_norm.hpp"
#include "integrate/step/iteration_matrix.hpp"
#include "integrate/step/statistics.hpp"
#include "system/locked_dae.hpp"

namespace saltus::integrate {

class ImplicitSystem {
 public:
  struct Options {
    bool with_complex = false;  ///< the method needs complex α too
    MatrixStorage storage = MatrixStorage::automatic;
  };

  /// `locked` may be null: no residual form. `statistics` outlives this object and takes the counts.
  ImplicitSystem(system::Evaluator& evaluator, const system::LockedDae* locked, Index n_states,
                 const Tolerances& tolerances, Options options, Statistics& statistics);

  /// Another right-hand side with as many states; n_y() may change.
  void set_evaluator(system::Evaluator& evaluator, const system::LockedDae* locked);
  /// Stepper::rejoin().
  void rejoin(system::Evaluator& evaluator);
  [[nodiscard]] system::Evaluator& evaluator() { return *evaluator_; }
  [[nodiscard]] const system::Evaluator& evaluator() const { return *evaluator_; }

  [[nodiscard]] Index n_states() const { return n_states_; }
  [[nodiscard]] Index n_y() const { return form_->pattern->n_y(); }
  /// Whether r comes from a residual form; otherwise it is ẋ - f(t, x).
  [[nodiscard]] bool has_form() const { return runner_ != nullptr; }
  /// Absolute tolerances of all of y.
  [[nodiscard]] std::span<const double> atol() const { return form_->atol; }
  [[nodiscard]] bool has_constant_jacobian() const {
    return form_->equations != nullptr && form_->equations->has_constant_jacobian();
  }

  /// States whose slopes a method is to guess well (EquationSet::nonlinear_derivatives).
  [[nodiscard]] std::span<const Index> nonlinear_derivatives() const {
    return form_->equations != nullptr ? form_->equations->nonlinear_derivatives() : std::span<const Index>{};
  }

  /// y = (x, z) and ẋ that belong to x: where a method starts. y of n_y, ydot of n_states numbers.
  system::Evaluation find_point(double t, std::span<const double> x, std::span<double> y,
                                std::span<double> ydot);
  /// Where ẋ is known already.
  system::Evaluation find_point(double t, std::span<const double> x, std::span<const double> known_ydot,
                                std::span<double> y, std::span<double> ydot);

  /// The point of the next evaluation: n_y and n_states numbers.
  [[nodiscard]] std::span<double> y() { return {slots_.data(), static_cast<std::size_t>(n_y())}; }
  [[nodiscard]] std::span<double> ydot() {
    return {slots_.data() + n_y(), static_cast<std::size_t>(n_states_)};
  }
  /// r of n_y numbers.
  system::Evaluation residual(double t, std::span<double> r);
  /// `h`: signed size of the step at hand, for the scale of differences.
  system::Evaluation evaluate_jacobian(double t, double h);

  [[nodiscard]] linalg::FactorStatus factorize(double alpha);
  [[nodiscard]] linalg::FactorStatus factorize(std::complex<double> alpha);
  /// b := (A + αB)⁻¹ b with the last real, the last complex α.
  void solve(std::span<double> b) { form_->matrix.solve(b); }
  void solve(std::span<std::complex<double>> b) { form_->complex_matrix->solve(b); }
  /// out = B·v
  void multiply_b(std::span<const double> v, std::span<double> out) const {
    form_->pattern->multiply_b(form_->entries, v, out);
  }
  /// Moves x onto what the evaluator projects results onto. True where it projects.
  [[nodiscard]] bool projects() const { return projection_ >= system::Projection::results; }
  system::Evaluation project(double t, std::span<double> x) { return evaluator_->project(t, x); }
  /// Where a method begins.
  system::Evaluation project_start(double t, std::span<double> x) {
    return projection_ >= system::Projection::instants ? evaluator_->project_instant(t, x)
                                                       : system::Evaluation{};
  }
  /// All unknowns are states, so that constraints may determine some of them: slopes of a method are to be settled.
  [[nodiscard]] bool has_algebraic_states() const { return form_->algebraic.has_value(); }
  /// The slope of a method at (t, x), near the point of the last Jacobian, where constraints determine it (algebraic_states.hpp).
  system::Evaluation settle_slope(double t, std::span<const double> x, std::span<double> xdot);

  void fields(Archive& a);

 private:
  // What belongs to one residual form, or to f alone.
  struct Form {
    Form(std::shared_ptr<const system::EquationSet> set, const system::RectangularPattern& jacobian,
         Index n_states, const Options& options);

    std::shared_ptr<const system::EquationSet> equations;  // null: …
    bool has_runner = false;                               // rows of the states, or f alone
    bool is_lost = false;  // nobody can ask for it again; loaded for its place among the others
    std::shared_ptr<const IterationPattern> pattern;
    std::vector<double> entries;
    std::vector<double> atol;
    IterationMatrix matrix;
    std::optional<ComplexIterationMatrix> complex_matrix;
    std::optional<AlgebraicStates> algebraic;  ///< where the form has no equations besides rows of the states
    bool is_algebraic_known = false;           ///< … of the last Jacobian
  };

  using Equations = std::shared_ptr<const system::EquationSet>;
  void choose_form(const Equations& equations);
  [[nodiscard]] Form* find_form(const Equations& equations);
  Form& make_form(const Equations& equations, bool has_runner);
  system::Evaluation difference_jacobian(double t, double h);
  bool secants_where_slopes_fail(double t);
  system::Evaluation evaluate_rhs(double t, std::span<double> x, std::span<double> xdot);
  system::Evaluation name_culprit(double t, const system::Evaluation& evaluation);

  system::Evaluator* evaluator_;
  system::EquationRunner* runner_ = nullptr;
  system::Projection projection_ = system::Projection::none;
  Index n_states_;
  const Tolerances& tolerances_;
  Options options_;
  Statistics& statistics_;
  // Of many sets of surfaces that are slid on, those used last.
  static constexpr std::size_t kMostForms = 16;
  std::vector<std::unique_ptr<Form>> forms_;  // the one in use is the last
  Form* form_ = nullptr;
  std::vector<double> slots_;  // y, ẏ
  std::vector<double> moved_;  // x of a right-hand side
  std::vector<double> f_;      // f at the point and beside it
  std::vector<double> f_moved_;
};

}  // namespace saltus::integrate
