// direction(v): friction with a disc, vectors that come to rest, are held and leave (docs/semantics.md 7.10).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "support/hybrid_run.hpp"

namespace saltus::test {
namespace {

const std::vector<std::string> kMethods = {"auto", "dopri5", "radau5", "sdirk4", "bdf"};

std::vector<EventRecord> slides_of(const HybridRun& run) {
  std::vector<EventRecord> slides;
  std::copy_if(
      run.events.begin(), run.events.end(), std::back_inserter(slides),
      [](const EventRecord& event) { return event.kind == "slide_enter" || event.kind == "slide_exit"; });
  return slides;
}

// v' = f - mu·d with a constant force: Q = (mu·|v| + f·v)/(mu² - f²) falls by one in a unit of time, so that v is at rest at Q(0).
TEST(Direction, TurnsUnderAForceAndComesToRestWhenItShould) {
  constexpr double kMu = 3.0;
  for (const double size : {0.0, 0.5, 1.5, 2.7}) {
    for (const double angle : {0.0, 0.4, 1.3, 2.6}) {
      const double fx = size * std::cos(angle);
      const double fy = size * std::sin(angle);
      const double rest = (kMu * std::sqrt(5.0) + 2.0 * fx + fy) / (kMu * kMu - size * size);
      const std::string text =
          "model M\n  Real v[2](start = {2, 1}, each fixed = true), d[2] = direction(v);\n"
          "equation\n  der(v) = {" +
          number(fx) + ", " + number(fy) + "} - 3*d;\nend M;\n";
      for (const std::string& method : kMethods) {
        for (const char* const tolerance : {"1e-6", "1e-9"}) {
          const HybridRun run = run_text(text, {{"stop", number(rest + 1.0)},
                                                {"method", method},
                                                {"tolerance", tolerance},
                                                {"verify", "full"}});
          const std::string what = method + " " + tolerance + " f = " + number(size) + " at " + number(angle);
          ASSERT_EQ(run.result.status, SimulationStatus::success) << what << run.log();
          const std::vector<EventRecord> slides = slides_of(run);
          ASSERT_EQ(slides.size(), 1U) << what;
          EXPECT_EQ(slides[0].guard, "direction(v)");
          // Rates near rest are mu - f: errors of v are errors of time over them.
          EXPECT_NEAR(slides[0].time, rest, 100.0 * std::stod(tolerance) * (1.0 + rest) / (kMu - size))
              << what;
          EXPECT_NEAR(run.final("v[1]"), 0.0, 1e-12) << what;
          EXPECT_NEAR(run.final("d[1]"), fx / kMu, 1e-9) << what;
          EXPECT_NEAR(run.final("d[2]"), fy / kMu, 1e-9) << what;
          EXPECT_LT(run.result.statistics.accepted_steps, 1000) << what;
        }
      }
    }
  }
}

// From rest: pushed off, turned, at rest again, pushed once more; three elements as well as two.
TEST(Direction, LeavesAlongTheForceAndRestsAgain) {
  for (const bool is_space : {false, true}) {
    const std::string n = is_space ? "3" : "2";
    const std::string push = is_space ? "{3, 4, 0}" : "{3, 4}";
    const std::string turned = is_space ? "{1, 0, 0.5}" : "{1, 0}";
    const std::string text = "model M\n  Real v[" + n + "](each start = 0, each fixed = true), f[" + n +
                             "], d[" + n + "] = direction(v);\nequation\n  f = if time < 1 then 0*" + push +
                             " elseif time < 2 then " + push + " elseif time < 6 then " + turned + " else -" +
                             push + ";\n  der(v) = f - 2*d;\nend M;\n";
    // |f| = 5: v = 3·e at 2, e = (0.6, 0.8, 0); then Q = (2·3 + f·v)/(4 - f²).
    const double square = is_space ? 1.25 : 1.0;
    const double rest = 2.0 + (6.0 + 1.8) / (4.0 - square);
    for (const std::string& method : kMethods) {
      const HybridRun run =
          run_text(text, {{"stop", "7"}, {"method", method}, {"tolerance", "1e-9"}, {"verify", "full"}});
      ASSERT_EQ(run.result.status, SimulationStatus::success) << method << run.log();
      const std::vector<EventRecord> slides = slides_of(run);
      ASSERT_EQ(slides.size(), 4U) << method;  // held from the start on
      EXPECT_EQ(slides[1].kind, "slide_exit");
      EXPECT_NEAR(slides[1].time, 1.0, 1e-12) << method;
      EXPECT_NEAR(slides[2].time, rest, 1e-7) << method;
      EXPECT_NEAR(slides[3].time, 6.0, 1e-12) << method;
      EXPECT_NEAR(run.final("v[1]"), -1.8, 1e-7) << method;
      EXPECT_NEAR(run.final("v[2]"), -2.4, 1e-7) << method;
      EXPECT_NEAR(run.final("d[2]"), -0.8, 1e-8) << method;
    }
  }
}

// A bowling ball: the slip s falls by 7 in a unit of time along its direction; the solution goes on smoothly, it is not moved onto s = 0.
TEST(Direction, ABallSlipsThenRolls) {
  const std::string text = R"(model M
  Real vx(start = 2, fixed = true), vy(start = 0, fixed = true), px(start = 0, fixed = true), py(start = 1, fixed = true);
  Real s[2] = {vx - px, vy + py}, f[2] = -2*direction(s);
equation
  der(vx) = f[1]; der(vy) = f[2];
  der(px) = -2.5*f[1]; der(py) = 2.5*f[2];
end M;
)";
  for (const std::string& method : kMethods) {
    for (const char* const tolerance : {"1e-4", "1e-6", "1e-10"}) {
      const HybridRun run =
          run_text(text, {{"stop", "1"}, {"method", method}, {"tolerance", tolerance}, {"verify", "full"}});
      ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
      const std::vector<EventRecord> slides = slides_of(run);
      ASSERT_EQ(slides.size(), 1U);
      const double error = 10.0 * std::stod(tolerance);
      EXPECT_NEAR(slides[0].time, std::sqrt(5.0) / 7.0, error) << method << tolerance;
      EXPECT_NEAR(run.final("vx"), 10.0 / 7.0, error) << method << tolerance;
      EXPECT_NEAR(run.final("vy"), -2.0 / 7.0, error) << method << tolerance;
      EXPECT_NEAR(run.final("py"), 1.0 - 5.0 / 7.0, error) << method << tolerance;
    }
  }
}

// As people write it, without direction(v).
TEST(Direction, IsFoundInFrictionAsItIsWritten) {
  const std::string text = R"(model M
  Real vx(start = 2, fixed = true), vy(start = 1, fixed = true), v;
equation
  v = sqrt(vx^2 + vy^2);
  der(vx) = if v > 0 then -3*vx/v else 0;
  der(vy) = if v > 0 then -3*vy/v else 0;
end M;
)";
  for (const std::string& method : kMethods) {
    const HybridRun run = run_text(text, {{"stop", "2"}, {"method", method}, {"verify", "full"}});
    ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
    EXPECT_LT(run.result.statistics.accepted_steps, 200) << method;
    EXPECT_NEAR(run.final("v"), 0.0, 1e-12) << method;
    const std::vector<EventRecord> slides = slides_of(run);
    ASSERT_EQ(slides.size(), 1U);
    EXPECT_NEAR(slides[0].time, std::sqrt(5.0) / 3.0, 1e-5) << method;
  }
}

