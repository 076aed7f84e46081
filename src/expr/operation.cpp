#include "expr/operation.hpp"

#include <limits>

namespace saltus::expr {

double apply(Op op, double a, double b, double c) {
  // clang-format off
  switch (op) {
    case Op::constant: case Op::time: case Op::variable: case Op::parameter: case Op::condition:
    case Op::previous: return std::numeric_limits<double>::quiet_NaN();
    case Op::negate: return apply<Op::negate>(a, b, c);
    case Op::add: return apply<Op::add>(a, b, c);
    case Op::subtract: return apply<Op::subtract>(a, b, c);
    case Op::multiply: return apply<Op::multiply>(a, b, c);
    case Op::divide: return apply<Op::divide>(a, b, c);
    case Op::power: return apply<Op::power>(a, b, c);
    case Op::power_integer: return apply<Op::power_integer>(a, b, c);
    case Op::sqrt: return apply<Op::sqrt>(a, b, c);
    case Op::exp: return apply<Op::exp>(a, b, c);
    case Op::log: return apply<Op::log>(a, b, c);
    case Op::log10: return apply<Op::log10>(a, b, c);
    case Op::sin: return apply<Op::sin>(a, b, c);
    case Op::cos: return apply<Op::cos>(a, b, c);
    case Op::tan: return apply<Op::tan>(a, b, c);
    case Op::asin: return apply<Op::asin>(a, b, c);
    case Op::acos: return apply<Op::acos>(a, b, c);
    case Op::atan: return apply<Op::atan>(a, b, c);
    case Op::sinh: return apply<Op::sinh>(a, b, c);
    case Op::cosh: return apply<Op::cosh>(a, b, c);
    case Op::tanh: return apply<Op::tanh>(a, b, c);
    case Op::abs: return apply<Op::abs>(a, b, c);
    case Op::sign: return apply<Op::sign>(a, b, c);
    case Op::floor: return apply<Op::floor>(a, b, c);
    case Op::ceil: return apply<Op::ceil>(a, b, c);
    case Op::truncate: return apply<Op::truncate>(a, b, c);
    case Op::atan2: return apply<Op::atan2>(a, b, c);
    case Op::minimum: return apply<Op::minimum>(a, b, c);
    case Op::maximum: return apply<Op::maximum>(a, b, c);
    case Op::less: return apply<Op::less>(a, b, c);
    case Op::less_equal: return apply<Op::less_equal>(a, b, c);
    case Op::equal: return apply<Op::equal>(a, b, c);
    case Op::not_equal: return apply<Op::not_equal>(a, b, c);
    case Op::logical_and: return apply<Op::logical_and>(a, b, c);
    case Op::logical_or: return apply<Op::logical_or>(a, b, c);
    case Op::logical_not: return apply<Op::logical_not>(a, b, c);
    case Op::select: return apply<Op::select>(a, b, c);
    case Op::rated: return apply<Op::rated>(a, b, c);
  }
  // clang-format on
  return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace saltus::expr
