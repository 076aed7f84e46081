// Parameters in constraints of modes that are reduced by numerical ranks: redundant constraints are those of the model without them.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "saltus/saltus.hpp"
#include "sided_runs.hpp"

namespace saltus::test {
namespace {

// x, y, u, v of the pendulum follow its length, which two equations say.
TEST(RankSensitivities, OfAConstraintThatIsThereTwice) {
  const Model once = model_of(
      "model M parameter Real L = 1; Real x(start = 0.6), y(start = -0.8), u, v, l; equation der(x) = u; "
      "der(y) = v; "
      "der(u) = -l*x; der(v) = -l*y - 9.81; x^2 + y^2 = L^2; end M;");
  const Model twice = model_of(
      "model M parameter Real L = 1; Real x(start = 0.6), y(start = -0.8), u, v, l, m; equation der(x) = u; "
      "der(y) "
      "= v; der(u) = -l*x - m*x; der(v) = -l*y - m*y - 9.81; x^2 + y^2 = L^2; 2*x^2 + 2*y^2 = 2*L^2; end M;");
  SimulationOptions options{.stop = 0.3};
  options.method = "dopri5";
  const std::vector<double> right = sensitivities(once, options, "L", SensitivitySide::both);
  const std::vector<double> found = sensitivities(twice, options, "L", SensitivitySide::both);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(found[i], right[i], 1e-7) << i;
  }
}

// After a while states go far between the twins: differences in two parts, which keep no constraints, were 20 % off here. The plate on three
// bars is a pendulum of their length (phi stays 0); x = L·sin(theta) by the classical method of order 4 with 60,000 steps, d/dL by differences.
TEST(RankSensitivities, OfLongRunsKeepTheConstraints) {
  const Model bars = model_of(
      "model M parameter Real L = 1; Real x(start = 0.6), y(start = -0.8), phi(start = 0), u(start = 0), "
      "v(start = 0), w(start = 0), f1, "
      "f2, f3; equation der(x) = u; der(y) = v; der(phi) = w; "
      "2*der(u) = -f1*(x - cos(phi) + 1) - f2*x - f3*(x + cos(phi) - 1); "
      "2*der(v) = -f1*(y - sin(phi)) - f2*y - f3*(y + sin(phi)) - 19.62; "
      "0.3*der(w) = -f1*((x - cos(phi) + 1)*sin(phi) - (y - sin(phi))*cos(phi)) "
      "- f3*(-(x + cos(phi) - 1)*sin(phi) + (y + sin(phi))*cos(phi)); "
      "(x - cos(phi) + 1)^2 + (y - sin(phi))^2 = L^2; x^2 + y^2 = L^2; (x + cos(phi) - 1)^2 + (y + "
      "sin(phi))^2 = L^2; end M;");
  SimulationOptions options{.stop = 3.0, .tolerance = 1e-9};
  options.method = "dopri5";
  const std::vector<double> found = sensitivities(bars, options, "L", SensitivitySide::both);
  EXPECT_NEAR(found[0], 0.0505288440, 1e-4);
  const double x = -0.5813395444259538;  // x·dx/dL + y·dy/dL = L
  EXPECT_NEAR(found[1], (x * 0.0505288440 - 1.0) / std::sqrt(1.0 - x * x), 1e-4);
}

}  // namespace
}  // namespace saltus::test
