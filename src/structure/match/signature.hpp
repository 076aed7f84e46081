/// The signature of a system: which equation contains which variable, and up to which derivative.
///
/// Problem    σ_ij = the highest order of derivative of variable j in equation i, -∞ where it does not occur [Pry01].
/// Contract   columns of a row are ascending and without repetition. An occurrence is structural and counts where the
///            value depends on it smoothly: not inside relations, floor and the like, whose derivatives vanish.
///            What a given rate (a rated node, expr/graph.hpp) contains, the derivative of the equation contains: σ is one
///            less than its order, -1 for a variable that occurs in a rate alone.
/// Cost       one pass over the graph, then each equation's own nodes.
/// Checked by tests/unit/structure/signature_test.cpp
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "flat/model.hpp"
#include "structure/match/incidence.hpp"

namespace saltus::structure {

struct Signature {
  std::uint32_t n_columns = 0;
  std::vector<std::uint32_t> row_starts = {0};
  std::vector<std::uint32_t> columns;
  std::vector<int> orders;  ///< σ of each entry

  [[nodiscard]] std::uint32_t n_rows() const { return static_cast<std::uint32_t>(row_starts.size() - 1); }
};

/// `column_of_variable`: by variable of the model; kNone for those that do not count.
[[nodiscard]] Signature find_signature(const expr::Graph& graph, std::span<const flat::Equation> equations,
                                       std::span<const std::uint32_t> column_of_variable,
                                       std::uint32_t n_columns);

/// Which variable occurs in which equation, in whatever order (sides are not told apart).
[[nodiscard]] Incidence any_order(const Signature& signature);

}  // namespace saltus::structure
