/// Onto surfaces and constraints together: one projection of least change.
///
/// Problem      given x near {c(t, x) = 0, g(t, x) = level}: the nearest point of the set, c the constraints of one or two modes,
///              g guards that are slid on
/// Method       as constraint_projection.hpp, with the rows of all constraints and the guards in one matrix: the least change that
///              meets them all (least_change.hpp). Projections in turn would converge linearly where surfaces and constraints are
///              not orthogonal to each other, and not at all where one repeats the other at another point.
/// Contract     begin() names the guards; project() moves x or leaves it as it was. Afterwards constraints hold as after
///              ConstraintProjection, and guards to their rounding errors as far as further steps bring them nearer.
///              A state of one mode may have another place in x: Block::places.
/// Choices      Rows that say the same (a surface whose derivative is a constraint, constraints that both modes have) count once:
///              by rank. Rows of a second mode that are written as in the first and agree in value at the first point are left out
///              at once. Jacobians that cannot change are kept from point to point; so are sparse ones after keep_matrix().
/// Fails when   the iteration does not converge or rows contradict each other: no_projection, culprit: the worst row of
///              describe(), counted over all blocks
/// Cost         a Jacobian, a factorisation (dense m²·n or sparse), 2 or 3 residuals and solves
/// Checked by   tests/unit/reduce/stacked_projection_test.cpp
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/archive.hpp"
#include "reduce/nonlinear/least_change.hpp"
#include "reduce/nonlinear/projection_policy.hpp"
#include "system/locked_dae.hpp"

namespace saltus::reduce {

class StackedProjection {
 public:
  /// Constraints of one mode. `places`: by slot the state of x that it is; empty: the same.
  struct Block {
    std::shared_ptr<const system::EquationSet> constraints;
    std::vector<Index> places = {};
  };

  /// `nominal`: by state of x, positive.
  StackedProjection(std::vector<Block> blocks, std::span<const double> nominal);

  [[nodiscard]] std::size_t n_blocks() const { return blocks_.size(); }
  void set_configuration(std::size_t block, const system::Configuration& configuration);
  void set_latched(std::size_t block, Index guard, double value);

  /// From now on these guards of `evaluator` are held, the first one at `level`. (t, x): a point where rows are compared.
  void begin(system::Evaluator& evaluator, std::span<const Index> surfaces, double level, double t,
             std::span<const double> x);
  system::Evaluation project(double t, std::span<double> x);
  /// As Projections::keep_along (system/rates.hpp).
  void keep_along(double t, std::span<const double> x, std::span<double> gradient);
  /// Matrices of earlier points may be used where they are dear.
  void keep_matrix() { keeps_matrix_ = algebra_ && !algebra_->is_dense(); }
  /// How far the constraints of a block are from being met at a point, in units of the nominal values (first order); infinite where
  /// they have no value. `row`: the worst.
  [[nodiscard]] double distance(std::size_t block, double t, std::span<const double> x, Index& row);
  /// Whether motion ẋ leaves the constraints of a block: the largest |∂c/∂x·ẋ + ∂c/∂t|, in nominal values per time.
  [[nodiscard]] double leaving_rate(std::size_t block, double t, std::span<const double> x,
                                    std::span<const double> xdot, Index& row);

  /// The constraint of a row of `block`, for people.
  [[nodiscard]] std::string row_text(std::size_t block, Index row) const;
  [[nodiscard]] std::string row_text(Index stacked_row) const;
  [[nodiscard]] Index n_constraints() const { return n_constraints_; }
  [[nodiscard]] std::int64_t factorisations() const { return factorisations_; }

  void fields(Archive& a);

 private:
  struct Part {
    Block block;
    std::unique_ptr<system::EquationRunner> runner;
    std::vector<Index> kept_rows;       // by row of the set: its row here, -1: left out
    std::vector<std::size_t> place_of;  // by entry of the set: its place in entries_, npos: left out
    std::vector<double> slots;
    std::vector<double> residual;
    std::vector<double> entries;
  };
  struct Iteration;  // nonlinear/kept_newton.hpp
  struct Polishing;

  [[nodiscard]] std::span<const double> slots_of(Part& part, std::span<const double> x);
  void find_scale();
  void leave_out_repeated(double t, std::span<const double> x);
  void build_pattern();
  [[nodiscard]] bool evaluate(double t, std::span<const double> x);
  [[nodiscard]] bool refresh(double t, std::span<const double> x);
  [[nodiscard]] double step(std::span<double> x);
  [[nodiscard]] system::Evaluation iterate(double t, std::span<double> x);
  void polish(double t, std::span<double> x);
  [[nodiscard]] double beyond_noise(double t, std::span<const double> x);
  [[nodiscard]] Index worst_row() const;
  [[nodiscard]] bool rows_agree() const;

  std::vector<Part> blocks_;
  std::vector<double> nominal_;
  std::vector<double> scale_;  // how much of a change of each state counts as one
  system::Evaluator* evaluator_ = nullptr;
  std::vector<Index> surfaces_;
  std::vector<std::vector<Index>> surface_states_;
  std::vector<std::vector<std::size_t>> surface_places_;
  double level_ = 0.0;
  Index n_constraints_ = 0;
  bool is_constant_ = false;
  bool keeps_matrix_ = false;
  bool has_factors_ = false;
  system::RectangularPattern pattern_;
  std::optional<LeastChange> algebra_;
  ProjectionPolicy policy_;
  std::vector<double> entries_;
  std::vector<double> residual_;
  std::vector<double> change_;
  std::vector<double> given_;
  std::vector<double> gradient_;
  std::vector<double> guard_values_;
  std::int64_t factorisations_ = 0;
};

}  // namespace saltus::reduce
