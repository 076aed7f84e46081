/// Data with noise that is the same on every machine.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "saltus/fit.hpp"
#include "saltus/simulate.hpp"

namespace saltus::test {

/// Normal noise of variance 1 (Box and Muller).
class Noise {
 public:
  explicit Noise(std::uint64_t seed) : random_(seed) {}
  double operator()() {
    const double a = uniform();
    const double b = uniform();
    return std::sqrt(-2.0 * std::log1p(-a)) * std::cos(2.0 * std::numbers::pi * b);
  }

 private:
  double uniform() { return static_cast<double>(random_() >> 11U) * 0x1p-53; }
  std::mt19937_64 random_;
};

inline std::vector<double> times_to(double stop, std::size_t n) {
  std::vector<double> times;
  for (std::size_t k = 1; k <= n; ++k) {
    times.push_back(stop * static_cast<double>(k) / static_cast<double>(n));
  }
  return times;
}

template <class Truth>
FitData noisy(const std::string& name, const std::vector<double>& times, double sigma, std::uint64_t seed,
              Truth truth) {
  Noise noise(seed);
  FitData data{.source = "data.csv", .times = times, .columns = {{name, {}}}};
  for (const double t : times) {
    data.columns[0].values.push_back(truth(t) + sigma * noise());
  }
  return data;
}

inline constexpr const char* kDecayText = R"(model Decay
  parameter Real k = 1;
  Real x(start = 1, fixed = true);
equation
  der(x) = -k*x;
end Decay;
)";

inline constexpr const char* kBallText = R"(model Ball
  parameter Real e = 0.75, g = 9.6;
  Real h(start = 1, fixed = true), v(start = 0, fixed = true);
equation
  der(h) = v;
  der(v) = -g;
  when h <= 0 then
    reinit(v, -e*pre(v));
  end when;
end Ball;
)";

/// Height of a ball that is dropped from `height`, by hand.
inline double ball_height(double t, double e, double g, double height) {
  double since = std::sqrt(2.0 * height / g);
  if (t < since) {
    return height - 0.5 * g * t * t;
  }
  double speed = e * g * since;
  while (t > since + 2.0 * speed / g) {
    since += 2.0 * speed / g;
    speed *= e;
  }
  return speed * (t - since) - 0.5 * g * (t - since) * (t - since);
}

}  // namespace saltus::test
