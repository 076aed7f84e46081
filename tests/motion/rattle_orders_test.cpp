// RATTLE: orders of positions, velocities and multipliers at the ends of steps and between them, of event times, and the way back.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "motion/motions.hpp"
#include "support/hybrid_run.hpp"

namespace saltus::test {
namespace {

HybridRun run_with(const char* text, const std::string& method, double step, OptionList options) {
  options.push_back({"method", method});
  options.push_back({"step", std::to_string(step)});
  options.push_back({"verify", "full"});
  HybridRun run = run_text(text, options);
  EXPECT_EQ(run.result.status, SimulationStatus::success) << run.log();
  return run;
}

struct OrderCase {
  const char* method;
  double order;
  double step;
};
constexpr OrderCase kOrders[] = {{"rattle", 2.0, 0.02}, {"rattle4", 4.0, 0.08}};

// Largest difference of a variable over all rows.
double difference(const HybridRun& a, const HybridRun& b, const std::string& name) {
  EXPECT_EQ(a.rows.size(), b.rows.size());
  double largest = 0.0;
  for (std::size_t i = 0; i < std::min(a.rows.size(), b.rows.size()); ++i) {
    largest = std::max(largest, std::abs(a.value(a.rows[i], name) - b.value(b.rows[i], name)));
  }
  return largest;
}

void expect_orders(const char* text, const std::vector<std::string>& names, const std::string& interval,
                   const std::string& stop) {
  const OptionList options = {{"stop", stop}, {"interval", interval}};
  OptionList sharp = options;
  sharp.push_back({"method", "dopri5"});
  sharp.push_back({"tolerance", "1e-13"});
  const HybridRun reference = run_text(text, sharp);
  for (const OrderCase& item : kOrders) {
    std::vector<HybridRun> runs;
    for (const double factor : {1.0, 0.5, 0.25}) {
      runs.push_back(run_with(text, item.method, factor * item.step, options));
    }
    for (const std::string& name : names) {
      const double e1 = difference(runs[0], reference, name);
      const double e2 = difference(runs[1], reference, name);
      const double e4 = difference(runs[2], reference, name);
      EXPECT_NEAR(std::log2(e1 / e2), item.order, 0.35) << item.method << " " << name << " " << e1;
      EXPECT_NEAR(std::log2(e2 / e4), item.order, 0.25) << item.method << " " << name << " " << e2;
    }
  }
}

TEST(RattleOrders, AtEndsOfSteps) {
  expect_orders(kRod, {"x", "y", "vx", "vy", "T"}, "0.16", "1.6");
  expect_orders(kTwoRods, {"x1", "y2", "z2", "vx2", "vy1", "T1", "T2"}, "0.16", "1.6");
  expect_orders(kOrbit, {"x", "vy"}, "0.16", "1.6");
}

// Rows that no step ends at.
TEST(RattleOrders, BetweenSteps) {
  expect_orders(kRod, {"x", "y", "vx", "vy", "T"}, "0.0037", "1.6");
  expect_orders(kTwoRods, {"x1", "y2", "vx2", "vy1", "T1", "T2"}, "0.0037", "1.6");
}

// Between the ends a solution lies off the constraints by its order at most; at the ends by rounding.
TEST(RattleOrders, EndsLieOnTheConstraints) {
  for (const OrderCase& item : kOrders) {
    const HybridRun run = run_with(kRod, item.method, item.step, {{"stop", "30"}, {"interval", "steps"}});
    for (const RowRecord& row : run.rows) {
      ASSERT_LT(std::abs(run.value(row, "r")), 1e-14) << row.time;
      ASSERT_LT(std::abs(run.value(row, "rv")), 1e-14) << row.time;
    }
  }
}

constexpr const char* kBouncing = R"(model Bouncing
  Real x(start = -0.8, fixed = true), y(start = -0.6), vx(start = 0, fixed = true), vy(start = 0), T;
  discrete Real hit(start = 0);
equation
  der(x) = vx;
  der(y) = vy;
  der(vx) = -T*x;
  der(vy) = -T*y - 1;
  x^2 + y^2 = 1;
  when x > 0.3 then
    reinit(vx, -0.9*pre(vx));
    reinit(vy, -0.9*pre(vy));
    hit = time;
  end when;
end Bouncing;
)";

TEST(RattleOrders, EventsAndWhatFollows) {
  const OptionList options = {{"stop", "12"}, {"interval", "0.4"}};
  OptionList sharp = options;
  sharp.push_back({"method", "dopri5"});
  sharp.push_back({"tolerance", "1e-13"});
  const HybridRun reference = run_text(kBouncing, sharp);
  ASSERT_GE(reference.count("when"), 3U) << reference.log();
  for (const OrderCase& item : kOrders) {
    std::vector<double> errors;
    for (const double factor : {1.0, 0.5, 0.25}) {
      const HybridRun run = run_with(kBouncing, item.method, factor * item.step, options);
      ASSERT_EQ(run.count("when"), reference.count("when"));
      double largest = 0.0;
      for (std::size_t i = 0; i < run.times("when").size(); ++i) {
        largest = std::max(largest, std::abs(run.times("when")[i] - reference.times("when")[i]));
      }
      errors.push_back(std::max(largest, std::abs(run.final("vx") - reference.final("vx"))));
    }
    EXPECT_NEAR(std::log2(errors[0] / errors[2]) / 2.0, item.order, 0.4) << item.method << " " << errors[0];
  }
}

// From where a run ended, backwards in time, to where it began.
TEST(RattleOrders, TheWayBack) {
  for (const OrderCase& item : kOrders) {
    const HybridRun there = run_with(kTwoRods, item.method, item.step, {{"stop", "8"}});
    OptionList options = {{"start", "8"}, {"stop", "0"}};
    for (const char* name : {"x1", "y1", "x2", "y2", "z2", "vx1", "vy1", "vx2", "vy2", "wz2"}) {
      char value[64];
      std::snprintf(value, sizeof value, "%s=%.17g", name, there.final(name));
      options.push_back({"set", value});
    }
    const HybridRun back = run_with(kTwoRods, item.method, item.step, options);
    for (const char* name : {"x1", "y1", "x2", "y2", "vx1", "vy1", "vx2", "vy2"}) {
      EXPECT_NEAR(back.final(name), there.value(there.rows.front(), name), 2e-10)
          << item.method << " " << name;
    }
  }
}

}  // namespace
}  // namespace saltus::test
