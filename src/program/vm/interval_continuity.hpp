/// What an interval operation cannot say by its result alone: whether the operation is defined and continuous over its operands.
///
/// Problem      √[-1, 1] = [0, 1] as a set says nothing of the points that have no root. A fixed-point theorem over a box, or a
///              conclusion from the rate of a function, needs a function that is defined and continuous on all of the box.
/// Method       the decorations dac, def and trv of IEEE 1788, carried from operands to results
/// Contract     conservative. A value that is chosen by a decided condition takes over the decoration of its side alone.
/// Choices      kinks (abs, min, max) are continuous: their slopes are the hull of both sides.
/// Checked by   tests/unit/program/interval_continuity_test.cpp
#pragma once

#include <cstdint>

#include "expr/graph.hpp"
#include "program/vm/interval.hpp"

namespace saltus::program {

/// Ascending: the least of the operands and of the operation itself counts.
enum class Continuity : std::uint8_t {
  may_jump,    ///< or has a pole
  partial,     ///< not defined everywhere, continuous where it is
  continuous,  ///< defined and continuous everywhere
};

/// Of the operation itself over its operands; `value` is its interval. Not for select.
[[nodiscard]] Continuity continuity_of(expr::Op op, const Interval& a, const Interval& b,
                                       const Interval& value);

/// The operation with decorations: operands and theirs in, that of the result out.
[[nodiscard]] Continuity continuity_of(expr::Op op, const Interval (&operands)[3],
                                       const Continuity (&decorations)[3], const Interval& value);

}  // namespace saltus::program
