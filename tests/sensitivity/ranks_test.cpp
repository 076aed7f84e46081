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

}  // namespace
}  // namespace saltus::test
