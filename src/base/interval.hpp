/// A closed interval of real numbers: the one type for enclosures that both towers speak of. Arithmetic is in
/// program/vm/interval.hpp, bounds of polynomials in locate.
#pragma once

namespace saltus {

struct Interval {
  double lower = 0.0;
  double upper = 0.0;

  [[nodiscard]] bool empty() const { return !(lower <= upper); }
  [[nodiscard]] bool contains(double value) const { return lower <= value && value <= upper; }
  [[nodiscard]] bool contains(const Interval& other) const {
    return lower <= other.lower && other.upper <= upper;
  }
  friend bool operator==(const Interval&, const Interval&) = default;
};

}  // namespace saltus
