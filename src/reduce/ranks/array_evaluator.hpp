/// A system that only its derivative array can move, as an evaluator: singular structure, any shape, redundant equations.
///
/// Problem      the states x (all unknowns, and their derivatives below those written) satisfy F(t, x, …) = 0 and all that follows from
///              it; rates ẋ for methods, and the nearest consistent x
/// Method       at the first evaluation in a configuration the level μ is found (characteristic_values.hpp). The array of level
///              μ + 1 then determines the rates: Gauss-Newton on it (array_newton.hpp) with groups of slots: differentiated states
///              (least weighted change), algebraic ones, highest derivatives written, higher ones. project(): the states
///              found; rhs(): the rates that belong to them. [KM06] 6, [Wun08] 2.2.2, 5.4, 7.1.1
/// Notation     μ, a, d, u, v as in characteristic_values.hpp
/// Contract     rhs() is the field f∘P, P the projection: stages beside the constraints are no obstacle, and points on them give the
///              exact rates. projection() is `results`. Ranks are frozen over a configuration and compared at every accepted
///              point (keep_solutions, ranks_differ()); what follows from a difference is up to the run
///              (hybrid/rank_watch.hpp). check() asks for one point.
///              Allocates when a configuration is analysed, not after that. The LockedDae outlives this object.
/// Choices      Differentiated states keep their values where algebraic ones can do what the equations ask for: after a jump, and
///              beside errors of multipliers. Where they cannot (no such values exist) all states move alike.
///              Rates that nothing determines (u > 0) have least norm: constant continuation ([Wun08] (5.16)).
///              Where equations contradict each other, linear ones are solved in the least-squares sense, with a flag
///              (contradiction()); nonlinear ones are a failure.
///              A change of the configuration alone is answered by comparing ranks: with u = 0, equal ranks of this array mean
///              that all rates are determined and no constraint has been added.
/// Fails when   no values of the slots satisfy the array: no_projection, the culprit is a row of it, described by its text;
///              no level can be found: no_convergence, described by the analysis
/// Cost         an analysis: some decompositions of the arrays up to μ + 1. An evaluation: one or a few residuals of the array;
///              for nonlinear and time-varying equations now and then a matrix and its decomposition
/// Checked by   tests/unit/reduce/array_evaluator_test.cpp, tests/unit/reduce/array_allocation_test.cpp
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/archive.hpp"
#include "reduce/nonlinear/forwarding_evaluator.hpp"
#include "reduce/ranks/array_layout.hpp"
#include "reduce/ranks/array_newton.hpp"
#include "reduce/ranks/characteristic_values.hpp"
#include "reduce/ranks/frozen_elimination.hpp"
#include "reduce/ranks/reduced_equations.hpp"

namespace saltus::reduce {

class ArrayEvaluator final : public ForwardingEvaluator, private ConsistentPoints {
 public:
  ArrayEvaluator(std::unique_ptr<system::Evaluator> inner, const system::LockedDae& dae,
                 const AnalysisOptions& options = {});

  void set_configuration(const system::Configuration& configuration) override;
  void set_latched(Index guard, double value) override;
  [[nodiscard]] system::Projection projection() const override;
  system::Evaluation project(double t, std::span<double> x) override;
  system::Evaluation project_instant(double t, std::span<double> x) override { return project(t, x); }
  system::Evaluation rhs(double t, std::span<const double> x, std::span<double> xdot) override;
  system::Evaluation residual_point(double t, std::span<const double> x, std::span<double> y,
                                    std::span<double> ydot) override;
  /// Of the reduced equations (reduced_equations.hpp).
  [[nodiscard]] system::EquationRunner* residual_runner() override;
  /// Pivots of the array in the order of freeze_divisors(); none where its matrix is constant.
  [[nodiscard]] Index n_divisors() override;
  system::Evaluation divisors(double t, std::span<const double> x, std::span<double> values) override;
  [[nodiscard]] system::DivisorInfo divisor_info(Index divisor) const override;
  /// Pivots are chosen at a point. False: there are none.
  [[nodiscard]] bool freeze_divisors(double t, std::span<const double> x);
  void keep_solutions() override;
  void restore_solutions() override;
  [[nodiscard]] std::string describe(const system::Evaluation& evaluation, double t) const override;
  /// ġ alone: higher derivatives would need higher arrays.
  system::Evaluation guard_derivatives(Index i, double t, std::span<const double> x,
                                       system::GuardDerivatives& derivatives) override;

