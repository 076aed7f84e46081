// Components that follow the equations at once: rows between the ends of steps, and events that happen once, for every stiff method.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "support/hybrid_run.hpp"

namespace saltus::test {
namespace {

struct Case {
  const char* method;
  const char* tolerance;
  const char* stiffness;
};

class StiffRows : public ::testing::TestWithParam<Case> {};

std::vector<Case> cases() {
  std::vector<Case> list;
  for (const char* const method : {"auto", "radau5", "sdirk4", "bdf"}) {
    for (const char* const tolerance : {"1e-4", "1e-6", "1e-8"}) {
      for (const char* const stiffness : {"1e2", "3e4", "1e6", "1e9"}) {
        // sdirk4 takes 1e4 steps and more where both are large.
        if (std::string(method) != "sdirk4" || std::string(tolerance) != "1e-8") {
          list.push_back({method, tolerance, stiffness});
        }
      }
    }
  }
  return list;
}

INSTANTIATE_TEST_SUITE_P(Methods, StiffRows, ::testing::ValuesIn(cases()), [](const auto& given) {
  std::string name =
      std::string(given.param.method) + '_' + given.param.tolerance + '_' + given.param.stiffness;
  std::replace(name.begin(), name.end(), '-', 'm');
  return name;
});

// x = sin t and, scaled by 100 and driven by it, y = 3 + 100 sin t; w = x + 0.2 cos(2 t) is another function of such a component.
TEST_P(StiffRows, RowsFollowAndEventsHappenOnce) {
  const auto& [method, tolerance, stiffness] = GetParam();
  const std::string model =
      std::string("model M\n parameter Real L = ") + stiffness +
      ";\n Real x(start = 0, fixed = true), y(start = 3, fixed = true, nominal = 100), w;\n"
      " Integer n(start = 0, fixed = true), k(start = 0, fixed = true);\nequation\n"
      " der(x) = cos(time) - L*(x - sin(time));\n"
      " der(y) = 100*cos(time) - 0.3*L*(y - 3 - 100*x);\n w = x + 0.2*cos(2*time);\n"
      " when x > 0.5 then\n  n = pre(n) + 1;\n end when;\n"
      " when y < 40 then\n  k = pre(k) + 1;\n end when;\nend M;\n";
  const HybridRun run =
      run_text(model, {{"stop", "20"}, {"interval", "0.013"}, {"tolerance", tolerance}, {"method", method}});
  ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
  const double limit = 10.0 * std::stod(tolerance);
  double largest = 0.0;
  for (const RowRecord& row : run.rows) {
    const double exact = std::sin(row.time);
    largest = std::max(largest, std::abs(row.values[run.column("x")] - exact) / (1.0 + std::abs(exact)));
    largest = std::max(largest, std::abs(row.values[run.column("y")] - 3.0 - 100.0 * exact) / 200.0);
    largest = std::max(largest,
                       std::abs(row.values[run.column("w")] - exact - 0.2 * std::cos(2.0 * row.time)) / 2.0);
  }
  EXPECT_LT(largest, limit);
  EXPECT_EQ(run.final("n"), 4.0) << run.log();
  EXPECT_EQ(run.final("k"), 3.0) << run.log();
  std::vector<double> exact;
  for (int turn = 0; turn < 4; ++turn) {
    const double begin = 2.0 * std::numbers::pi * turn;
    exact.push_back(begin + std::numbers::pi / 6.0);
    exact.push_back(begin + std::numbers::pi - std::asin(0.37));
  }
  exact.erase(std::remove_if(exact.begin(), exact.end(), [](double t) { return t > 20.0; }), exact.end());
  const std::vector<double> times = run.times("when");
  ASSERT_EQ(times.size(), exact.size()) << run.log();
  for (std::size_t i = 0; i < times.size(); ++i) {
    EXPECT_NEAR(times[i], exact[i], 20.0 * std::stod(tolerance));
  }
}

}  // namespace
}  // namespace saltus::test
