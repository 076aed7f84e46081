/// One linear step towards consistent values: unknowns in levels, of which stronger ones change as little as possible.
///
/// Problem      J·c = -r in the least-squares sense over the rows that count; among the solutions that with the least change of
///              level 0, of these that with the least change of level 1, …; unknowns that are held do not change
/// Method       part by part (pattern_parts.hpp): what N copies of a model do is what one does. Dense: linalg/parted_least_squares.hpp.
///              Parts of more than kMostDense rows or unknowns, sparse: least_change.hpp with changes of level k measured in units of
///              kGrade^k of those of level 0, at most kMostGrade; the weakest level in units of kSpanOfGrades
/// Contract     Changes are measured in nominal values; rows have length 1 after scaling by row_scale(), taken over all
///              unknowns, held ones too. factorize(), then solve() and toward() as often as wanted.
/// Choices      kGrade = 1e2, kMostGrade = 1e4: the share of a change that a weaker level could have had all of is at most 1e-4 of
///              it, and the regularisation of the sparse path still sees rows that only the strongest level can meet. What must
///              not change at all is held (consistent_values.hpp), not graded. kSpanOfGrades = 1e8: the weakest level holds the highest
///              derivatives, which large systems (reduced by structure) can always be solved for; their size must not weigh.
/// Fails when   an entry is not finite
/// Cost         dense O(rows·unknowns·rank) of every part; sparse an LU of order rows + unknowns
/// Checked by   tests/unit/reduce/tiered_step_test.cpp
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "linalg/parted_least_squares.hpp"
#include "reduce/nonlinear/least_change.hpp"
#include "system/equation_set.hpp"

namespace saltus::reduce {

/// Dense up to this many unknowns and rows of a part: a step takes some milliseconds there.
inline constexpr Index kMostDense = 200;

/// Of an unknown that does not change.
inline constexpr int kHeldLevel = -1;

class TieredStep {
 public:
  /// `level` and `nominal` by unknown of the pattern, which outlives this object; `counts`: by row, those that do not are
  /// left out (empty: all count).
  TieredStep(const system::RectangularPattern& pattern, std::span<const int> level,
             std::span<const double> nominal, std::span<const std::uint8_t> counts,
             LeastChange::Algebra algebra);

  [[nodiscard]] bool factorize(std::span<const double> entries);
  void solve(std::span<const double> residual, std::span<double> change);
  /// The step that brings the unknowns of the levels below `n_levels` nearest to where they began: `moved` is how far they are
  /// from there. Of sparse parts the step of solve().
  void toward(std::span<const double> residual, std::span<const double> moved, int n_levels,
              std::span<double> change);

  /// Nothing, or not all, is sparse.
  [[nodiscard]] bool is_dense() const { return !sparse_ || dense_->n_parts() > 0; }
  [[nodiscard]] std::span<const double> row_scale() const { return row_scale_; }
  /// Over all levels, of the dense parts.
  [[nodiscard]] Index rank() const;

 private:
  void find_row_scale(std::span<const double> entries);
  void solve_sparse(std::span<const double> residual, std::span<double> change);
  void fill_right_side(std::span<const double> residual);

  const system::RectangularPattern* pattern_;
  std::vector<double> nominal_;
  std::vector<std::uint8_t> counts_;
  std::vector<double> row_scale_;
  std::optional<linalg::PartedLeastSquares> dense_;
  std::optional<LeastChange> sparse_;
  std::vector<std::uint8_t> is_sparse_row_;
  std::vector<double> masked_entries_;
  std::vector<double> right_side_;
  std::vector<double> unknowns_;
  std::vector<std::uint8_t> from_zero_;
};

}  // namespace saltus::reduce