  /// Analyses the present configuration at (t, x) unless that has been done; evaluations do it by themselves.
  system::Evaluation prepare(double t, std::span<const double> x);
  /// Of the last analysis, in the form of states; null before.
  [[nodiscard]] const CharacteristicValues* values() const { return values_ ? &*values_ : nullptr; }

  /// Whether the ranks at (t, x) differ from those of the analysis. Then analyse_again() makes the next evaluation begin with a
  /// new analysis.
  system::Evaluation check(double t, std::span<const double> x, bool& has_changed);
  void analyse_again();
  /// … at the last accepted point: another structure, a singular point, or sizes that are others now.
  [[nodiscard]] bool ranks_differ() const { return ranks_differ_; }
  /// Characteristic values of the present configuration anywhere; this object stays as it is.
  [[nodiscard]] Result<CharacteristicValues> values_at(double t, std::span<const double> x) const;
  /// Of the iteration at the last point: large near points where the values change.
  [[nodiscard]] double condition() const { return newton_ ? newton_->condition() : 1.0; }

  /// The largest miss of contradictory linear equations since the analysis; row -1: there was none.
  [[nodiscard]] const ArrayNewton::Miss& contradiction() const { return contradiction_; }
  /// The equation behind it as a person reads it.
  [[nodiscard]] std::string contradiction_text() const;
  /// Variables of all rows that were contradictory then; ascending.
  [[nodiscard]] std::vector<Index> contradicted_variables() const;

  void fields(Archive& a) override;

 private:
  enum class State : std::uint8_t {
    unknown,     // no analysis, or not valid any more
    unverified,  // the configuration has changed since
    ready,
    failed,
  };

  system::Evaluation make_ready(double t, std::span<const double> x) override;
  system::Evaluation nearest(double t, std::span<const double> x, std::span<double> states,
                             std::span<double> rates) override;
  system::Evaluation linearise(double t) override;
  void respond(Index state, std::span<double> states, std::span<double> rates) override;
  system::Evaluation analyse(double t, std::span<const double> x);
  void newton_fields(Archive& a, std::unique_ptr<ArrayNewton>& newton);
  void compare_at_accepted_point();
  [[nodiscard]] bool still_holds(double t, std::span<const double> x);
  system::Evaluation fail(Diagnostics problems);
  system::Evaluation solve(double t, std::span<const double> x);
  system::Evaluation solve_with(ArrayNewton& newton, double t, std::span<const double> x);
  system::Evaluation freeze_ranks(ArrayNewton& newton, double t);
  system::Evaluation note_row(const system::Evaluation& evaluation);

  const system::LockedDae& dae_;
  AnalysisOptions options_;
  system::Configuration configuration_;
  State state_ = State::unknown;
  std::optional<CharacteristicValues> values_;
  std::string failure_;  // of the analysis
  double last_time_ = 0.0;
  bool ranks_differ_ = false;
  FrozenElimination pivots_;
  int array_level_ = 0;  // of the array that newton_ and relaxed_ solve
  std::unique_ptr<ArrayNewton> newton_;
  std::unique_ptr<ArrayNewton> relaxed_;  // where the algebraic states alone cannot do it
  ArrayLayout layout_;
  std::unique_ptr<ReducedEquations> reduced_;  // once somebody has asked for a runner
  bool is_reduced_ = false;                    // … by the present analysis
  ArrayNewton* last_newton_ = nullptr;         // whose solution the slots are
  std::vector<double> response_;
  std::vector<double> slots_;
  std::vector<double> kept_slots_;
  std::vector<double> rates_;
  std::vector<double> gradient_;
  ArrayNewton::Miss contradiction_;
  std::shared_ptr<const system::EquationSet> contradicted_;  // whose row it is: another analysis may follow
  int contradicted_level_ = 0;                               // of that array
  std::vector<double> contradicted_rows_;                    // misses of its rows
  ArrayNewton::Miss last_miss_;
  Index not_finite_row_ = -1;
};

}  // namespace saltus::reduce
