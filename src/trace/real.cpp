#include "saltus/real.hpp"

#include <cmath>

#include "expr/operation.hpp"
#include "trace/recorder.hpp"

namespace saltus {
namespace {

using expr::Op;
using trace::Recorder;
using trace::Written;

template <Op op>
Real recorded(const Real& a) {
  return Recorder::unary(op, expr::apply<op>(Recorder::number(a)), a);
}

template <Op op>
Real recorded(const Real& a, const Real& b) {
  return Recorder::binary(op, expr::apply<op>(Recorder::number(a), Recorder::number(b)), a, b);
}

}  // namespace

double Real::value() const {
  return Recorder::value_for_outside(*this);
}

// clang-format off
Real operator-(const Real& a) { return recorded<Op::negate>(a); }
Real operator+(const Real& a, const Real& b) { return recorded<Op::add>(a, b); }
Real operator-(const Real& a, const Real& b) { return recorded<Op::subtract>(a, b); }
Real operator*(const Real& a, const Real& b) { return recorded<Op::multiply>(a, b); }
Real operator/(const Real& a, const Real& b) { return recorded<Op::divide>(a, b); }

bool operator<(const Real& a, const Real& b) { return Recorder::compare(a, b, Written::less); }
bool operator>(const Real& a, const Real& b) { return Recorder::compare(a, b, Written::greater); }
bool operator<=(const Real& a, const Real& b) { return Recorder::compare(a, b, Written::less_equal); }
bool operator>=(const Real& a, const Real& b) { return Recorder::compare(a, b, Written::greater_equal); }

Real sin(const Real& a) { return recorded<Op::sin>(a); }
Real cos(const Real& a) { return recorded<Op::cos>(a); }
Real tan(const Real& a) { return recorded<Op::tan>(a); }
Real asin(const Real& a) { return recorded<Op::asin>(a); }
Real acos(const Real& a) { return recorded<Op::acos>(a); }
Real atan(const Real& a) { return recorded<Op::atan>(a); }
Real sinh(const Real& a) { return recorded<Op::sinh>(a); }
Real cosh(const Real& a) { return recorded<Op::cosh>(a); }
Real tanh(const Real& a) { return recorded<Op::tanh>(a); }
Real exp(const Real& a) { return recorded<Op::exp>(a); }
Real log(const Real& a) { return recorded<Op::log>(a); }
Real log10(const Real& a) { return recorded<Op::log10>(a); }
Real sqrt(const Real& a) { return recorded<Op::sqrt>(a); }
Real pow(const Real& base, const Real& exponent) { return recorded<Op::power>(base, exponent); }
Real atan2(const Real& y, const Real& x) { return recorded<Op::atan2>(y, x); }
Real abs(const Real& a) { return recorded<Op::abs>(a); }
Real min(const Real& a, const Real& b) { return recorded<Op::minimum>(a, b); }
Real max(const Real& a, const Real& b) { return recorded<Op::maximum>(a, b); }
Real sign(const Real& a) { return recorded<Op::sign>(a); }
Real floor(const Real& a) { return recorded<Op::floor>(a); }
Real ceil(const Real& a) { return recorded<Op::ceil>(a); }
Real trunc(const Real& a) { return recorded<Op::truncate>(a); }
// clang-format on

}  // namespace saltus
