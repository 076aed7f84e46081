/// Stiff problems of [MM08], as r(t, y, ẏ) for GenericDae: equations, intervals and the reference values printed there, which
/// were computed with 35 digits or with tolerances of 1e-18 and are given to 16 digits.
#pragma once

#include <vector>

namespace saltus::test {

struct StiffProblem {
  double t_end = 0.0;
  std::vector<double> x_start;
  std::vector<double> x_end;
  std::vector<double> probe;  ///< slots that show the pattern (GenericDae)
};

/// Van der Pol's equation with μ² = 1e6, stretched: two relaxations in [0, 2].
inline constexpr auto kVanDerPol = [](double /*t*/, auto y, auto ydot, auto r) {
  r[0] = ydot[0] - y[1];
  r[1] = ydot[1] - ((1.0 - y[0] * y[0]) * y[1] - y[0]) / 1e-6;
};
inline StiffProblem van_der_pol() {
  return {2.0, {2.0, 0.0}, {1.706167732170483, -0.8928097010247975}, {1.1, 0.3, 0.2, 0.7}};
}

/// Robertson's reactions, to 1e11.
inline constexpr auto kRobertson = [](double /*t*/, auto y, auto ydot, auto r) {
  r[0] = ydot[0] - (-0.04 * y[0] + 1e4 * y[1] * y[2]);
  r[1] = ydot[1] - (0.04 * y[0] - 1e4 * y[1] * y[2] - 3e7 * y[1] * y[1]);
  r[2] = ydot[2] - 3e7 * y[1] * y[1];
};
/// The same with the sum of the concentrations in place of the third equation: index 1, y[2] is algebraic.
inline constexpr auto kRobertsonDae = [](double /*t*/, auto y, auto ydot, auto r) {
  r[0] = ydot[0] - (-0.04 * y[0] + 1e4 * y[1] * y[2]);
  r[1] = ydot[1] - (0.04 * y[0] - 1e4 * y[1] * y[2] - 3e7 * y[1] * y[1]);
  r[2] = y[0] + y[1] + y[2] - 1.0;
};
inline StiffProblem robertson() {
  return {1e11,
          {1.0, 0.0, 0.0},
          {0.2083340149701255e-7, 0.8333360770334713e-13, 0.9999999791665050},
          {1.1, 0.3, 0.2, 0.7, 0.5, 0.6}};
}

/// High irradiance response: eight reactions.
inline constexpr auto kHires = [](double /*t*/, auto y, auto ydot, auto r) {
  r[0] = ydot[0] - (-1.71 * y[0] + 0.43 * y[1] + 8.32 * y[2] + 0.0007);
  r[1] = ydot[1] - (1.71 * y[0] - 8.75 * y[1]);
  r[2] = ydot[2] - (-10.03 * y[2] + 0.43 * y[3] + 0.035 * y[4]);
  r[3] = ydot[3] - (8.32 * y[1] + 1.71 * y[2] - 1.12 * y[3]);
  r[4] = ydot[4] - (-1.745 * y[4] + 0.43 * y[5] + 0.43 * y[6]);
  r[5] = ydot[5] - (-280.0 * y[5] * y[7] + 0.69 * y[3] + 1.71 * y[4] - 0.43 * y[5] + 0.69 * y[6]);
  r[6] = ydot[6] - (280.0 * y[5] * y[7] - 1.81 * y[6]);
  r[7] = ydot[7] - (-280.0 * y[5] * y[7] + 1.81 * y[6]);
};
inline StiffProblem hires() {
  return {321.8122,
          {1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0057},
          {0.7371312573325668e-3, 0.1442485726316185e-3, 0.5888729740967575e-4, 0.1175651343283149e-2,
           0.2386356198831331e-2, 0.6238968252742796e-2, 0.2849998395185769e-2, 0.2850001604814231e-2},
          {0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1.0, 1.05}};
}

}  // namespace saltus::test
