/// Problem      what a change of mode does to the kinds of components: which of the thirteen cases of [Wun08] Table 5.1 it is
/// Method       With n components in all, Δd + Δa + Δu = 0: of the 27 triples of signs 13 remain. A mode with fewer components
///              is filled up with undetermined ones, which is how they are continued ([Wun08] (5.16): frozen).
/// Notation     d, a, u: differential, algebraic and undetermined components; Δ: after minus before
/// Contract     a pure function of the two triples; every pair of triples of counts has exactly one case. transfer_cases() lists
///              all by their numbers.
/// Choices      The body of the table is lost in the copy at hand; the numbers are those that agree with all that the text
///              quotes (4: a differential component becomes algebraic; 9: the reverse; 3, 5, 6, 7, 12: u grows).
/// Checked by   tests/unit/reduce/transfer_case_test.cpp
#pragma once

#include <span>
#include <string>

#include "base/ids.hpp"

namespace saltus::reduce {

struct ComponentCounts {
  Index differential = 0;
  Index algebraic = 0;
  Index undetermined = 0;
};

struct TransferCase {
  int number = 1;  ///< 1 … 13
  // Signs of the changes.
  int differential = 0;
  int algebraic = 0;
  int undetermined = 0;

  /// More is determined by equations without freedom: values before the change may contradict them and have to jump.
  [[nodiscard]] bool may_jump() const { return algebraic > 0; }
  /// More is left open: the continuation is one of many, that which freezes the open components.
  [[nodiscard]] bool is_ambiguous() const { return undetermined > 0; }
  /// Components become differential: they start with the values they have.

  friend bool operator==(const TransferCase&, const TransferCase&) = default;
};

[[nodiscard]] TransferCase transfer_case(const ComponentCounts& before, const ComponentCounts& after);

/// By number.
[[nodiscard]] std::span<const TransferCase> transfer_cases();

/// "case 4: fewer differential, more algebraic components; values may jump".
[[nodiscard]] std::string text_of(const TransferCase& which);

}  // namespace saltus::reduce
