/// A system that is held on surfaces, as an evaluator: the smallest strategy of this folder. Others (hidden constraints of
/// equations of higher index) keep its form: an evaluator that decorates another, moves states onto what must hold and
/// offers what ends its validity as further guards.
///
/// Problem      ẋ = f(t, x, s) on g_i(t, x) = 0, i ∈ surfaces, with the weights s that keep it there: ġ_i(s) = 0, or g_i(s) = 0 for
///              a surface whose guard itself depends on weights (algebraic slide: g(x, z(x, s))); constraints of the mode, or of both
///              modes, hold as well
/// Method       Filippov's field with α = (1 + s)/2 from ∇g·f; stages and results projected along the gradients
///              [CMR16] 2.3. One surface whose equations are affine in the weight, the convex rule, and two modes on one
///              surface: the convex combination of the fields of the two sides, two evaluations. So are several surfaces in
///              as many parts of the model (system::ModelParts): of each state the sides of the surface of its part. Otherwise a Newton iteration
///              on s that keeps its matrix from point to point as long as that is cheaper than a new one. Constraints and
///              surfaces are held by one projection of least change (stacked_projection.hpp).
/// Notation     F = ġ(s), J = ∂F/∂s (jacobian), G = ∂g/∂x (rows of surfaces)
/// Contract     begin() chooses surfaces and configuration; then an Evaluator of f(t, P(x)) restricted to the surfaces,
///              whose rhs() expects a projected x. Guards i < n_guards are those of the inner system; n_guards + 2k is
///              1 - s_k, n_guards + 2k + 1 is 1 + s_k of the k-th surface, opaque, taken at P(x); both are 1 - |w| for the elements of a vector
///              (GuardInfo::Kind::component), whose weights w lie in a ball. So are guards of the
///              inner system whose value depends on the weights.
///              Inner evaluators outlive this object and belong to it from begin() on (it sets latched values).
///              Nothing allocates after construction unless begin() is given more surfaces than ever before or a surface
///              for the first time, or the first outputs come.
/// Choices      Where J is singular the smallest change of s is taken, as long as ġ = 0 can be met (surfaces that
///              depend on one another, as at the end of twisting).
///              Distances in project() are measured in nominal values.
///              Implicit methods are offered residual forms (sliding_form.hpp, combined_form.hpp), but not of algebraic slides, of
///              surfaces that depend on one another, of modes with different states, of sides without values beyond
///              the surface: these have f alone.
///              Of algebraic slides two modes, and the convex rule, combine the values of g as they combine ẋ.
///              A mode reduced by ranks has its own projection: there surfaces are reached within the constraints, and
///              algebraic unknowns are states, whose values and rates follow those of the weights (sliding_ranks.cpp).
/// Fails when   no weights satisfy ġ = 0, or the projection finds no point: Evaluation::no_weights, culprit: guard
/// Cost         2 inner evaluations (one surface) or about 2 to k + 2 (k surfaces); project(): guards, gradients, k³/3
/// Checked by   tests/unit/slide/sliding_field_test.cpp, tests/convergence/sliding_order_test.cpp
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/archive.hpp"
#include "linalg/minimum_norm.hpp"
#include "reduce/project/stacked_projection.hpp"
#include "slide/field/combined_form.hpp"
#include "slide/field/sliding_form.hpp"
#include "system/hybrid_system.hpp"

