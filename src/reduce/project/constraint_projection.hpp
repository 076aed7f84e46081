/// Onto constraints by the least change.
///
/// Problem      given x near {g(t, x) = 0}: the point of the set that minimises ‖S⁻¹(x - x_given)‖
/// Notation     S: nominal values times a factor for each grade above positions (constraint_grades.hpp)
/// Method       coordinate projection [HW96] VII.2: Newton steps of least change, c = -S²Gᵀ(G S² Gᵀ)⁺ g, with
///              G = ∂g/∂x of the given point, kept as long as it contracts (projection_policy.hpp). With one G all changes lie in
///              the range of S²Gᵀ: the result is the nearest point up to the square of the distance. G S² Gᵀ is factorised
///              where it is small and clearly regular (normal_equations.hpp), else least_change.hpp does it.
/// Contract     project() moves x onto the set, or leaves it as it was. Afterwards every constraint would be met by a further change
///              of at most about 1e-12 of max(|x|, nominal), or rounding where that is more; a second call leaves rounding.
///              An x that would change by no more than spacings of doubles stays as it is to the last bit. Nothing allocates but sparse factors.
/// Choices      The result depends on the given point alone. Where a matrix is dear (sparse), keep_matrix() allows that of earlier
///              points to be used; results then depend on them by the distance times the rate of convergence. Where a matrix is
///              cheap, a new one at every point saves more residuals than it costs, and what depends on earlier points is whether a
///              last step below 1e-12 is taken. A constant matrix is always kept.
///              Sizes of changes are maxima over the states of |c| / max(|x|, nominal). Redundant constraints count once; whether the
///              equations that repeat others also agree is tested: |row| ≤ 2‖change‖ + kConsistent, in units of the length of
///              the row.
/// Fails when   the iteration does not converge or rows contradict each other (no_projection, culprit: the row furthest from
///              being met), or a row is not finite (no_projection too)
/// Cost         a Jacobian and a factorisation, 1 to 3 residuals and solves
/// Checked by   tests/unit/reduce/constraint_projection_test.cpp
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/archive.hpp"
#include "reduce/nonlinear/least_change.hpp"
#include "reduce/nonlinear/normal_equations.hpp"
#include "reduce/nonlinear/projection_policy.hpp"
#include "reduce/project/projector.hpp"
#include "system/equation_set.hpp"

namespace saltus::reduce {

class ConstraintProjection final : public Projector {
 public:
  struct Counters {
    std::int64_t projections = 0;
    std::int64_t steps = 0;
    std::int64_t factorisations = 0;
  };

  /// Which points have a matrix of their own.
  enum class Matrices : std::uint8_t {
    of_points,  ///< each
    of_steps,  ///< one for all stages of a step: they move along one normal space, which is a step in coordinates of the null space [PR91]
  };

  /// `constraints`: rows over the states. `nominal`: by state, positive.
  ConstraintProjection(std::shared_ptr<const system::EquationSet> constraints,
                       std::span<const double> nominal,
                       LeastChange::Algebra algebra = LeastChange::Algebra::automatic,
                       Matrices matrices = Matrices::of_points);

  void set_configuration(const system::Configuration& configuration) override;
  void set_latched(Index guard, double value) override;
  system::Evaluation project(double t, std::span<double> x) override;
  void keep_along(double t, std::span<const double> x, std::span<double> gradient) override;
  /// Results may depend on earlier points from now on: on the sparse path by their matrix, else by the curvature measured there.
  void keep_matrix() override {
    if (matrices_ == Matrices::of_steps) {
      has_factors_ = false;  // a step was accepted
      return;
    }
    keeps_matrix_ = !algebra_.is_dense();
    policy_.trust_curvature();
  }
  [[nodiscard]] const system::EquationSet& constraints() const override { return *constraints_; }
  [[nodiscard]] const Counters& counters() const { return counters_; }
  [[nodiscard]] bool is_redundant() const { return !is_regular_ && algebra_.is_redundant(); }

  void fields(Archive& a) override {
    // Not saved: constraints_, nominal_, scale_, matrices_; is_asked_, asked_time_, asked_ (factors are made again).
    a(runner_, algebra_, normal_, is_regular_, policy_, has_factors_, keeps_matrix_, given_, residual_,
      entries_, change_);
    a(counters_.projections, counters_.steps, counters_.factorisations);
  }

 private:
  struct Iteration;  // nonlinear/kept_newton.hpp
  [[nodiscard]] bool refresh(double t, std::span<const double> x);
  // change_ of least length for residual_.
  void solve();
  [[nodiscard]] system::Evaluation iterate(double t, std::span<double> x);
  // Applies the step of least change; its size in units of the states.
  [[nodiscard]] double step(std::span<double> x);
  [[nodiscard]] std::span<const double> row_scale() const;
  [[nodiscard]] bool rows_agree() const;
  [[nodiscard]] bool is_change_rounding() const;
  [[nodiscard]] Index worst_row() const;

  std::shared_ptr<const system::EquationSet> constraints_;
  std::unique_ptr<system::EquationRunner> runner_;
  std::vector<double> nominal_;
  std::vector<double> scale_;  // S
  Matrices matrices_;
  LeastChange algebra_;
  std::optional<NormalEquations> normal_;  // on the dense path
  bool is_regular_ = false;                // the factors are those of normal_
  ProjectionPolicy policy_;
  bool has_factors_ = false;
  bool keeps_matrix_ = false;
  // The point of the factors, if keep_along() has made them: it is asked for one gradient after the other.
  bool is_asked_ = false;
  double asked_time_ = 0.0;
  std::vector<double> asked_;
  std::vector<double> given_;
  std::vector<double> residual_;
  std::vector<double> entries_;
  std::vector<double> change_;
  Counters counters_;
};

}  // namespace saltus::reduce
