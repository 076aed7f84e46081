/// Strongly connected components of the matched equations: the blocks that must be solved together, in order.
///
/// Problem    row r needs row s when r contains the column matched to s; find the classes of rows that need each other.
/// Method     Tarjan [Tar72] with an explicit stack.
/// Contract   components come in an order in which each needs only earlier ones. Rows not matched are left out.
/// Cost       O(rows + entries); no recursion.
/// Checked by tests/unit/structure/strong_components_test.cpp
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "structure/match/matching.hpp"

namespace saltus::structure {

struct Components {
  std::vector<std::uint32_t> starts = {0};      ///< component k is rows[starts[k] … starts[k+1])
  std::vector<std::uint32_t> rows;              ///< ascending within a component
  std::vector<std::uint32_t> component_of_row;  ///< kNone for rows not matched

  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(starts.size() - 1); }
  [[nodiscard]] std::span<const std::uint32_t> operator[](std::uint32_t k) const {
    return std::span(rows).subspan(starts[k], starts[k + 1] - starts[k]);
  }
};

[[nodiscard]] Components strong_components(const Incidence& incidence, const Matching& matching);

}  // namespace saltus::structure