namespace saltus::slide {

/// How the field on a surface is built from its sides (DESIGN 2).
enum class SlidingRule : std::uint8_t {
  automatic,  ///< blend where that is Filippov's solution or a part has several surfaces, convex otherwise
  blend,      ///< choices over the guard are blended in place, the equations solved with them
  convex,     ///< the convex combination of the two sides' fields (several surfaces of a part are blended)
};

/// Where a system slides.
struct SlidingSet {
  std::span<const Index> surfaces;  ///< guards, all different
  /// By guard. Its sides hold beside the surfaces; what it says of the surfaces themselves is not read.
  const system::Configuration* configuration = nullptr;
  std::span<const double> weights;  ///< where the search for s begins, by surface; empty: 0
  /// Two modes: the surface is g = level. Away from 0 the side of its guard is the same in both modes, that of the
  /// configuration.
  double level = 0.0;
  SlidingRule rule = SlidingRule::automatic;
  /// Where it begins, and guards that will be watched: those whose values change with the weights there or near there
  /// are offered as opaque ones, evaluated with the weights of each point.
  double t = 0.0;
  std::span<const double> x = {};
  std::span<const Index> watched = {};
};

class SlidingField final : public system::Evaluator {
 public:
  /// `guards` of the model outlive this object; `nominal` by state, empty: 1.
  SlidingField(system::Evaluator& inner, Index n_states, std::span<const system::GuardInfo> guards,
               std::span<const double> nominal = {});
  /// Two modes on one surface, the first of SlidingSet::surfaces: `plus` holds where g > 0, `minus` where g < 0. Both
  /// have the same states in the same order.
  SlidingField(system::Evaluator& plus, system::Evaluator& minus, Index n_states,
               std::span<const system::GuardInfo> guards, std::span<const double> nominal = {});

  /// Constraints that hold while sliding, besides those added before: of `plus` or the one mode, or of `minus` (side -1). Null: none.
  /// Without any the projection of the inner evaluator is used, where it has one.
  void add_constraints(reduce::StackedProjection::Block block, double side = 1.0);
  [[nodiscard]] bool has_constraints() const { return !blocks_.empty(); }
  /// Implicit methods are offered a residual form: of blends the mode's own with weights (sliding_form.hpp), of combinations that
  /// of both sides (combined_form.hpp). `plus` and `minus`: the modes of the inner evaluators, whose states are those of this one;
  /// one mode: twice the same.
  void offer_residual_form(std::shared_ptr<const system::LockedDae> plus,
                           std::shared_ptr<const system::LockedDae> minus) {
    locked_ = {std::move(plus), std::move(minus)};
  }

  /// Which states and variables have to do with each other; outlives this object. `variable_of_state`: columns.
  void offer_parts(const system::ModelParts& parts, std::vector<Index> variable_of_state) {
    parts_ = &parts;
    variable_of_state_ = std::move(variable_of_state);
  }

  void begin(const SlidingSet& set);
  /// Two modes: the configurations of each, for instance with different discrete values.
  void begin(const SlidingSet& set, const system::Configuration& minus);

  [[nodiscard]] std::span<const Index> surfaces() const { return surfaces_; }
  /// s of the last evaluation (rhs, outputs or a guard beyond n_guards).
  [[nodiscard]] std::span<const double> weights() const { return weights_; }
  /// How far a point is from the constraints of a mode (side ±1), in units of the nominal values, and how fast the motion on the
  /// surface leaves them there, relative to the motion; with the worst equation. 0 where there are none.
  struct Departure {
    double distance = 0.0;
    double rate = 0.0;
    std::string distance_text;
    std::string rate_text;
  };
  [[nodiscard]] Departure departure(double side, double t, std::span<const double> x);
  /// Weights at a point, which is projected first.
  system::Evaluation weights_at(double t, std::span<const double> x, std::span<double> weights);
  /// Blend or convex: what the rule came to, for reports.
  [[nodiscard]] SlidingRule construction() const;
  /// Evaluations of inner right-hand sides since construction, those for outputs not counted.
  [[nodiscard]] std::int64_t inner_evaluations() const { return inner_evaluations_; }
  /// Whether the k-th surface is held by its own value, not by its derivative; known from the first evaluation on.
  [[nodiscard]] bool is_algebraic(std::size_t k) const { return is_algebraic_[k] != 0; }
  [[nodiscard]] Index n_guards() const { return static_cast<Index>(infos_.size()); }