// Fixed steps: the last one before zero is not resolved, but nothing goes beyond it.
TEST(Direction, IsHeldWithFixedStepsToo) {
  const std::string text =
      "model M\n  Real v[2](start = {2, 1}, each fixed = true), d[2] = direction(v);\nequation\n  der(v) = "
      "{0.5, 0.2} - 3*d;\n"
      "end M;\n";
  const double rest = (3.0 * std::sqrt(5.0) + 1.2) / (9.0 - 0.29);
  for (const char* const method : {"rk4", "dopri5", "radau5"}) {
    const HybridRun run = run_text(text, {{"stop", "2"}, {"method", method}, {"step", "0.01"}});
    ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
    const std::vector<EventRecord> slides = slides_of(run);
    ASSERT_EQ(slides.size(), 1U) << method;
    EXPECT_NEAR(slides[0].time, rest, 1e-4) << method;
    EXPECT_NEAR(run.final("v[1]"), 0.0, 1e-12) << method;
  }
}

// A jump from rest, onto rest, and beside it.
TEST(Direction, JumpsLeaveRestAndLeadToIt) {
  const std::string text = R"(model M
  Real v[2](each start = 0, each fixed = true), d[2] = direction(v);
equation
  der(v) = -d;
  when time > 1 then reinit(v[1], 0.3); reinit(v[2], 0.4); end when;
  when time > 2 then reinit(v[1], 3.0); end when;
  when time > 3 then reinit(v[1], 0.0); end when;
end M;
)";
  for (const std::string& method : kMethods) {
    const HybridRun run = run_text(text, {{"stop", "4"}, {"method", method}, {"verify", "full"}});
    ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
    std::string what;
    for (const EventRecord& slide : slides_of(run)) {
      what += slide.kind + " " + number(slide.time) + "; ";
    }
    const std::vector<EventRecord> slides = slides_of(run);
    ASSERT_EQ(slides.size(), 5U) << method << what;
    EXPECT_NEAR(slides[1].time, 1.0, 1e-12);
    EXPECT_NEAR(slides[2].time, 1.5, 1e-5) << method;
    EXPECT_NEAR(slides[3].time, 2.0, 1e-12);
    EXPECT_EQ(slides[4].kind, "slide_enter");
    EXPECT_NEAR(slides[4].time, 3.0, 1e-12);
    EXPECT_NEAR(run.final("v[1]"), 0.0, 1e-12);
  }
}

