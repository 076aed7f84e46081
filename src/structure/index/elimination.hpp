/// Which unknowns of a block can be given by formulas of others: the incidence part of tearing (tearing.hpp).
///
/// Problem    rows over columns, some entries ±1; as many pivots ±1 as possible, each column that is given put into the other rows
/// Method     rows in their order, again and again, with growing bounds on (r - 1)(c - 1), r entries in the row, c in the column
///            (the count of [Mar57])
/// Contract   An unknown never comes into a row that contains it already. So numbers are multiplied, never subtracted: a matrix is
///            as singular after it as before, and seen to be. A row gives only what it contained as written, and so no unknown is
///            needed by what it needs: there is an order of the formulas.
///            No pivot adds more entries than it takes away, (r - 1)(c - 1) ≤ r + c - 1.
/// Cost       linear in the entries for each pass, at most kMostSweeps for each bound
/// Checked by tests/unit/structure/tearing_test.cpp
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "base/ids.hpp"

namespace saltus::structure {

/// One unknown in one row.
struct EliminationEntry {
  std::uint32_t column = 0;
  double unit = 0.0;  ///< ±1: the row is ±u + rest, and u is not in the rest
  NodeId value;       ///< of a linear row: the coefficient
};

/// The entry of a column that is in the row.
inline const EliminationEntry& entry_of(const std::vector<EliminationEntry>& row, std::uint32_t column) {
  return *std::lower_bound(
      row.begin(), row.end(), column,
      [](const EliminationEntry& entry, std::uint32_t wanted) { return entry.column < wanted; });
}

class Elimination {
 public:
  static constexpr std::uint32_t kKept = std::numeric_limits<std::uint32_t>::max();

  /// As many rows as columns; entries of a row ascend in columns. may_go: by column, 0 where it is to be kept.
  Elimination(std::vector<std::vector<EliminationEntry>> rows, std::vector<std::uint8_t> may_go);

  /// gain(target, coefficient, row, pivot, gained): `gained` are the entries of `row` without the pivot, which a target with this
  /// coefficient of the unknown is to get: their values are made what they are there.
  template <class Gain>
  void run(const Gain& gain) {
    for (const std::size_t most : kCounts) {
      for (int sweep = 0; sweep < kMostSweeps && pass(most, gain); ++sweep) {
      }
    }
  }

  [[nodiscard]] const std::vector<EliminationEntry>& row(std::uint32_t i) const { return rows_[i]; }
  /// Whether a row is still one of the block.
  [[nodiscard]] bool is_left(std::uint32_t row) const { return is_left_[row] != 0; }
  /// The row that gives an unknown, or kKept.
  [[nodiscard]] std::uint32_t giver(std::uint32_t column) const { return giver_[column]; }
  /// The columns that rows give, each after those that its row contains as written: by the longest chain of formulas below, then
  /// by row, so that elements of arrays stay together.
  [[nodiscard]] std::vector<std::uint32_t> order_of_formulas(
      const std::vector<std::vector<EliminationEntry>>& written) const;

 private:
  // Pivots that cost least first; with passes in the order of rows, three bounds and a last without one come close to the order of the
  // counts themselves, and a chain is done in one pass.
  static constexpr std::array<std::size_t, 4> kCounts{0, 1, 2, std::numeric_limits<std::size_t>::max()};
  static constexpr int kMostSweeps = 4;

  template <class Gain>
  bool pass(std::size_t most, const Gain& gain) {
    bool has_changed = false;
    for (std::uint32_t row = 0; row < rows_.size(); ++row) {
      if (is_left_[row] == 0) {
        continue;
      }
      if (const std::uint32_t column = find_pivot(row, most); column != kKept) {
        const std::vector<std::uint32_t> targets = take_out(row, column);
        for (const std::uint32_t target : targets) {
          std::vector<EliminationEntry> gained = rows_[row];
          std::erase_if(gained, [&](const EliminationEntry& entry) { return entry.column == column; });
          for (EliminationEntry& entry : gained) {
            entry.unit = 0.0;
          }
          gain(target, entry_of(rows_[target], column), row, entry_of(rows_[row], column), gained);
          put_in(target, column, gained);
        }
        has_changed = true;
      }
    }
    return has_changed;
  }

  [[nodiscard]] std::uint32_t find_pivot(std::uint32_t row, std::size_t most) const;
  [[nodiscard]] bool comes_in_anew(std::uint32_t row, std::uint32_t column) const;
  // The row gives the column from now on. Returns the rows that contain it.
  std::vector<std::uint32_t> take_out(std::uint32_t row, std::uint32_t column);
  void put_in(std::uint32_t target, std::uint32_t column, std::span<const EliminationEntry> gained);

  std::vector<std::vector<EliminationEntry>> rows_;
  std::vector<std::vector<std::uint32_t>> columns_;  // rows that are left with the unknown
  std::vector<std::uint8_t> may_go_;                 // by column
  std::vector<std::uint32_t> giver_;                 // by column
  std::vector<std::uint8_t> is_left_;                // by row
};

}  // namespace saltus::structure