  void set_configuration(const system::Configuration& configuration) override;
  void set_latched(Index guard, double value) override;
  [[nodiscard]] system::Projection projection() const override { return system::Projection::stages; }
  system::Evaluation project(double t, std::span<double> x) override;
  void keep_along(double t, std::span<const double> x, std::span<double> gradient) override;
  system::Evaluation rhs(double t, std::span<const double> x, std::span<double> xdot) override;
  system::Evaluation residual_point(double t, std::span<const double> x, std::span<double> y,
                                    std::span<double> ydot) override;
  [[nodiscard]] system::EquationRunner* residual_runner() override;
  /// Of one mode, unless sides of several surfaces are combined or states follow the weights (sliding_tangents.hpp).
  [[nodiscard]] std::unique_ptr<system::Tangents> tangents(
      const system::ParameterDirections& directions) override;
  [[nodiscard]] std::shared_ptr<const system::EquationSet> own_residual_form() override;
  system::Evaluation outputs(double t, std::span<const double> x, std::span<double> values) override;
  system::Evaluation outputs_block(std::span<const double> t, std::span<const double> x,
                                   std::span<double> values) override;
  void keep_solutions() override;
  void restore_solutions() override;
  [[nodiscard]] bool has_unwatched_kinks() const override;
  void copy_output_solutions(std::span<double> guess) const override { plus_.copy_output_solutions(guess); }
  void set_output_solutions(std::span<const double> guess) override { plus_.set_output_solutions(guess); }
  [[nodiscard]] std::string describe(const system::Evaluation& evaluation, double t) const override;

  [[nodiscard]] system::GuardShape guard_shape(Index guard) const override;
  [[nodiscard]] std::optional<std::span<const Index>> guard_states(Index guard) const override;
  system::Evaluation guards(std::span<const Index> which, double t, std::span<const double> x,
                            std::span<double> values) override;
  [[nodiscard]] double guard_noise(Index i, double t, std::span<const double> x) override;
  system::Evaluation guard_gradient(Index i, double t, std::span<const double> x, std::span<double> gradient,
                                    double& time_derivative) override;
  [[nodiscard]] system::AffineGuard affine_guard(Index i) const override { return plus_.affine_guard(i); }
  system::Evaluation guard_derivatives(Index i, double t, std::span<const double> x,
                                       system::GuardDerivatives& derivatives) override;
  [[nodiscard]] Interval enclose_guard(Index i, const Interval& t, std::span<const Interval> x) override;
  [[nodiscard]] Interval enclose_guard_rate(Index i, const Interval& t, std::span<const Interval> x,
                                            std::span<const Interval> xdot) override;
  [[nodiscard]] system::GuardBounds bound_guard(Index i, const system::CurvePiece& piece) override;

  void fields(Archive& a) override;

 private:
  friend class SlidingTangents;

  system::Evaluation project_onto_surfaces(double t, std::span<double> x);
  system::Evaluation project_in_turn(double t, std::span<double> x);
  void begin_stack(double t, std::span<const double> x);
  system::Evaluation project_stacked(double t, std::span<double> x);
  // States that depend on the weights (sliding_ranks.cpp).
  [[nodiscard]] bool follows_weights() const;
  system::Evaluation project_following(double t, std::span<double> x);
  [[nodiscard]] bool move_within_constraints(double t, std::span<double> x);
  system::Evaluation find_followers(double t, std::span<const double> x);
  system::Evaluation add_rates_of_weights(double t, std::span<const double> x, std::span<double> xdot);

  // ∂g/∂x and ∂g/∂t of one surface; of an affine guard only what is not zero.
  struct Row {
    std::span<const Index> states;
    std::span<const double> coefficients;
    double time_derivative = 0.0;
    bool is_affine = false;
  };
  enum class Dependence : std::uint8_t { unknown, none, depends };
  // Which guards have values that depend on the weight of a surface; found once for each surface slid on.
  struct Dependents {
    Index surface = -1;
    std::vector<Dependence> guards;
  };
  // Points evaluated last: whoever watches the weights asks again for the ends of a step.
  static constexpr std::size_t kRemembered = 8;

