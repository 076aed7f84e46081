#include "program/vm/interval_continuity.hpp"

#include <algorithm>
#include <cmath>

#include "expr/operation.hpp"

namespace saltus::program {
namespace {

using expr::Op;

bool is_point(const Interval& a) {
  return a.lower == a.upper;
}
Continuity unless(bool is_partial, Continuity otherwise) {
  return is_partial ? otherwise : Continuity::continuous;
}

Continuity of_power(const Interval& a, const Interval& b) {
  if (a.lower > 0.0 || (a.lower >= 0.0 && b.lower > 0.0)) {
    return Continuity::continuous;
  }
  return a.contains(0.0) && b.lower <= 0.0 ? Continuity::may_jump : Continuity::partial;
}

}  // namespace

Continuity continuity_of(Op op, const Interval& a, const Interval& b, const Interval& value) {
  switch (op) {
    case Op::sqrt: return unless(!(a.lower >= 0.0), Continuity::partial);
    case Op::log:
    case Op::log10: return unless(!(a.lower > 0.0), Continuity::partial);
    case Op::asin:
    case Op::acos: return unless(!(a.lower >= -1.0 && a.upper <= 1.0), Continuity::partial);
    case Op::divide: return unless(b.contains(0.0), Continuity::may_jump);
    case Op::power_integer: return unless(b.lower < 0.0 && a.contains(0.0), Continuity::may_jump);
    case Op::power: return of_power(a, b);
    case Op::tan:
      return unless(!(std::isfinite(value.lower) && std::isfinite(value.upper)), Continuity::may_jump);
    case Op::atan2: return unless(a.contains(0.0) && b.lower <= 0.0, Continuity::may_jump);
    case Op::sign:
    case Op::floor:
    case Op::ceil:
    case Op::truncate:
    case Op::less:
    case Op::less_equal:
    case Op::equal:
    case Op::not_equal: return unless(!is_point(value), Continuity::may_jump);
    default: return Continuity::continuous;
  }
}

Continuity continuity_of(Op op, const Interval (&operands)[3], const Continuity (&decorations)[3],
                         const Interval& value) {
  if (op == Op::select) {
    const Interval& condition = operands[0];
    if (!is_point(condition)) {
      return Continuity::may_jump;
    }
    const Continuity side = condition.lower == 1.0   ? decorations[1]
                            : condition.lower == 0.0 ? decorations[2]
                                                     : std::min(decorations[1], decorations[2]);
    return std::min(side, decorations[0]);
  }
  Continuity decoration =
      value.empty() ? Continuity::partial : continuity_of(op, operands[0], operands[1], value);
  for (int k = 0; k < expr::n_operands(op); ++k) {
    decoration = std::min(decoration, decorations[k]);
  }
  return decoration;
}

}  // namespace saltus::program
