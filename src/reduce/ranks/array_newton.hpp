/// Points of a derivative array: slots that satisfy all its rows, with the least change of the ones that matter.
///
/// Problem      F(t, z) = 0 with more slots than conditions, rows that depend on one another, and groups of slots: the first
///              group moves as little as possible, the second as little as possible then, …
/// Method       Gauss-Newton z ← z - λ·J⁺F(z), J⁺ in tiers (linalg/tiered_least_squares.hpp), damped by the natural
///              monotonicity test ‖J⁺F(z_new)‖ ≤ (1 - λ/4)·‖J⁺F(z)‖ [Deu04] 4.4; J is kept over iterations and points
///              (array_refresh.hpp). Affine rows need one step.
/// Notation     scale: sizes of slots. Those of all groups but the last are their nominal values (and a common factor), so that
///              least change means least weighted change; those of the last by equilibration.
///              anchor: where the slots of anchored groups were when solve() began. Their change is measured from there, not from
///              the last iterate: what iterations with one matrix move along the constraints another would not move back.
/// Contract     solve() does not allocate once ranks are set; decide_ranks() does.
///              Ranks are those of decide_ranks() until clear_ranks(): near the solutions a matrix may have pivots that vanish only on them.
/// Choices      Converged: the correction is at most kTightCorrection of the slots (or of their scales), or it stagnates
///              below kLooseCorrection, which is what rounding leaves; or it stagnates in slots of the last group alone and every row
///              is met to rounding. Rows are contradictory when they miss zero by more
///              than kConsistent of the sum of their terms.
/// Fails when   the iteration finds no solution (no_convergence) or a row is not finite: the culprit is a row
/// Cost         a decomposition for every new matrix, O(rows·slots) for an iteration
/// Checked by   tests/unit/reduce/array_newton_test.cpp
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/archive.hpp"
#include "linalg/tiered_least_squares.hpp"
#include "reduce/nonlinear/consistency.hpp"
#include "reduce/ranks/array_layout.hpp"
#include "reduce/ranks/array_refresh.hpp"
#include "system/equation_set.hpp"

namespace saltus::reduce {

class ArrayNewton {
 public:
  static constexpr double kTightCorrection = 1e-13;
  static constexpr double kLooseCorrection = 1e-8;

  /// Every slot is in one group or in none (then it is held); `nominal` by slot.
  ArrayNewton(std::shared_ptr<const system::EquationSet> equations, std::vector<ArrayGroup> groups,
              std::vector<double> nominal);

  void set_configuration(const system::Configuration& configuration);
  void set_latched(Index guard, double value);

  /// By group; those of decide_ranks().
  /// Ranks by the tolerance with every matrix.
  void clear_ranks();
  [[nodiscard]] const std::vector<Index>& ranks() const { return ranks_; }
  /// Ranks at a point, by the tolerance of linalg/rank_decision.hpp; scales are chosen anew. Allocates.
  system::Evaluation decide_ranks(double t, std::span<const double> z);
  /// Whether the ranks at a point, decided afresh, are those that are set. Makes a matrix; does not allocate.
  system::Evaluation compare_ranks(double t, std::span<const double> z, bool& is_same);

  /// A matrix of this solution, for respond().
  system::Evaluation linearise(double t, std::span<const double> z) { return refresh(t, z); }
  /// How the solution that solve() finds changes with the slot at which it begins: one column of the derivative.
  void respond(Index slot, std::span<double> change);
  /// The scaled matrix at a point, for matrix(): its columns are those of the groups in turn. The next solve() begins with another.
  system::Evaluation make_matrix(double t, std::span<const double> z);
  [[nodiscard]] std::span<const double> matrix() { return solver_.matrix(); }
  /// Of the last matrix, as they come, in the order of the pattern.
  [[nodiscard]] std::span<const double> entries() const { return entries_; }
  [[nodiscard]] std::span<const Index> group_sizes() const { return group_sizes_; }

  /// A step has been accepted: a matrix that has become slow may be replaced (array_refresh.hpp).
  void next_step() { policy_.next_step(); }
  /// Moves z to a solution.
  system::Evaluation solve(double t, std::span<double> z);

  /// Of the last solve(): the row that misses zero by most, relative to its terms.
  struct Miss {
    Index row = -1;
    double residual = 0.0;
    double relative = 0.0;
    [[nodiscard]] bool is_contradiction() const { return relative > kConsistent; }
    void fields(Archive& a) { a(row, residual, relative); }
  };
  [[nodiscard]] const Miss& miss() const { return miss_; }
  /// … and of every row, relative to its terms.
  [[nodiscard]] std::span<const double> misses() const { return misses_; }
  /// Estimate of the condition of the last matrix within its ranks.
  [[nodiscard]] double condition() const;
  [[nodiscard]] std::int64_t n_matrices() const { return n_matrices_; }
  [[nodiscard]] std::int64_t n_iterations() const { return n_iterations_; }
  [[nodiscard]] const std::vector<ArrayGroup>& groups() const { return groups_; }
  [[nodiscard]] const system::EquationSet& equations() const { return *equations_; }
  [[nodiscard]] const std::shared_ptr<const system::EquationSet>& shared_equations() const {
    return equations_;
  }

  void fields(Archive& a) {
    // Not saved: equations_, group_sizes_, least_value_, from_anchor_, nominal_, column_slot_; groups_ with which this was made.
    a(runner_, anchor_, ranks_, solver_, policy_, scale_, row_scale_, entries_, values_, right_, unknowns_,
      correction_, next_correction_, trial_, terms_, misses_, miss_, n_matrices_, n_iterations_);
  }

 private:
  system::Evaluation evaluate_matrix(double t, std::span<const double> z);
  void scale_matrix();
  void drop_anchor(std::span<const double> z);
  system::Evaluation refresh(double t, std::span<const double> z);
  system::Evaluation correction_at(double t, std::span<const double> z, std::span<double> correction);
  system::Evaluation restart(double t, std::span<const double> z);
  [[nodiscard]] double length(std::span<const double> z, std::span<const double> correction) const;
  void find_miss(std::span<const double> z);
  // values_ and next_correction_ are those of z.
  [[nodiscard]] bool is_met_to_rounding(std::span<const double> z);
  system::Evaluation iterate(double t, std::span<double> z);
  system::Evaluation finish(double t, std::span<double> z);

  std::shared_ptr<const system::EquationSet> equations_;
  std::unique_ptr<system::EquationRunner> runner_;
  std::vector<ArrayGroup> groups_;
  std::vector<Index> group_sizes_;
  std::vector<std::uint8_t> least_value_;
  std::vector<std::uint8_t> from_anchor_;  // least value, or least distance from the anchor
  std::vector<double> anchor_;             // by column of the solver; 0 where nothing is anchored
  std::vector<double> nominal_;
  std::vector<Index> column_slot_;  // by column of the solver
  std::vector<Index> ranks_;        // empty: not decided yet
  linalg::TieredLeastSquares solver_;
  ArrayRefreshPolicy policy_;
  std::vector<double> scale_;      // by slot
  std::vector<double> row_scale_;  // of the last matrix
  std::vector<double> entries_;    // of the last matrix, in the order of the pattern
  std::vector<double> values_;
  std::vector<double> right_;
  std::vector<double> unknowns_;
  std::vector<double> correction_;
  std::vector<double> next_correction_;
  std::vector<double> trial_;
  std::vector<double> terms_;
  std::vector<double> misses_;  // by row
  Miss miss_;
  std::int64_t n_matrices_ = 0;
  std::int64_t n_iterations_ = 0;
};

}  // namespace saltus::reduce