  [[nodiscard]] bool is_pair() const { return minus_ != nullptr; }
  [[nodiscard]] bool is_exit(Index guard) const { return guard >= n_guards(); }
  [[nodiscard]] std::size_t n_surfaces() const { return surfaces_.size(); }
  [[nodiscard]] bool all_affine() const;
  [[nodiscard]] bool holds_vectors() const;
  // Every surface in a part of its own: then surface_of_part_ says in which.
  [[nodiscard]] bool find_surfaces_of_parts();
  // The surface whose sides a state or a variable is combined of; where there is one alone it is that.
  [[nodiscard]] std::size_t surface_of_variable(std::size_t column) const;
  [[nodiscard]] bool has_algebraic() const { return held_rows_.size() < n_surfaces(); }
  void reserve();
  void find_rows();
  // Right-hand sides at given weights.
  void set_weight(std::size_t surface, double weight);
  void set_weights();
  system::Evaluation inner_rhs(system::Evaluator& inner, double t, std::span<const double> x,
                               std::span<double> xdot);
  system::Evaluation field(double t, std::span<const double> x, std::span<double> xdot);
  // Which surfaces are algebraic, at the first point after begin() (sliding_constraints.cpp).
  void find_algebraic(double t, std::span<const double> x);
  // Equations for implicit methods (sliding_residual.cpp).
  void begin_form(const SlidingSet& set);
  void find_form();
  [[nodiscard]] bool weights_are_determined();
  [[nodiscard]] bool sides_have_values_beyond();
  [[nodiscard]] system::Evaluator& minus_or_same() { return is_pair() ? *minus_ : plus_; }
  void begin_constraints(const SlidingSet& set, const system::Configuration& minus);
  [[nodiscard]] bool constraints_depend(const SlidingSet& set);
  [[nodiscard]] std::unique_ptr<reduce::StackedProjection> make_stack(bool has_sides) const;
  // sliding_saved.cpp
  [[nodiscard]] bool fits() const;
  void form_fields(Archive& a);
  void stack_fields(Archive& a);
  void configure_stack(const system::Configuration& plus, const system::Configuration& minus);
  // Weights at a point (sliding_weights.cpp).
  struct WeightIteration;
  system::Evaluation gradients(double t, std::span<const double> x);
  [[nodiscard]] double rate(std::size_t surface, std::span<const double> xdot, double& scale) const;
  // What must vanish on a surface with one side locked, or at weights_: ġ or g. `noise` is a bound of its rounding errors.
  system::Evaluation side_force(double side, double t, std::span<const double> x,
                                std::span<const double> xdot, std::span<double> force,
                                std::span<double> noise);
  system::Evaluation algebraic_value(std::size_t surface, double t, std::span<const double> x, double& value);
  system::Evaluation solve(double t, std::span<const double> x, std::span<double> xdot);
  system::Evaluation side_field(double side, double t, std::span<const double> x, std::span<double> xdot);
  system::Evaluation side_outputs(double side, double t, std::span<double> values);
  system::Evaluation combine_sides(double t, std::span<const double> x, std::span<double> xdot);
  system::Evaluation newton(double t, std::span<const double> x, std::span<double> xdot);
  system::Evaluation search_between(double t, std::span<const double> x, std::span<double> xdot);
  system::Evaluation evaluate_residual(double t, std::span<const double> x, std::span<double> xdot);
  system::Evaluation new_jacobian(double t, std::span<const double> x, std::span<const double> xdot);
  [[nodiscard]] double correct();
  [[nodiscard]] system::Evaluation check_rates();
  system::Evaluation solve_projected(double t, std::span<const double> x);
  void remember(double t, std::span<const double> x);
  [[nodiscard]] bool recall(double t, std::span<const double> x);
  // Onto the surfaces (sliding_projection.cpp).
  struct SurfaceIteration;
  system::Evaluation distances(double t, std::span<const double> x);
  [[nodiscard]] bool on_surfaces(double t, std::span<const double> x);
  [[nodiscard]] double size_of_terms(std::size_t k, double t, std::span<const double> x) const;
  [[nodiscard]] system::Evaluation within_rounding(double t, std::span<const double> x) const;
  system::Evaluation move_to_surfaces(std::span<double> x);
  void note_moves();
  // Other guards (sliding_guards.cpp).
  void find_dependents(const SlidingSet& set);
  [[nodiscard]] bool depends(Index guard, double t, std::span<const double> x, std::size_t surface);
  [[nodiscard]] double exit_value(std::size_t exit) const;
  [[nodiscard]] bool is_dependent(Index guard) const;
  system::Evaluation guard_value(Index guard, double t, double& value);
  system::Evaluation guard_rate(Index i, double t, std::span<const double> x, double& value, double& noise);
  system::Evaluation dependent_derivatives(Index i, double t, std::span<const double> x,
                                           system::GuardDerivatives& derivatives);