// Blocks in a pile, pushed along one line: what the scalar law says of it, with sign, in any direction of the plane.
std::string pile(int n, unsigned seed, bool is_plane) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> part(0.0, 1.0);
  const double angle = 6.283 * part(random);
  const std::string e = is_plane ? "{" + number(std::cos(angle)) + ", " + number(std::sin(angle)) + "}" : "";
  const std::string dimension = is_plane ? "[2]" : "";
  const std::string law = is_plane ? "direction" : "sign";
  std::string declarations;
  std::string equations;
  for (int i = 1; i <= n; ++i) {
    const std::string k = std::to_string(i);
    const std::string start = number(std::round(20.0 * part(random) - 10.0) / 8.0);
    declarations += "  Real v" + k + dimension + "(start = " +
                    (is_plane ? start + "*" + e + ", each fixed = true" : start + ", fixed = true") + "), f" +
                    k + dimension + ";\n";
    const std::string below = i == 1 ? "v1" : "v" + k + " - v" + std::to_string(i - 1);
    equations += "  f" + k + " = -" + number(0.5 + 2.0 * part(random)) + "*" + law + "(" + below + ");\n";
    const std::string push = number(4.0 * part(random)) + "*sin(" + number(1.0 + 3.0 * part(random)) +
                             "*time + " + number(6.0 * part(random)) + ")";
    equations += "  " + number(0.5 + part(random)) + "*der(v" + k + ") = f" + k +
                 (i < n ? " - f" + std::to_string(i + 1) : "") + " + " + push + (is_plane ? "*" + e : "") +
                 ";\n";
  }
  return "model M\n" + declarations + "equation\n" + equations + "end M;\n";
}

TEST(Direction, PilesOfBlocksMoveAsWithSigns) {
  for (unsigned seed = 0; seed < 24; ++seed) {
    const int n = 1 + static_cast<int>(seed % 3);
    const std::string method = kMethods[seed % kMethods.size()];
    const auto run = [&](bool is_plane) {
      return run_text(pile(n, seed, is_plane),
                      {{"stop", "4"}, {"tolerance", "1e-8"}, {"method", method}, {"verify", "full"}});
    };
    const HybridRun line = run(false);
    const HybridRun plane = run(true);
    ASSERT_EQ(line.result.status, SimulationStatus::success) << seed << line.log();
    ASSERT_EQ(plane.result.status, SimulationStatus::success) << seed << plane.log() << pile(n, seed, true);
    // Beside zero v/|v| is stiff: an explicit method is held to its stability there, and tens of thousands of steps may each be off by a tolerance.
    const double allowed = method == "dopri5" ? 2e-4 : 2e-6;
    for (int i = 1; i <= n; ++i) {
      const std::string v = "v" + std::to_string(i);
      const double speed = std::hypot(plane.final(v + "[1]"), plane.final(v + "[2]"));
      EXPECT_NEAR(speed, std::abs(line.final(v)), allowed) << "seed " << seed << " " << method << " " << v;
    }
  }
}

}  // namespace
}  // namespace saltus::test
