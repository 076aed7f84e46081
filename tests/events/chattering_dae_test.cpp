// Chattering, bands and dwell times in equations of index 2 and 3.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "support/hybrid_run.hpp"

namespace saltus {
namespace {

using test::HybridRun;
using test::OptionList;
using test::run_text;

// Two speeds with friction between them, whose sum is held (index 2): a + b = cos(time). While they stick, a = b.
const std::string kIndex2 =
    " Real a(start = 0.6, fixed = true), b(start = 0.4), force;\nequation\n der(a) = sin(time) - friction + "
    "force;\n der(b) = friction + force;\n a + b = cos(time);\n";
// … as positions on a line, whose sum is held (index 3).
const std::string kIndex3 =
    " Real p(start = 0, fixed = true), q(start = 1), a(start = 0.1, fixed = true), b(start = -0.1), "
    "force;\nequation\n"
    " der(p) = a;\n der(q) = b;\n der(a) = sin(time) - friction + force;\n der(b) = friction + force;\n p + "
    "q = "
    "cos(time);\n";

std::string relay(const std::string& bodies) {
  return "model M\n Real friction = 0.6*sign(a - b);\n" + bodies + "end M;\n";
}

std::string band(const std::string& bodies, double width) {
  const std::string edge = test::number(0.5 * width);
  return "model M\n Real friction;\n" + bodies +
         "initial mode forward\n equation\n  friction = 0.6;\n transition to backward when a - b < -" + edge +
         ";\nend forward;\nmode backward\n equation\n  friction = -0.6;\n transition to forward when a - b "
         "> " +
         edge + ";\nend backward;\nend M;\n";
}

OptionList with(OptionList options, const OptionList& more) {
  options.insert(options.end(), more.begin(), more.end());
  return options;
}

const OptionList kRun = {{"stop", "1"}, {"tolerance", "1e-8"}};

std::size_t n_warnings(const HybridRun& run) {
  const auto& items = run.result.diagnostics.items();
  return static_cast<std::size_t>(std::count_if(
      items.begin(), items.end(), [](const Diagnostic& item) { return item.code == "chattering"; }));
}

TEST(ChatteringDae, IsReportedOnceStopsTheRunOrIsLeftAlone) {
  for (const std::string& bodies : {kIndex2, kIndex3}) {
    // The surface is reached at 0.18; a guard is kept for a part of the run's length, so these are some ten thousand switches.
    const OptionList on = {{"stop", "0.2"}, {"tolerance", "1e-8"}};
    const OptionList off = with(on, {{"sliding", "off"}});
    const HybridRun slid = run_text(relay(bodies), on);
    const HybridRun reported = run_text(relay(bodies), off);
    ASSERT_TRUE(reported.result.ok()) << reported.log();
    EXPECT_EQ(n_warnings(slid), 0U) << slid.words();
    EXPECT_EQ(slid.count("slide_enter"), 1U) << slid.log();
    EXPECT_EQ(n_warnings(reported), 1U) << reported.words();
    // It goes to and fro across the surface on which the other one slides, and keeps its constraint.
    EXPECT_NEAR(reported.final("a"), slid.final("a"), 1e-4);
    EXPECT_NEAR(reported.final("a") + reported.final("b"), slid.final("a") + slid.final("b"), 1e-7);

    const HybridRun stopped = run_text(relay(bodies), with(off, {{"chattering", "stop"}}));
    EXPECT_EQ(stopped.result.status, SimulationStatus::stopped);
    EXPECT_EQ(stopped.result.reason, "chattering");
    EXPECT_NEAR(stopped.result.end, slid.times("slide_enter").at(0), 1e-4);

    const HybridRun silent = run_text(relay(bodies), with(off, {{"chattering", "off"}}));
    ASSERT_TRUE(silent.result.ok()) << silent.log();
    EXPECT_EQ(n_warnings(silent), 0U) << silent.words();
    EXPECT_EQ(silent.events.size(), reported.events.size());
  }
}

TEST(ChatteringDae, WhatIsCloseIsAMatterOfTheOption) {
  for (const std::string& bodies : {kIndex2, kIndex3}) {
    const std::string text = band(bodies, 0.02);
    const HybridRun free = run_text(text, kRun);
    const std::vector<double> times = free.times("transition");
    ASSERT_GT(times.size(), 10U) << free.log();
    EXPECT_EQ(n_warnings(free), 0U) << free.words();
    // A band is crossed in 0.02/(1.2 ∓ sin t), in turn slower and faster: no more than 0.06 up to t = 1.
    const HybridRun stopped =
        run_text(text, with(kRun, {{"chattering-time", "0.1"}, {"chattering", "stop"}}));
    EXPECT_EQ(stopped.result.reason, "chattering") << stopped.log();
    EXPECT_LT(stopped.result.end, 0.5);
    const HybridRun calm = run_text(text, with(kRun, {{"chattering-time", "0.001"}, {"chattering", "stop"}}));
    EXPECT_TRUE(calm.result.ok()) << calm.log();
  }
}

TEST(ChatteringDae, ADwellTimeIsKept) {
  for (const std::string& bodies : {kIndex2, kIndex3}) {
    const HybridRun run = run_text(band(bodies, 0.002), with(kRun, {{"dwell", "0.05"}}));
    ASSERT_TRUE(run.result.ok()) << run.log();
    // Each edge of the band by itself switches at most every 0.05.
    std::vector<double> last(2, -1.0);
    for (const test::EventRecord& event : run.of_kind("transition")) {
      double& before = last[event.to == "forward" ? 1 : 0];
      EXPECT_GE(event.time - before, 0.05 - 1e-9) << run.log();
      before = event.time;
    }
    EXPECT_GE(run.count("transition"), 10U);
    EXPECT_LE(run.count("transition"), 42U);
  }
}

TEST(ChatteringDae, ABandIsSlidInItsMiddle) {
  for (const std::string& bodies : {kIndex2, kIndex3}) {
    const HybridRun run =
        run_text(band(bodies, 0.002), with(kRun, {{"sliding", "hysteresis"}, {"interval", "0.1"}}));
    ASSERT_TRUE(run.result.ok()) << run.log();
    ASSERT_EQ(run.count("slide_enter"), 1U) << run.log();
    for (const test::RowRecord& row : run.rows) {
      if (row.time > run.times("slide_enter")[0]) {
        EXPECT_NEAR(run.value(row, "a") - run.value(row, "b"), 0.0, 1e-10) << row.time;
        EXPECT_NEAR(run.value(row, "friction"), 0.5 * std::sin(row.time), 1e-7) << row.time;
      }
    }
  }
}

TEST(ChatteringDae, WrongOptionsAreNamed) {
  SimulationOptions options;
  for (const auto& [name, value] : {std::pair{"chattering", "perhaps"}, std::pair{"chattering-time", "soon"},
                                    std::pair{"dwell", "long"}, std::pair{"sliding", "band"}}) {
    EXPECT_TRUE(set_option(options, name, value).has_errors()) << name;
  }
  EXPECT_TRUE(validate({.chattering_time = 0.0}).has_errors());
  EXPECT_TRUE(validate({.chattering_time = -1.0}).has_errors());
  EXPECT_TRUE(validate({.dwell = -1.0}).has_errors());
  const Diagnostics warned = validate({.chattering = Chattering::off, .chattering_time = 1.0});
  ASSERT_FALSE(warned.empty());
  EXPECT_EQ(warned.items()[0].code, "option-without-effect");
}

}  // namespace
}  // namespace saltus