  system::Evaluator& plus_;
  system::Evaluator* minus_ = nullptr;
  std::size_t n_;
  std::span<const system::GuardInfo> infos_;
  std::vector<double> metric_;     // squares of the nominal values
  std::vector<Index> all_states_;  // 0, 1, … for gradients that are not sparse

  std::vector<Index> surfaces_;
  double level_ = 0.0;  // of the first surface
  std::vector<double> weights_;
  std::vector<double> kept_weights_;
  double weight_noise_ = 0.0;
  SlidingRule rule_ = SlidingRule::automatic;
  bool combines_sides_ = false;
  const system::ModelParts* parts_ = nullptr;
  std::vector<Index> variable_of_state_;
  std::vector<Index>
      surface_of_part_;  // place among the surfaces, -1: none; where sides of several surfaces are combined
  std::int64_t inner_evaluations_ = 0;

  std::vector<std::uint8_t> is_algebraic_;
  bool algebraic_known_ = false;
  std::vector<Index> held_guards_;      // surfaces that are projected onto
  std::vector<std::size_t> held_rows_;  // … and their places among the surfaces
  std::vector<reduce::StackedProjection::Block> blocks_;
  std::vector<double> block_sides_;  // of two modes
  std::unique_ptr<reduce::StackedProjection> stack_;
  std::unique_ptr<reduce::StackedProjection> stack_of_sides_;  // one mode, constraints of each side
  reduce::StackedProjection* active_stack_ = nullptr;
  bool constraints_depend_ = false;  // on the weights
  bool stack_has_begun_ = false;
  std::vector<std::size_t> followers_;  // states that depend on the weights
  bool followers_known_ = false;        // since begin()
  std::vector<double> following_rate_;
  std::vector<double> probe_;
  std::vector<double> tangents_;  // of n for each surface
  std::vector<double> ahead_;
  std::vector<double> behind_;
  std::vector<double> weights_before_;
  std::vector<double> weights_here_;

  // Residual forms of the sets of surfaces slid on last.
  struct FormInUse {
    std::shared_ptr<const SlidingForm> blend;
    std::shared_ptr<const CombinedForm> combination;  // one of the two
    std::unique_ptr<system::EquationRunner> runner;
  };
  [[nodiscard]] FormInUse make_form(bool is_blend, std::span<const Index> surfaces, double level);
  static constexpr std::size_t kMostKeptForms = 8;  // a limit of memory
  CombinedForm::Modes locked_;
  std::vector<FormInUse> forms_;  // the one in use is the last
  bool form_known_ = true;        // since begin()
  bool has_form_ = false;
  double begin_time_ = 0.0;
  std::vector<double> begin_point_;
  std::vector<double> side_point_;  // (x, z) of one side

  std::vector<Row> rows_;
  std::vector<double> gradients_;  // a row of n for each surface whose guard is not affine
  std::vector<double> values_;
  std::vector<double> residual_;
  std::vector<double> residual_scale_;
  std::vector<double> correction_;
  std::vector<double>
      entry_size_;  // of the terms of each guard where a projection begins, and of what it moves
  std::vector<double> jacobian_;
  std::vector<double> kept_jacobian_;
  double field_scale_ = 0.0;
  bool jacobian_known_ = false;
  bool factorized_ = false;
  bool kept_jacobian_known_ = false;
  linalg::MinimumNorm solver_;
  linalg::MinimumNorm projector_;

  std::vector<double> field_plus_;
  std::vector<double> field_minus_;
  std::vector<double> force_plus_;  // by surface: what must vanish there, of the sides
  std::vector<double> force_minus_;
  std::vector<double> noise_plus_;
  std::vector<double> noise_minus_;
  std::vector<double> point_;
  std::vector<double> scratch_;
  std::vector<double> spread_;  // zero between uses
  std::vector<double> column_;
  std::vector<double> from_;
  std::vector<double> along_;
  std::vector<double> moved_;
  std::vector<double> other_values_;
  std::vector<double> block_values_;

  std::vector<Dependents> dependents_;
  std::vector<std::uint8_t> is_dependent_;

  std::array<double, kRemembered> known_times_{};
  std::vector<double> known_states_;
  std::vector<double> known_weights_;
  std::size_t n_known_ = 0;
  std::size_t next_known_ = 0;
};

}  // namespace saltus::slide
