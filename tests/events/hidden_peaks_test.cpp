// A peak about as wide as a step lies between its stages: wherever it does, rows are right, for methods that integrate it and for those in which x
// follows the equations at once. The single positions are chance; a sweep over them finds those at which one measure of a step vanishes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "support/hybrid_run.hpp"

namespace saltus::test {
namespace {

struct Case {
  const char* method;
  const char* tolerance;
  const char* rate;
  double most_tolerances;
};

class HiddenPeaks : public ::testing::TestWithParam<Case> {};

// A local error of one tolerance in each of the steps of 1/(rate) adds up to about three; ten each are the promise.
constexpr double kIntegrated = 30.0;
constexpr double kFollowing = 10.0;

INSTANTIATE_TEST_SUITE_P(
    Methods, HiddenPeaks,
    ::testing::Values(Case{"dopri5", "1e-4", "1", kIntegrated}, Case{"fehlberg45", "1e-4", "1", kIntegrated},
                      Case{"fehlberg78", "1e-4", "1", kIntegrated}, Case{"rk23", "1e-4", "1", kIntegrated},
                      Case{"dopri5", "1e-6", "1", kIntegrated}, Case{"fehlberg78", "1e-6", "1", kIntegrated},
                      Case{"radau5", "1e-6", "1e5", kFollowing}, Case{"sdirk4", "1e-6", "1e5", kFollowing},
                      Case{"bdf", "1e-6", "1e5", kFollowing}),
    [](const auto& given) {
      std::string name = std::string(given.param.method) + '_' + given.param.tolerance;
      std::replace(name.begin(), name.end(), '-', 'm');
      return name;
    });

// x = p = 0.4 sin(0.8 t) + ½/(1 + u²), u = w (t - c), but for a constant.
TEST_P(HiddenPeaks, AreSeenWhereverTheyLie) {
  const auto& [method, tolerance, rate, most_tolerances] = GetParam();
  constexpr int kPositions = 24;
  constexpr double kSize = 1.5;  // 1 + |x| at most
  for (const double w : {3.0, 4.5, 6.0}) {
    for (int i = 0; i < kPositions; ++i) {
      const double c = 2.0 + static_cast<double>(i) / kPositions;
      const std::string model = "model Peak\n parameter Real w = " + std::to_string(w) +
                                ", c = " + std::to_string(c) + ", L = " + rate +
                                ";\n Real u, p, x(start = 0, fixed = true);\nequation\n u = w*(time - c);\n"
                                " p = 0.4*sin(0.8*time) + 0.5/(1 + u^2) - 0.5/(1 + (w*c)^2);\n"
                                " der(x) = 0.32*cos(0.8*time) - w*u/(1 + u^2)^2 - L*(x - p);\nend Peak;\n";
      const HybridRun run = run_text(
          model, {{"stop", "5"}, {"interval", "0.013"}, {"tolerance", tolerance}, {"method", method}});
      ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
      double largest = 0.0;
      for (const RowRecord& row : run.rows) {
        largest = std::max(largest, std::abs(run.value(row, "x") - run.value(row, "p")));
      }
      EXPECT_LT(largest, most_tolerances * kSize * std::stod(tolerance)) << "w = " << w << ", c = " << c;
    }
  }
}

}  // namespace
}  // namespace saltus::test
