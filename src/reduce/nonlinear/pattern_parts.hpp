/// The parts of a sparse problem that have nothing to do with each other.
///
/// Problem      rows and unknowns of a pattern; unknowns that take part in a row belong together. Linear algebra that is dense, or decides by
///              what all unknowns do together, is done part by part: then N copies of a model cost N times one, and give what one gives
/// Method       disjoint sets: every row joins its unknowns
/// Contract     parts are numbered by their first unknown; within a part, rows and unknowns keep their order. Rows without unknowns that
///              take part, and such unknowns, belong to none.
/// Cost         linear in the entries
/// Checked by   tests/unit/reduce/pattern_parts_test.cpp
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "system/equation_set.hpp"

namespace saltus::reduce {

struct PatternParts {
  struct Part {
    std::vector<Index> rows;
    std::vector<Index> columns;
  };
  std::vector<Part> parts;
  std::vector<Index> of_row;     ///< -1: none
  std::vector<Index> of_column;  ///< -1: does not take part

  /// The larger one of rows and columns of the largest part.
  [[nodiscard]] Index largest() const;
};

/// `takes_part` by column, `counts` by row; empty: all.
[[nodiscard]] PatternParts find_parts(const system::RectangularPattern& pattern,
                                      std::span<const std::uint8_t> takes_part = {},
                                      std::span<const std::uint8_t> counts = {});

}  // namespace saltus::reduce
