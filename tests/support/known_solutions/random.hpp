/// Draws that are the same for the same seed on every machine (the distributions of the standard library differ).
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace saltus::test::known {

class Random {
 public:
  Random(std::uint32_t seed, std::uint32_t stream) {
    std::seed_seq sequence{seed, stream};
    engine_.seed(sequence);
  }

  [[nodiscard]] double unit() { return static_cast<double>(engine_()) / 4294967296.0; }
  [[nodiscard]] bool chance(double probability) { return unit() < probability; }
  [[nodiscard]] std::size_t below(std::size_t n) { return engine_() % n; }
  /// With three decimals, so that texts can be read.
  [[nodiscard]] double between(double low, double high) {
    return std::round(1000.0 * (low + (high - low) * unit())) / 1000.0;
  }
  [[nodiscard]] double signed_between(double low, double high) {
    const double size = between(low, high);
    return chance(0.5) ? size : -size;
  }
  /// Logarithms are equally likely; two digits.
  [[nodiscard]] double of_magnitude(double low, double high) {
    const double value = low * std::pow(high / low, unit());
    const double digit = std::pow(10.0, std::floor(std::log10(value)) - 1.0);
    return std::round(value / digit) * digit;
  }
  template <class T>
  void shuffle(std::vector<T>& list) {
    for (std::size_t i = list.size(); i > 1; --i) {
      std::swap(list[i - 1], list[below(i)]);
    }
  }

 private:
  std::mt19937 engine_;
};

}  // namespace saltus::test::known
