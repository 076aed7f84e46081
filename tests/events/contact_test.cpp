// contact(gap, force, e): bodies that meet, rest, slide, roll and lift off (docs/semantics.md 7.11).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "support/hybrid_run.hpp"

namespace saltus::test {
namespace {

constexpr double kGravity = 9.81;
const std::vector<std::string> kMethods = {"auto", "dopri5", "radau5", "sdirk4", "bdf"};

std::ptrdiff_t n_of(const HybridRun& run, const std::string& kind) {
  return std::count_if(run.events.begin(), run.events.end(),
                       [&](const EventRecord& event) { return event.kind == kind; });
}

std::string ball(const std::string& restitution, const std::string& force = "0") {
  return "model M\n  Real y(start = 1, fixed = true), v(start = 0, fixed = true), N;\nequation\n  der(y) = "
         "v;\n"
         "  2*der(v) = -2*9.81 + N + " +
         force + ";\n  contact(y, N, " + restitution + ");\nend M;\n";
}

// Impacts at t₁·(1 + 2e + … + 2eᵏ), each with eᵏ of the first velocity; rest at t₁·(1 + e)/(1 - e).
TEST(Contact, BouncesAsInAClosedFormAndComesToRest) {
  const double first = std::sqrt(2.0 / kGravity);
  for (const double e : {0.0, 0.3, 0.5, 0.8}) {
    const double rest = first * (1.0 + e) / (1.0 - e);
    for (const std::string& method : kMethods) {
      for (const char* const tolerance : {"1e-4", "1e-6", "1e-9"}) {
        const HybridRun run = run_text(
            ball(number(e)),
            {{"stop", number(rest + 1.0)}, {"method", method}, {"tolerance", tolerance}, {"verify", "full"}});
        const std::string what = method + " " + tolerance + " e = " + number(e);
        ASSERT_EQ(run.result.status, SimulationStatus::success) << what << run.log();
        const double bound = 100.0 * std::stod(tolerance);
        double time = first;
        double speed = kGravity * first;
        std::ptrdiff_t k = 0;
        for (const EventRecord& event : run.events) {
          if (event.kind != "impact") {
            EXPECT_EQ(event.kind, "condition") << what;
            EXPECT_EQ(event.from + " " + event.to, "open closed") << what;
            EXPECT_NEAR(event.time, rest, bound + 1e-6)
                << what;  // flights that are not resolved: docs/math/contacts.md
            continue;
          }
          EXPECT_EQ(event.guard, "contact(y, N, " + number(e) + ")");
          EXPECT_NEAR(event.time, time, bound) << what << " impact " << k;
          EXPECT_NEAR(std::stod(event.from), -speed, bound) << what << " impact " << k;
          speed *= e;
          time += 2.0 * speed / kGravity;
          ++k;
        }
        EXPECT_EQ(n_of(run, "condition"), 1) << what;
        EXPECT_LE(k, e == 0.0 ? 1 : 2 + static_cast<std::ptrdiff_t>(std::log(1e-11) / std::log(e))) << what;
        EXPECT_NEAR(run.final("y"), 0.0, 1e-12) << what;
        EXPECT_NEAR(run.final("v"), 0.0, 1e-12) << what;
        EXPECT_NEAR(run.final("N"), 2.0 * kGravity, 1e-9) << what;
      }
    }
  }
}

// A force that grows lifts the body when it is its weight: 2·9.81·t/2 - weight, from rest.
TEST(Contact, LetsGoWhenItsForceWouldPull) {
  const std::string text = ball("0", "9.81*time");
  for (const std::string& method : kMethods) {
    const HybridRun run =
        run_text(text, {{"stop", "3"}, {"method", method}, {"tolerance", "1e-9"}, {"verify", "full"}});
    ASSERT_EQ(run.result.status, SimulationStatus::success) << method << run.log();
    const EventRecord& last = run.events.back();
    EXPECT_EQ(last.from + " " + last.to, "closed open") << method;
    EXPECT_NEAR(last.time, 2.0, 1e-8) << method;
    EXPECT_NEAR(run.final("y"), kGravity / 12.0, 1e-8) << method;  // ÿ = 9.81·(t - 2)/2
    EXPECT_EQ(run.final("N"), 0.0) << method;
  }
}

// A point mass on a rough floor: each impact takes mu·(1 + e)·|vy| from |v|, or all of it.
TEST(Contact, FrictionOfAnImpactOpposesWhatIsLeft) {
  for (const double mu : {0.0, 0.1, 0.3, 2.0}) {
    for (const double e : {0.0, 0.5}) {
      for (const bool is_plane : {false, true}) {
        const std::string slip = is_plane ? "v[2](start = {1.8, -2.4}, each fixed = true)"
                                          : "v[1](start = {3}, each fixed = true)";
        const std::string text =
            "model M\n  Real y(start = 1, fixed = true), w(start = 0, fixed = true), N, " + slip +
            ";\nequation\n  der(y) = w;\n  der(w) = N - 9.81;\n  der(v) = -" + number(mu) +
            "*N*direction(v);\n  contact(y, N, " + number(e) + ");\nend M;\n";
        for (const std::string& method : {std::string("auto"), std::string("radau5")}) {
          const double stop = 1.0;  // after the first impact with e = 0.5, and before the third
          const HybridRun run = run_text(
              text, {{"stop", number(stop)}, {"method", method}, {"tolerance", "1e-9"}, {"verify", "full"}});
          const std::string what = method + " mu = " + number(mu) + " e = " + number(e);
          ASSERT_EQ(run.result.status, SimulationStatus::success) << what << run.log();
          const double fall = std::sqrt(2.0 * kGravity);
          double speed = 3.0 - mu * (1.0 + e) * fall;
          if (e > 0.0) {
            speed -= mu * (1.0 + e) * e * fall;  // at 0.903
          } else {
            speed -= mu * kGravity * (stop - fall / kGravity);  // slides on
          }
          const double left = std::max(speed, 0.0) / 3.0;
          EXPECT_NEAR(run.final("v[1]"), left * (is_plane ? 1.8 : 3.0), 1e-7) << what;
          if (is_plane) {
            EXPECT_NEAR(run.final("v[2]"), -left * 2.4, 1e-7) << what;
          }
        }
      }
    }
  }
}

// Rolling: the point of contact comes to rest, and 2/7 of its velocity is left in that of the centre, whatever the way there.
TEST(Contact, SpinningBallRollsInTheEnd) {
  const std::string text =
      "model M\n  parameter Real R = 0.1, J = 0.4*R^2;\n  Real y(start = 1, fixed = true), u(start = 0, "
      "fixed = true), N, "
      "v[2](start = {2, 0.5}, each fixed = true), w[2](start = {-30, 20}, each fixed = true), "
      "f[2];\nequation\n"
      "  der(y) = u;\n  der(u) = N - 9.81;\n  der(v) = f;\n  J*der(w) = R*f;\n  f = -0.2*N*direction(v + "
      "R*w);\n"
      "  contact(y, N, 0.5);\nend M;\n";
  for (const std::string& method : kMethods) {
    const HybridRun run =
        run_text(text, {{"stop", "3"}, {"method", method}, {"tolerance", "1e-9"}, {"verify", "full"}});
    ASSERT_EQ(run.result.status, SimulationStatus::success) << method << run.log();
    EXPECT_NEAR(run.final("v[1]"), 2.0 + 2.0 / 7.0, 1e-8) << method;
    EXPECT_NEAR(run.final("v[2]"), 0.5 - 2.5 * 2.0 / 7.0, 1e-8) << method;
    EXPECT_NEAR(run.final("w[1]"), -10.0 * (2.0 + 2.0 / 7.0), 1e-7) << method;
  }
}

// Without friction and with equal e energy never grows and momentum stays: beads on a line that meet in any order, several at once.
TEST(Contact, EnergyNeverGrowsAndMomentumStays) {
  constexpr unsigned kSeeds = 20;
  for (unsigned seed = 1; seed <= kSeeds; ++seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(0.2, 1.0);
    const std::size_t n = 3 + seed % 4;
    const double e = seed % 3 == 0 ? 1.0 : uniform(random);
    std::string mass = "{";
    std::string start = "{";
    std::string speed = "{";
    double place = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      const std::string comma = i + 1 < n ? ", " : "}";
      mass += number(uniform(random)) + comma;
      start += number(place) + comma;
      // Some touch their neighbour from the start on.
      place += random() % 3 == 0 ? 0.0 : uniform(random);
      speed += number(i == 0 ? 2.0 : 0.5 - uniform(random)) + comma;
    }
    const std::string size = std::to_string(n);
    const std::string text = "model M\n  parameter Real m[" + size + "] = " + mass + ";\n  Real q[" + size +
                             "](start = " + start + ", each fixed = true), v[" + size + "](start = " + speed +
                             ", each fixed = true), F[" + size +
                             " + 1], energy, momentum;\nequation\n  der(q) = v;\n  for i in 1:" + size +
                             " loop\n    m[i]*der(v[i]) = F[i] - F[i + 1];\n  end for;\n  F[1] = 0;\n  F[" +
                             size + " + 1] = 0;\n  contact(q[2:end] - q[1:end - 1], F[2:end - 1], " +
                             number(e) + ");\n  energy = sum(m[i]*v[i]^2 for i in 1:" + size +
                             ");\n  momentum = sum(m[i]*v[i] for i in 1:" + size + ");\nend M;\n";
    const HybridRun run = run_text(text, {{"stop", "20"}, {"tolerance", "1e-9"}, {"verify", "full"}});
    ASSERT_EQ(run.result.status, SimulationStatus::success) << "seed " << seed << run.log() << text;
    for (std::size_t i = 1; i < run.rows.size(); ++i) {
      const double before = run.value(run.rows[i - 1], "energy");
      EXPECT_LE(run.value(run.rows[i], "energy"), before * (1.0 + 1e-12)) << "seed " << seed;
      EXPECT_NEAR(run.value(run.rows[i], "momentum"), run.value(run.rows[0], "momentum"), 1e-11)
          << "seed " << seed;
    }
    if (e == 1.0) {
      EXPECT_NEAR(run.final("energy"), run.value(run.rows[0], "energy"), 1e-11) << "seed " << seed;
    }
    EXPECT_GT(n_of(run, "impact"), 0) << "seed " << seed;
    // In the end nobody is behind somebody slower.
    for (std::size_t i = 1; i < n; ++i) {
      EXPECT_GE(run.final("q[" + std::to_string(i + 1) + "]") - run.final("q[" + std::to_string(i) + "]"),
                -1e-12)
          << "seed " << seed;
    }
  }
}

// A mechanism with constraints: the rod of a pendulum takes its part of the impulse. In the angle it is a when clause.
// One body is left by the other, which a third one meets: two structures with the same states. Momentum has no jump, and what is left keeps
// its velocity.
TEST(Contact, ABodyThatIsLeftBehindKeepsItsVelocity) {
  for (const std::string& method : kMethods) {
    for (const std::string contacts : {"contact(x2 - x0, N0, 0); contact(x2 - x1, N1, 0);",
                                       "contact(x2 - x1, N1, 0); contact(x2 - x0, N0, 0);",
                                       "0 = min(x2 - x0, N0); 0 = min(x2 - x1, N1);"}) {
      const HybridRun run = run_text(
          "model M Real x0(start = -0.2, fixed = true), v0(start = 1.4, fixed = true);\n"
          " Real x1(start = 0, fixed = true), v1(start = 0, fixed = true);\n"
          " Real x2(start = 0, fixed = true), v2(start = 0, fixed = true), N0, N1;\n"
          "equation der(x0) = v0; 0.5*der(v0) = 0.3 - N0; der(x1) = v1; der(v1) = 1.9 - N1;\n"
          " der(x2) = v2; 2*der(v2) = -1.0 + N0 + N1; " +
              contacts + " end M;",
          {{"stop", "0.6"}, {"method", method}, {"tolerance", "1e-8"}});
      ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
      EXPECT_FALSE(run.says("jump-moved")) << method << contacts << run.log();
      const double momentum = 0.5 * run.final("v0") + run.final("v1") + 2.0 * run.final("v2");
      EXPECT_NEAR(momentum, 0.7 + 1.2 * 0.6, 1e-7) << method << contacts << run.log();
      EXPECT_NEAR(run.final("v0"), 0.3733513, 1e-6) << method << contacts << run.log();
    }
  }
}

TEST(Contact, ImpactsOfAMechanismMoveAlongItsConstraints) {
  const std::string cartesian =
      "model M\n  Real x(start = 0.8, fixed = true), y(start = -0.6), vx(start = 0, fixed = true), vy, "
      "lambda, N;\n"
      "equation\n  der(x) = vx;\n  der(y) = vy;\n  der(vx) = N - lambda*x;\n  der(vy) = -lambda*y - 9.81;\n  "
      "x^2 + y^2 = 1;\n"
      "  contact(x + 0.1, N, 0.7);\nend M;\n";
  const std::string angle =
      "model M\n  Real p(start = asin(0.8), fixed = true), w(start = 0, fixed = true), x = "
      "sin(p);\nequation\n"
      "  der(p) = w;\n  der(w) = -9.81*sin(p);\n  when sin(p) < -0.1 then\n    reinit(w, -0.7*w);\n  end "
      "when;\nend M;\n";
  const HybridRun reference = run_text(angle, {{"stop", "3"}, {"tolerance", "1e-11"}});
  for (const std::string& method : kMethods) {
    const HybridRun run =
        run_text(cartesian, {{"stop", "3"}, {"method", method}, {"tolerance", "1e-9"}, {"verify", "full"}});
    ASSERT_EQ(run.result.status, SimulationStatus::success) << method << run.log();
    ASSERT_EQ(n_of(run, "impact"), n_of(reference, "when")) << method;
    EXPECT_NEAR(run.final("x"), reference.final("x"), 1e-6) << method;
  }
}

// At the start, in the middle of a rest that a clause ends, and for two contacts of one body.
TEST(Contact, StartsOnAContact) {
  const std::string text =
      "model M\n  Real y(start = 0, fixed = true), v(start = -2, fixed = true), N;\nequation\n  der(y) = v;\n"
      "  der(v) = N - 10;\n  contact(y, N, 0.5);\nend M;\n";
  const HybridRun run = run_text(text, {{"stop", "0.1"}, {"tolerance", "1e-9"}, {"verify", "full"}});
  ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
  ASSERT_EQ(run.events.size(), 1U);
  EXPECT_EQ(run.events[0].kind, "impact");
  EXPECT_EQ(run.events[0].time, 0.0);
  EXPECT_NEAR(run.final("v"), 0.0, 1e-9);  // 1 - 10·0.1
}

TEST(Contact, WhatHasNoAnswerIsNamed) {
  EXPECT_EQ(run_text(ball("1.5"), {{"stop", "1"}}).result.reason, "impact_not_decided");
  EXPECT_EQ(run_text(ball("-0.1"), {{"stop", "1"}}).result.reason, "impact_not_decided");
  EXPECT_EQ(run_text(ball("0.5"), {{"start", "0"}, {"stop", "-1"}}).result.reason, "impact_not_decided");
  // A rod that is pushed over a rough table, tip ahead.
  const std::string rod =
      "model M\n  parameter Real l = 0.5, mu = 2.5;\n  Real x(start = 0, fixed = true), y(start = "
      "l*sin(0.9), fixed = true), "
      "p(start = 0.9, fixed = true), vx(start = -3, fixed = true), vy(start = 0, fixed = true), w(start = 0, "
      "fixed = true), N, "
      "c = vx + l*sin(p)*w;\nequation\n  der(x) = vx;\n  der(y) = vy;\n  der(p) = w;\n  der(vx) = "
      "-mu*N*sign(c);\n"
      "  der(vy) = N - 9.81;\n  l^2/3*der(w) = -N*l*cos(p) - mu*N*sign(c)*l*sin(p);\n  contact(y - l*sin(p), "
      "N);\nend M;\n";
  EXPECT_EQ(run_text(rod, {{"stop", "1"}}).result.reason, "painleve");
}

// What rests is thrown up, pressed down (an impact) or moved along by a body.
TEST(Contact, BodiesSetVelocitiesOfWhatRests) {
  struct Case {
    double v = 0.0;  // as the body sets it
    double e = 0.0;
    double after = 0.0;  // the impact
  };
  for (const Case& c : {Case{2.0, 0.0, 2.0}, Case{2.0, 0.5, 2.0}, Case{-2.0, 0.5, 1.0}, Case{-2.0, 0.0, 0.0},
                        Case{0.0, 0.5, 0.0}}) {
    for (const std::string& method : kMethods) {
      const std::string text =
          "model M\n  Real y(start = 0, fixed = true), v(start = 0, fixed = true), N, x(start = 0, fixed = "
          "true), u(start = 0, "
          "fixed = true);\n\nequation\n  der(y) = v;\n  der(v) = -9.81 + N;\n  "
          "der(x) = u;\n  der(u) = 0;\n  contact(y, N, " +
          number(c.e) + ");\n  when time > 1 then\n    reinit(v, " + number(c.v) +
          ");\n    reinit(u, 3);\n  end when;\nend M;\n";
      const double fly = 0.5 * 2.0 * c.after / kGravity;
      const HybridRun run = run_text(
          text, {{"stop", number(1.0 + fly)}, {"method", method}, {"tolerance", "1e-9"}, {"verify", "full"}});
      const std::string what = method + " " + number(c.v) + " e = " + number(c.e);
      ASSERT_EQ(run.result.status, SimulationStatus::success) << what << run.log();
      EXPECT_NEAR(run.final("y"), 0.5 * c.after * c.after / kGravity, 1e-7) << what << run.log();
      EXPECT_NEAR(run.final("v"), 0.0, 1e-7) << what;
      EXPECT_EQ(run.final("u"), 3.0) << what;
      EXPECT_EQ(n_of(run, "impact"), c.v < 0.0 ? 1 : 0) << what;
    }
  }
}

}  // namespace
}  // namespace saltus::test
