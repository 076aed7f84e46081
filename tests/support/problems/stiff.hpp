/// Stiff problems of index 0 and 1 as residuals, with end values that others have published.
///
/// Robertson and HIRES: end values as computed with tests/support/problems/dae_references.py; van der Pol: [HW96] IV.10. Written for test::GenericDae.
#pragma once

#include <span>
#include <vector>

namespace saltus::test {

/// y₁' = -0.04 y₁ + 1e4 y₂ y₃, y₂' = …, with the sum of all three as the third equation: one algebraic unknown.
struct RobertsonResidual {
  template <class S>
  void operator()(double /*t*/, std::span<const S> y, std::span<const S> ydot, std::span<S> r) const {
    const S fast = 1e4 * y[1] * y[2];
    r[0] = ydot[0] + 0.04 * y[0] - fast;
    r[1] = ydot[1] - 0.04 * y[0] + fast + 3e7 * y[1] * y[1];
    r[2] = y[0] + y[1] + y[2] - 1.0;
  }
  static std::vector<double> probe() { return {0.7, 0.2, 0.1, 0.3, 0.4}; }
  static std::vector<double> start() { return {1.0, 0.0}; }
  static constexpr double kEnd = 1e5;
  static std::vector<double> at_end() { return {0.0178659211421, 7.27475146843654e-08}; }
};

struct HiresResidual {
  template <class S>
  void operator()(double /*t*/, std::span<const S> y, std::span<const S> ydot, std::span<S> r) const {
    const S fast = 280.0 * y[5] * y[7];
    r[0] = ydot[0] - (-1.71 * y[0] + 0.43 * y[1] + 8.32 * y[2] + 0.0007);
    r[1] = ydot[1] - (1.71 * y[0] - 8.75 * y[1]);
    r[2] = ydot[2] - (-10.03 * y[2] + 0.43 * y[3] + 0.035 * y[4]);
    r[3] = ydot[3] - (8.32 * y[1] + 1.71 * y[2] - 1.12 * y[3]);
    r[4] = ydot[4] - (-1.745 * y[4] + 0.43 * (y[5] + y[6]));
    r[5] = ydot[5] - (-fast + 0.69 * y[3] + 1.71 * y[4] - 0.43 * y[5] + 0.69 * y[6]);
    r[6] = ydot[6] - (fast - 1.81 * y[6]);
    r[7] = ydot[7] - (-fast + 1.81 * y[6]);
  }
  static std::vector<double> probe() { return std::vector<double>(16, 0.3); }
  static std::vector<double> start() { return {1, 0, 0, 0, 0, 0, 0, 0.0057}; }
  static constexpr double kEnd = 321.8122;
  static std::vector<double> at_end() {
    return {0.000737131257332582, 0.000144248572631621, 5.88872974096786e-05, 0.00117565134328318,
            0.0023863561988318,   0.00623896825274407,  0.00284999839518631,  0.00285000160481369};
  }
};

/// y₁' = y₂, y₂' = ((1 - y₁²) y₂ - y₁)/ε with ε = 1e-6 (μ = 1000 in scaled time).
struct VanDerPolResidual {
  template <class S>
  void operator()(double /*t*/, std::span<const S> y, std::span<const S> ydot, std::span<S> r) const {
    r[0] = ydot[0] - y[1];
    r[1] = ydot[1] - ((1.0 - y[0] * y[0]) * y[1] - y[0]) * 1e6;
  }
  static std::vector<double> probe() { return {0.3, 0.7, 0.2, 0.1}; }
  static std::vector<double> start() { return {2.0, 0.0}; }
  static constexpr double kEnd = 2.0;
  static std::vector<double> at_end() { return {1.706167732170483, -0.8928097010247975}; }
};

}  // namespace saltus::test
