/// Sign changes of a polynomial on an interval, all of them, in long double.
///
/// Method: between two neighbouring sign changes of p′ the polynomial is monotone, so it changes its sign there at most
/// once and bisection finds where; the sign changes of p′ are found in the same way.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace saltus::test::oracle {

using Polynomial = std::vector<long double>;  ///< p[0] + p[1] θ + …

inline long double value_at(const Polynomial& p, long double theta) {
  long double sum = 0;
  for (std::size_t k = p.size(); k-- > 0;) {
    sum = sum * theta + p[k];
  }
  return sum;
}

inline bool cannot_vanish(const Polynomial& p, long double h) {
  long double rest = 0;
  long double power = 1;
  for (std::size_t k = 1; k < p.size(); ++k) {
    power *= h;
    rest += std::abs(p[k]) * power;
  }
  return std::abs(p[0]) > rest;
}

/// Places in (0, h] where p changes its sign, in order. The sign at 0 is that just behind 0.
inline std::vector<long double> sign_changes(const Polynomial& p, long double h) {
  if (p.size() <= 1 || cannot_vanish(p, h)) {
    return {};
  }
  Polynomial derivative;
  for (std::size_t k = 1; k < p.size(); ++k) {
    derivative.push_back(static_cast<long double>(k) * p[k]);
  }
  std::vector<long double> breaks = sign_changes(derivative, h);
  breaks.push_back(h);
  std::vector<long double> found;
  long double left = 0;
  // Just behind zero the first coefficient that is not zero has the word.
  const auto first = std::find_if(p.begin(), p.end(), [](long double c) { return c != 0; });
  if (first == p.end()) {
    return {};
  }
  bool positive = *first > 0;
  for (const long double right : breaks) {
    const long double end_value = value_at(p, right);
    if (end_value != 0 && (end_value > 0) != positive) {
      long double low = left;
      long double high = right;
      for (long double middle = (low + high) / 2; low < middle && middle < high; middle = (low + high) / 2) {
        const long double value = value_at(p, middle);
        (value == 0 || (value > 0) != positive ? high : low) = middle;
      }
      found.push_back(high);
      positive = !positive;
    }
    left = right;
  }
  return found;
}

}  // namespace saltus::test::oracle
