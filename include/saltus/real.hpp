// The number type of traced C++: what is computed with it is taken down as equations of a model.
#pragma once

#include <cstdint>
#include <type_traits>

namespace saltus {

namespace trace {
class Recorder;
}

/// A number of a function that TracedModel traces. Behaves like double: arithmetic, functions found by argument-dependent lookup (`using std::sin;
/// sin(x)`), comparisons that give bool. Each comparison that depends on more than numbers becomes a condition of the model (traced_model.hpp). It does not
/// convert to double, because what is computed from a double is not seen; value() says what that means.
///
/// A Real belongs to the run of the function in which it was made. One that is kept and used in another run, or compared with one of another model,
/// ends the trace with an error; used where nothing is traced it throws ContractViolation. Numbers (`Real k = 2.5`) belong to no run and may be kept.
class Real {
 public:
  /// Zero.
  Real() = default;
  /// A number; Booleans are none.
  template <class T>
  // NOLINTNEXTLINE(google-explicit-constructor): 2*x is to be written as 2*x
  requires(std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) Real(T number)
      : value_(static_cast<double>(number)), run_(kNumber) {}

  /// The number at the point at which the function is traced, for messages. What is made of it is not seen: a model whose function asks for it is refused
  /// unless TracedModel::opaque() says that no equation depends on it, and also then if one does.
  [[nodiscard]] double value() const;

  Real& operator+=(const Real& other) { return *this = *this + other; }
  Real& operator-=(const Real& other) { return *this = *this - other; }
  Real& operator*=(const Real& other) { return *this = *this * other; }
  Real& operator/=(const Real& other) { return *this = *this / other; }

  friend Real operator+(const Real& a) { return a; }
  friend Real operator-(const Real& a);
  friend Real operator+(const Real& a, const Real& b);
  friend Real operator-(const Real& a, const Real& b);
  friend Real operator*(const Real& a, const Real& b);
  friend Real operator/(const Real& a, const Real& b);

  // One condition each; == and != are two: neither less nor greater.
  friend bool operator<(const Real& a, const Real& b);
  friend bool operator>(const Real& a, const Real& b);
  friend bool operator<=(const Real& a, const Real& b);
  friend bool operator>=(const Real& a, const Real& b);
  friend bool operator==(const Real& a, const Real& b) { return a <= b && a >= b; }
  friend bool operator!=(const Real& a, const Real& b) { return !(a == b); }

  friend Real sin(const Real& a);
  friend Real cos(const Real& a);
  friend Real tan(const Real& a);
  friend Real asin(const Real& a);
  friend Real acos(const Real& a);
  friend Real atan(const Real& a);
  friend Real sinh(const Real& a);
  friend Real cosh(const Real& a);
  friend Real tanh(const Real& a);
  friend Real exp(const Real& a);
  friend Real log(const Real& a);
  friend Real log10(const Real& a);
  friend Real sqrt(const Real& a);
  friend Real pow(const Real& base, const Real& exponent);
  friend Real atan2(const Real& y, const Real& x);
  friend Real hypot(const Real& a, const Real& b) { return sqrt(a * a + b * b); }

  // As in the language: the kinks of abs, min and max are no events, the jumps of the others are.
  friend Real abs(const Real& a);
  friend Real fabs(const Real& a) { return abs(a); }
  friend Real min(const Real& a, const Real& b);
  friend Real max(const Real& a, const Real& b);
  friend Real fmin(const Real& a, const Real& b) { return min(a, b); }
  friend Real fmax(const Real& a, const Real& b) { return max(a, b); }
  friend Real sign(const Real& a);
  friend Real floor(const Real& a);
  friend Real ceil(const Real& a);
  friend Real trunc(const Real& a);
  /// The remainder of the division, with the sign of a.
  friend Real fmod(const Real& a, const Real& b) { return a - trunc(a / b) * b; }

 private:
  friend class trace::Recorder;
  static constexpr std::uint32_t kUnset = 0;
  static constexpr std::uint32_t kNumber = 1;

  double value_ = 0.0;
  std::uint32_t node_ = 0;      // of the expression; only in a run
  std::uint32_t run_ = kUnset;  // in which it was made; or no run
};

}  // namespace saltus
