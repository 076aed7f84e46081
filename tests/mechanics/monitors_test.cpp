// What summary.json says of constraints and invariants (docs/output.md, monitors).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "support/hybrid_run.hpp"

namespace saltus::test {
namespace {

using testing::HasSubstr;

constexpr const char* kDriven = R"(model Driven "A bead on a circle that moves"
  Real x(start = 0.6, fixed = true), y(start = -0.8), vx(start = 0), vy(start = 0);
  Real lambda;
  Real E = (vx^2 + vy^2)/2 + 9.81*y;
  Real r = (x - 0.1*sin(2*time))^2 + y^2 - 1;
  Real rv = 2*(x - 0.1*sin(2*time))*(vx - 0.2*cos(2*time)) + 2*y*vy;
equation
  der(x) = vx;
  der(y) = vy;
  der(vx) = lambda*(x - 0.1*sin(2*time));
  der(vy) = lambda*y - 9.81;
  (x - 0.1*sin(2*time))^2 + y^2 = 1;
end Driven;
)";

double largest(const HybridRun& run, const std::string& name) {
  double most = 0.0;
  for (const RowRecord& row : run.rows) {
    most = std::max(most, std::abs(run.value(row, name)));
  }
  return most;
}

// Rows at steps: the monitors are the largest values of what the model computes itself.
TEST(Monitors, AreTheResidualsOfTheConstraints) {
  const OptionList options = {{"stop", "3"},        {"step", "0.02"},
                              {"method", "kutta3"}, {"interval", "steps"},
                              {"invariant", "E"},   {"formulation", "equivalent-control"}};
  const HybridRun run = run_text(kDriven, options);
  ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
  ASSERT_TRUE(run.result.monitors.has_value());
  const Monitors& monitors = *run.result.monitors;
  EXPECT_GT(monitors.position, 1e-8);
  EXPECT_NEAR(monitors.position, largest(run, "r"), 1e-15);
  EXPECT_NEAR(monitors.velocity, largest(run, "rv"), 1e-14);
  // D²F + σ DF = 0.
  EXPECT_NEAR(monitors.acceleration, 10.0 * monitors.velocity, 1e-12);
  EXPECT_EQ(monitors.adjustment, 0.0);
  ASSERT_EQ(monitors.invariants.size(), 1U);
  double change = 0.0;
  for (const RowRecord& row : run.rows) {
    change = std::max(change, std::abs(run.value(row, "E") - run.value(run.rows.front(), "E")));
  }
  EXPECT_EQ(monitors.invariants[0].change, change);
}

TEST(Monitors, AreThereWithEveryMethod) {
  for (const std::string method : {"auto", "dopri5", "fehlberg78", "radau5", "sdirk4", "bdf"}) {
    const HybridRun run = run_text(kDriven, {{"stop", "3"}, {"tolerance", "1e-7"}, {"method", method}});
    ASSERT_TRUE(run.result.monitors.has_value()) << method;
    EXPECT_LT(run.result.monitors->position, 1e-10) << method;
    EXPECT_LT(run.result.monitors->velocity, 1e-9) << method;
    EXPECT_LT(run.result.monitors->acceleration, 1e-2) << method;
    EXPECT_GT(run.result.monitors->adjustment, 0.0) << method;
  }
}

TEST(Monitors, AreNoneWithoutConstraints) {
  const std::string text = "model M Real x(start = 1, fixed = true); equation der(x) = -x; end M;\n";
  EXPECT_FALSE(run_text(text).result.monitors.has_value());
  const HybridRun run = run_text(text, {{"invariant", "x"}, {"stop", "1"}, {"tolerance", "1e-9"}});
  ASSERT_TRUE(run.result.monitors.has_value());
  EXPECT_NEAR(run.result.monitors->invariants.at(0).change, 1.0 - std::exp(-1.0), 1e-8);
  EXPECT_THAT(problems_of(text, {{"invariant", "xx"}}), HasSubstr("unknown-invariant"));
}

// Steps that are too long for their order: constraints look perfect.
TEST(Monitors, WarnOfAdjustmentsThatTruncationDoesNotExplain) {
  const auto warns = [](const char* step) {
    return run_text(kDriven, {{"stop", "3"},
                              {"step", step},
                              {"method", "fehlberg78"},
                              {"formulation", "post-stabilized:holonomic"}})
        .says("large-adjustment");
  };
  EXPECT_FALSE(warns("0.05"));
  EXPECT_TRUE(warns("0.4"));
}

}  // namespace
}  // namespace saltus::test
