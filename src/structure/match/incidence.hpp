/// Which equation contains which unknown, as compressed rows.
///
/// Contract   columns of a row are ascending and without repetition. An occurrence is structural: the unknown is a leaf
///            of the expression as built, whether or not its coefficient may vanish.
/// Cost       one pass over the graph, then each equation's own nodes that contain an unknown.
/// Checked by tests/unit/structure/incidence_test.cpp
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/ids.hpp"
#include "flat/model.hpp"
#include "structure/match/slots.hpp"

namespace saltus::structure {

struct Incidence {
  std::uint32_t n_columns = 0;
  std::vector<std::uint32_t> row_starts = {0};
  std::vector<std::uint32_t> columns;
  std::vector<std::uint8_t> sides;  ///< for each entry, where it occurs: kLeftSide, kRightSide or both

  static constexpr std::uint8_t kLeftSide = 1;
  static constexpr std::uint8_t kRightSide = 2;

  [[nodiscard]] std::uint32_t n_rows() const { return static_cast<std::uint32_t>(row_starts.size() - 1); }
  [[nodiscard]] std::span<const std::uint32_t> row(std::uint32_t r) const {
    return std::span(columns).subspan(row_starts[r], row_starts[r + 1] - row_starts[r]);
  }
  /// Where column c occurs in row r; 0 if it does not.
  [[nodiscard]] std::uint8_t sides_of(std::uint32_t r, std::uint32_t c) const;
};

/// The incidence with rows and columns exchanged (without sides).
[[nodiscard]] Incidence transpose(const Incidence& incidence);

/// Rows are the equations in their order, columns the slots; only slots below `n_columns` count, after aliases are
/// replaced by what they stand for.
[[nodiscard]] Incidence find_incidence(const expr::Graph& graph, std::span<const flat::Equation> equations,
                                       const SlotTable& slots, std::uint32_t n_columns);

}  // namespace saltus::structure
