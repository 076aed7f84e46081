// Coulomb friction in the plane, however it is written, has a direction at zero (flat/directions.hpp).
#include "flat/directions.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "support/compile_text.hpp"

namespace saltus::flat {
namespace {

// How many vectors have a direction in the model, with this right-hand side for der(vx).
std::ptrdiff_t n_directions(const std::string& rate, const std::string& length = "n = sqrt(vx^2 + vy^2)") {
  const Model model = test::compile_text(
      "model M\n  parameter Real mu = 2, eps = 0.1;\n  Real vx(start = 1, fixed = true), vy(start = 1, fixed "
      "= true), n;\n"
      "equation\n  " +
      length + ";\n  der(vx) = " + rate + ";\n  der(vy) = 0;\nend M;\n");
  return std::count_if(model.conditions.begin(), model.conditions.end(),
                       [](const Condition& condition) { return condition.kind == Condition::Kind::norm; });
}

TEST(Directions, AreFoundByWhatTheyAre) {
  for (const std::string rate :
       {"if n > 0 then -mu*vx/n else 0", "if n > 0 then -vx/n*mu else 0", "-mu*(if n > 0 then vx/n else 0)",
        "if n <= 0 then 0 else -mu*vx/n", "if 0 < n then mu*(-vx)/n else 0",
        "if n > 0 then -mu*(vx/n) else 0", "if n > 0 then -mu*vx*(1/n) else 0",
        "if n > 0 then 1 - mu*vx/n else 1", "if n > 0 then -mu*(vx + vy)/n else 0",
        "if n > 0 then -(mu + 0.1*n)*vx/n else 0", "if n > 0 then -mu*vx/(n*2) else 0",
        "time - (if n > 0 then mu*vx/n + 0.1*vx else 0)", "direction({vx, vy})*{1, 0}"}) {
    EXPECT_EQ(n_directions(rate), 1) << rate;
  }
  EXPECT_EQ(n_directions("if n > 0 then -mu*vx/n else 0", "n = sqrt(vx*vx + vy*vy)"), 1);
  EXPECT_EQ(n_directions("if n > 0 then -mu*vx/n else 0", "sqrt(vy^2 + vx^2) = n"), 1);
  EXPECT_EQ(n_directions("if sqrt(vx^2 + vy^2) > 0 then -mu*vx/sqrt(vx^2 + vy^2) else 0"), 1);
}

TEST(Directions, OthersAreLeftAlone) {
  for (const std::string rate : {"if n > 1e-6 then -mu*vx/n else 0", "if n > 0 then -mu*vx/n else 1",
                                 "if n > 0 then -mu*vx else 0", "-mu*vx/n", "if vx > 0 then -mu*vx/n else 0",
                                 "if n > 0 then -mu/n else 0", "noEvent(if n > 0 then -mu*vx/n else 0)"}) {
    EXPECT_EQ(n_directions(rate), 0) << rate;
  }
  EXPECT_EQ(n_directions("if n > 0 then -mu*vx/n else 0", "n = sqrt(vx^2 + eps^2)"), 0);
  EXPECT_EQ(n_directions("if n > 0 then -mu*vx/n else 0", "n = sqrt(vx^2)"), 0);
}

TEST(Directions, OfOneElementAreSigns) {
  EXPECT_EQ(n_directions("-direction({vx})*{1}"), 0);
  EXPECT_EQ(n_directions("-direction({mu, eps})*{1, 0}"), 0);
}

}  // namespace
}  // namespace saltus::flat
