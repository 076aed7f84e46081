/// Whether linear equations have a structure that a transformation can keep.
///
/// Problem      E·ẋ = A·x + b: symmetric, E = Eᵀ and A = Aᵀ; self-adjoint, E = -Eᵀ and A = (A + Ė)ᵀ ([Wun08] Definition 4.20), with constant
///              coefficients skew-symmetric/symmetric. M·ẍ + C·ẋ + K·x = f: symmetric, all three; self-adjoint, M = Mᵀ, C = 2Ṁ - Cᵀ,
///              K = M̈ - Ċᵀ + Kᵀ, with constant coefficients gyroscopic: C = -Cᵀ, the others symmetric.
/// Method       Entry by entry: a sum that should vanish may be kRoundingOfEntries of its terms. That is the same in all units that keep the
///              structure. Equations need not stand in the order of their unknowns, nor have the sign that makes the structure: an assignment of
///              equations to unknowns with signs is searched for by comparing the numbers that a row and a column consist of, and then in depth.
/// Contract     Square, one shape, finite; derivatives that are not given are zero. What holds at a point holds there.
/// Choices      The search ends after kMostAssignments tries and says so: it would be as long as the factorial for matrices of equal entries.
/// Checked by   tests/unit/reduce/pair_structure_test.cpp
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "reduce/linear/order_array.hpp"

namespace saltus::reduce {

enum class StructureKind : std::uint8_t { none, symmetric, self_adjoint };

/// Of Σ C_i·x⁽ⁱ⁾ = f, order 1 or 2: (-A, E) or (K, C, M), with derivatives.
[[nodiscard]] bool has_structure(const Coefficients& coefficients, StructureKind kind);

/// Row i, times its sign, belongs to unknown[i].
struct RowAssignment {
  std::vector<Index> unknown;
  std::vector<double> sign;

  [[nodiscard]] bool is_identity() const;
  friend bool operator==(const RowAssignment&, const RowAssignment&) = default;
};

[[nodiscard]] Coefficients with_rows(const Coefficients& coefficients, const RowAssignment& assignment);

struct StructureSearch {
  StructureKind kind = StructureKind::none;
  RowAssignment assignment;
  bool is_complete = true;  ///< false: given up
};

/// The order as written first, then others; symmetric before self-adjoint.
[[nodiscard]] StructureSearch find_structure(const Coefficients& coefficients);

}  // namespace saltus::reduce
