/// Equations that say no more than that two quantities are the same up to sign.
///
/// Problem    recognise a = b, a = -b, a - b = 0, a + b = 0 and the like between leaves, and let one slot stand for the
///            whole class.
/// Method     union-find with signs; the representative of a class is the slot with the smallest rank, then the smallest
///            number.
/// Contract   slots.representative() is updated; the equations used are returned and leave the system, each with the
///            slot that it defines. An equation between slots already equal is returned as repeated: it says nothing
///            new. One that would make a slot equal to its own negative stays in the system (it says "zero"), as does
///            one between two known slots (it is a constraint).
/// Cost       nearly linear.
/// Checked by tests/unit/structure/alias_test.cpp
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "flat/model.hpp"
#include "structure/match/slots.hpp"

namespace saltus::structure {

struct Alias {
  std::uint32_t slot = kNone;  ///< stands for its representative
  std::uint32_t row = kNone;   ///< an equation of its class; every equation used occurs once
};

struct AliasReport {
  std::vector<Alias> aliases;           ///< ascending in row
  std::vector<std::uint32_t> repeated;  ///< rows that repeat what others say
};

/// `ranks[slot]`: smaller is the better representative; kKnown marks known slots, of which a class has at most one;
/// kNeverAlias keeps a slot out.
inline constexpr int kKnownRank = -1;
inline constexpr int kNeverAlias = 1000;

/// Rank of an unknown quantity. A variable with a start value represents best (its start is the guess of iterations),
/// then one without, then a derivative: messages name what the equations contain.
[[nodiscard]] int alias_rank(const flat::Model& model, const Unknown& unknown);

[[nodiscard]] AliasReport eliminate_aliases(const expr::Graph& graph,
                                            std::span<const flat::Equation> equations,
                                            std::span<const int> ranks, SlotTable& slots);

}  // namespace saltus::structure
