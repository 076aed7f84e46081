#include "locate/step_enclosure.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace saltus::locate {
namespace {

TEST(StepEnclosure, HoldsStateAndRateAndShrinksQuadratically) {
  constexpr unsigned kSeed = 7;
  std::mt19937 generator(kSeed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  for (const double h : {0.3, -0.3}) {
    std::vector<double> c(3 * 6);
    for (double& value : c) {
      value = uniform(generator);
    }
    const trajectory::SegmentView segment(trajectory::CompensatedTime(2.0), h, 2.0 + h, 3, 5, c);
    StepEnclosure enclosure(3);
    std::vector<double> x(3);
    std::vector<double> xdot(3);
    std::vector<double> excess;
    for (const double width : {0.5, 0.05, 0.005}) {
      const double a = 0.4;
      enclosure.enclose(segment, a, a + width);
      double lower = 1e9;
      double upper = -1e9;
      for (int k = 0; k <= 50; ++k) {
        const double theta = a + width * k / 50.0;
        segment.evaluate(theta, x);
        segment.derivative(theta, xdot);
        EXPECT_TRUE(enclosure.time().contains(2.0 + theta * h));
        for (std::size_t i = 0; i < 3; ++i) {
          EXPECT_TRUE(enclosure.x()[i].contains(x[i])) << "seed " << kSeed;
          EXPECT_TRUE(enclosure.xdot()[i].contains(xdot[i])) << "seed " << kSeed;
        }
        lower = std::min(lower, x[0]);
        upper = std::max(upper, x[0]);
      }
      excess.push_back(enclosure.x()[0].upper - enclosure.x()[0].lower - (upper - lower));
    }
    EXPECT_LT(excess[2], 0.02 * excess[1] + 1e-14);
  }
}

}  // namespace
}  // namespace saltus::locate
