// A comparison that is asked only within another one, on whose surface the solution slides: both of its sides hold in part there.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "saltus/saltus.hpp"

namespace saltus {
namespace {

// x slides on 0 from t = 0.5 on; the upper side is taken with weight 2/3 and, where √y ≤ 1, with weight 2/5. w counts 1 and 10 there.
void sliding(const State& s, std::span<Real> r, double rate) {
  const Real x = s("x");
  Real dx = 2.0;
  Real dw = 0.0;
  if (x > 0) {
    if (sqrt(s("y")) > 1) {
      dx = -1.0;
      dw = 1.0;
    } else {
      dx = -3.0;
      dw = 10.0;
    }
  }
  r[0] = s.der("x") - dx;
  r[1] = s.der("y") - rate;
  r[2] = s.der("w") - dw;
}

// The solution or a refusal, but never another number: with a blend of the guard w was 14.1 at the end.
TEST(GuardedComparisons, AreNotBlendedWhileTheSolutionSlides) {
  struct Case {
    double y;
    double rate;
    double exact;
  };
  const double falling = 0.5 + 2.5 * 2.0 / 3.0 + 0.9 * 4.0;
  const double rising = 10.0 / 6.0 + (0.75 - 1.0 / 6.0) * 4.0 + (3.9 - 0.75) * 2.0 / 3.0;  // x = 0 at t = 1/6
  for (const Case& given : {Case{4.0, -1.0, falling}, Case{0.25, 1.0, rising}}) {
    TracedModel model("M");
    model.state("x", {.start = 0.5});
    model.state("y", {.start = given.y});
    model.state("w", {.start = 0.0});
    model.residual([&given](const State& s, std::span<Real> r) { sliding(s, r, given.rate); });
    const Model built = model.build().value();
    for (const std::string method : {"auto", "dopri5", "radau5", "sdirk4", "bdf"}) {
      const Result<SimulationResult> run =
          simulate(built, {.stop = 3.9, .tolerance = 1e-8, .method = method});
      ASSERT_TRUE(run);
      EXPECT_TRUE(!run->ok() || std::abs(run->final_value("w") - given.exact) < 1e-6)
          << method << ' ' << given.rate << ": " << run->final_value("w") << " instead of " << given.exact;
    }
  }
}

}  // namespace
}  // namespace saltus
