/// Random numbers that are the same for the same seed on every machine.
#pragma once

#include <cstdint>
#include <random>

#include "support/oracle/switched_system.hpp"

namespace saltus::test::oracle {

/// Draws of its own: the distributions of the standard library differ between implementations.
class Draw {
 public:
  explicit Draw(std::uint32_t seed) : engine_(seed) {}

  [[nodiscard]] std::size_t below(std::size_t n) { return engine_() % n; }
  /// A multiple of 1/16 in [-limit, limit].
  [[nodiscard]] Real fraction(int limit) {
    return (static_cast<Real>(below(static_cast<std::size_t>(32 * limit + 1))) - 16 * limit) / 16;
  }
  [[nodiscard]] Real nonzero(int limit) {
    Real value = 0;
    while (value == 0) {
      value = fraction(limit);
    }
    return value;
  }
  [[nodiscard]] Real unit() { return static_cast<Real>(engine_()) / 4294967296.0L * 2 - 1; }

 private:
  std::mt19937 engine_;
};

inline Vector vector_of(Draw& draw, std::size_t n, int limit) {
  Vector v(n);
  for (Real& value : v) {
    value = draw.fraction(limit);
  }
  return v;
}

}  // namespace saltus::test::oracle
