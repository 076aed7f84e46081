/// Fractions in lowest terms. A number that does not fit throws std::overflow_error.
#pragma once

#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <string>

namespace saltus::test::landing {

class Fraction {
 public:
  Fraction(std::int64_t numerator = 0, std::int64_t denominator = 1)
      : numerator_(numerator), denominator_(denominator) {
    if (denominator_ < 0) {
      numerator_ = -numerator_;
      denominator_ = -denominator_;
    }
    const std::int64_t common = std::gcd(numerator_, denominator_);
    numerator_ /= common;
    denominator_ /= common;
  }

  friend Fraction operator+(const Fraction& a, const Fraction& b) {
    return {sum(product(a.numerator_, b.denominator_), product(b.numerator_, a.denominator_)),
            product(a.denominator_, b.denominator_)};
  }
  friend Fraction operator-(const Fraction& a) { return {-a.numerator_, a.denominator_}; }
  friend Fraction operator-(const Fraction& a, const Fraction& b) { return a + -b; }
  friend Fraction operator*(const Fraction& a, const Fraction& b) {
    return {product(a.numerator_, b.numerator_), product(a.denominator_, b.denominator_)};
  }
  friend Fraction operator/(const Fraction& a, const Fraction& b) {
    return {product(a.numerator_, b.denominator_), product(a.denominator_, b.numerator_)};
  }
  friend bool operator==(const Fraction& a, const Fraction& b) {
    return a.numerator_ == b.numerator_ && a.denominator_ == b.denominator_;
  }
  friend bool operator<(const Fraction& a, const Fraction& b) { return (a - b).sign() < 0; }

  [[nodiscard]] int sign() const { return (numerator_ > 0 ? 1 : 0) - (numerator_ < 0 ? 1 : 0); }
  [[nodiscard]] double value() const {
    return static_cast<double>(numerator_) / static_cast<double>(denominator_);
  }
  /// As a model reads it.
  [[nodiscard]] std::string text() const {
    const std::string number = std::to_string(numerator_);
    return "(" + number + (denominator_ == 1 ? "" : "/" + std::to_string(denominator_)) + ")";
  }

 private:
  static std::int64_t product(std::int64_t a, std::int64_t b) {
    std::int64_t result = 0;
    return __builtin_mul_overflow(a, b, &result) ? too_large() : result;
  }
  static std::int64_t sum(std::int64_t a, std::int64_t b) {
    std::int64_t result = 0;
    return __builtin_add_overflow(a, b, &result) ? too_large() : result;
  }
  [[noreturn]] static std::int64_t too_large() { throw std::overflow_error("a fraction is too large"); }

  std::int64_t numerator_;
  std::int64_t denominator_;
};

}  // namespace saltus::test::landing
