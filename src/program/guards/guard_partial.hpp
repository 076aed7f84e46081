/// ∂(operation)/∂(operand i) as a number or an interval; the same rules as expr/chain_rule.hpp, for tapes.
#pragma once

#include <numbers>
#include <type_traits>

#include "expr/operation.hpp"
#include "program/vm/interval.hpp"

namespace saltus::program {

/// An operation on numbers or intervals; operands that it does not have are ignored.
[[nodiscard]] inline double apply_operation(expr::Op op, double a, double b, double c) {
  return expr::apply(op, a, b, c);
}
[[nodiscard]] Interval apply_operation(expr::Op op, const Interval& a, const Interval& b, const Interval& c);

template <class T>
class Partial {
 public:
  Partial(expr::Op op, const T& v, const T& a, const T& b) : op_(op), v_(v), a_(a), b_(b) {}

  [[nodiscard]] T operator()(int i) const {
    switch (op_) {
      case Op::negate: return one(-1.0);
      case Op::add: return one(1.0);
      case Op::subtract: return one(i == 0 ? 1.0 : -1.0);
      case Op::multiply: return i == 0 ? b_ : a_;
      case Op::divide: return i == 0 ? over(one(1.0), b_) : minus(over(v_, b_));
      case Op::power:
        return i == 0 ? product(b_, binary(Op::power, a_, binary(Op::subtract, b_, one(1.0))))
                      : product(v_, unary(Op::log, a_));
      case Op::power_integer:
        return product(b_, binary(Op::power_integer, a_, binary(Op::subtract, b_, one(1.0))));
      case Op::abs: return unary(Op::sign, a_);
      case Op::atan2: return over(i == 0 ? b_ : minus(a_), binary(Op::add, square(a_), square(b_)));
      case Op::minimum: return i == 0 ? binary(Op::less, a_, b_) : rest(binary(Op::less, a_, b_));
      case Op::maximum: return i == 0 ? binary(Op::less, b_, a_) : rest(binary(Op::less, b_, a_));
      case Op::select: return i == 1 ? a_ : i == 2 ? rest(a_) : one(0.0);
      default: return of_function();
    }
  }

  /// The partial derivative times `by`, without a product where the factor is ±1.
  [[nodiscard]] T times(int i, const T& by) const {
    switch (op_) {
      case Op::add: return by;
      case Op::negate: return minus(by);
      case Op::subtract: return i == 0 ? by : minus(by);
      default: break;
    }
    // Zero times what is not bounded: a side that is not chosen, or an operand that rests.
    const T factor = (*this)(i);
    return is_zero(factor) || is_zero(by) ? one(0.0) : product(factor, by);
  }

 private:
  using Op = expr::Op;

  [[nodiscard]] T of_function() const {
    switch (op_) {
      case Op::sqrt: return over(one(1.0), product(one(2.0), v_));
      case Op::exp: return v_;
      case Op::log: return over(one(1.0), a_);
      case Op::log10: return over(one(1.0), product(one(std::numbers::ln10), a_));
      case Op::sin: return unary(Op::cos, a_);
      case Op::cos: return minus(unary(Op::sin, a_));
      case Op::tan: return binary(Op::add, one(1.0), square(v_));
      case Op::asin: return over(one(1.0), circle_height());
      case Op::acos: return over(one(-1.0), circle_height());
      case Op::atan: return over(one(1.0), binary(Op::add, one(1.0), square(a_)));
      case Op::sinh: return unary(Op::cosh, a_);
      case Op::cosh: return unary(Op::sinh, a_);
      case Op::tanh: return rest(square(v_));
      default: return one(0.0);
    }
  }

  static T one(double value) {
    if constexpr (std::is_same_v<T, double>) {
      return value;
    } else {
      return T{value, value};
    }
  }
  static T unary(Op op, const T& a) { return apply_operation(op, a, a, a); }
  static T binary(Op op, const T& a, const T& b) { return apply_operation(op, a, b, b); }
  static bool is_zero(const T& a) { return a == one(0.0); }
  static T product(const T& a, const T& b) {
    if constexpr (std::is_same_v<T, double>) {
      return a * b;
    } else {
      return multiply(a, b);
    }
  }
  static T over(const T& a, const T& b) { return binary(Op::divide, a, b); }
  static T minus(const T& a) {
    if constexpr (std::is_same_v<T, double>) {
      return -a;
    } else {
      return negate(a);
    }
  }
  static T rest(const T& a) { return binary(Op::subtract, one(1.0), a); }
  static T square(const T& a) { return binary(Op::power_integer, a, one(2.0)); }
  // sqrt((1 - a)(1 + a)), exact near ±1
  [[nodiscard]] T circle_height() const {
    return unary(Op::sqrt, product(rest(a_), binary(Op::add, one(1.0), a_)));
  }

  Op op_;
  const T& v_;
  const T& a_;
  const T& b_;
};

}  // namespace saltus::program
