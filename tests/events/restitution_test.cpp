// Laws of restitution of contacts with friction (docs/math/contacts.md), against what two small problems solved by cases give.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>

#include "support/hybrid_run.hpp"

namespace saltus::test {
namespace {

using testing::HasSubstr;

// One contact: (v_n, v_t)' = G·(N, F) with F = -mu·N·sign(v_t), as of a rod whose end meets a rough floor.
struct Rod {
  double a = 1.0, b = 0.0, c = 1.0;  // G
  double mu = 0.0;
  double e = 0.0;
  double vn = -1.0;
  double vt = 0.0;

  [[nodiscard]] std::string text() const {
    return "model M\n  Real gap(start = 0.1, fixed = true), vn(start = " + number(vn) +
           ", fixed = true), vt(start = " + number(vt) +
           ", fixed = true), N, F, E;\nequation\n  der(gap) = vn;\n" + "  der(vn) = " + number(a) + "*N + (" +
           number(b) + ")*F;\n  der(vt) = (" + number(b) + ")*N + " + number(c) + "*F;\n  F = -" +
           number(mu) + "*N*sign(vt);\n  contact(gap, N, " + number(e) + ");\n  E = (" + number(c) +
           "*vn^2 - 2*(" + number(b) + ")*vn*vt + " + number(a) + "*vt^2)/(2*" + number(a * c - b * b) +
           ");\nend M;\n";
  }
  [[nodiscard]] double energy(double n, double t) const {
    return (c * n * n - 2.0 * b * n * t + a * t * t) / (2.0 * (a * c - b * b));
  }
};

struct Velocities {
  double n;
  double t;
};

// The impulse of friction under a given normal one that leaves a velocity along it, or none.
Velocities pushed(const Rod& rod, Velocities v, double normal) {
  for (const double s : {1.0, -1.0}) {
    const double friction = -rod.mu * normal * s;
    const Velocities after{v.n + rod.a * normal + rod.b * friction, v.t + rod.b * normal + rod.c * friction};
    if (after.t * s > 0.0) {
      return after;
    }
  }
  const double friction = -(v.t + rod.b * normal) / rod.c;
  return {v.n + rod.a * normal + rod.b * friction, 0.0};
}

// Compression ends where v_n is zero; pushed() grows with the impulse, as mu·|b| < a.
double compression(const Rod& rod, Velocities v) {
  double low = 0.0;
  double high = 1.0;
  while (pushed(rod, v, high).n < 0.0) {
    high *= 2.0;
  }
  for (int i = 0; i < 200; ++i) {
    const double middle = 0.5 * (low + high);
    (pushed(rod, v, middle).n < 0.0 ? low : high) = middle;
  }
  return high;
}

Velocities by_poisson(const Rod& rod) {
  const double impulse = compression(rod, {rod.vn, rod.vt});
  return pushed(rod, pushed(rod, {rod.vn, rod.vt}, impulse), rod.e * impulse);
}

Rod random_rod(unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  Rod rod;
  rod.a = 0.5 + uniform(random);
  rod.c = 0.5 + uniform(random);
  rod.b = (2.0 * uniform(random) - 1.0) * 0.95 * std::sqrt(rod.a * rod.c);
  rod.mu = 0.95 * std::min(1.5 * uniform(random), rod.a / std::abs(rod.b));
  rod.e = seed % 2 == 0 ? uniform(random) : 0.8 + 0.2 * uniform(random);
  rod.vt = 4.0 * uniform(random) - 2.0;
  return rod;
}

TEST(Restitution, PoissonsLawIsThatOfTwoPhases) {
  constexpr unsigned kSeeds = 60;
  int n_gains = 0;
  for (unsigned seed = 1; seed <= kSeeds; ++seed) {
    const Rod rod = random_rod(seed);
    const Velocities expected = by_poisson(rod);
    const double before = rod.energy(rod.vn, rod.vt);
    const OptionList options = {{"stop", "0.11"}, {"method", "dopri5"}};
    OptionList poisson = options;
    poisson.push_back({"restitution", "poisson"});
    const HybridRun run = run_text(rod.text(), poisson);
    ASSERT_EQ(run.result.status, SimulationStatus::success) << "seed " << seed << run.log() << rod.text();
    EXPECT_NEAR(run.final("vn"), expected.n, 1e-9) << "seed " << seed;
    EXPECT_NEAR(run.final("vt"), expected.t, 1e-9) << "seed " << seed;
    EXPECT_LE(run.final("E"), before * (1.0 + 1e-12)) << "seed " << seed;
    const HybridRun newton = run_text(rod.text(), options);
    ASSERT_EQ(newton.result.status, SimulationStatus::success) << "seed " << seed << newton.log();
    EXPECT_NEAR(newton.final("vn"), -rod.e * rod.vn, 1e-9) << "seed " << seed;
    n_gains += newton.final("E") > before * (1.0 + 1e-9) ? 1 : 0;
  }
  EXPECT_GT(n_gains, 0);  // what Poisson's law is there for
}

// Without friction and with one contact both laws are one.
TEST(Restitution, IsTheSameForOneContactWithoutFriction) {
  const std::string text =
      "model M\n  Real y(start = 1, fixed = true), v(start = 0, fixed = true), N;\nequation\n  der(y) = v;\n"
      "  der(v) = N - 9.81;\n  contact(y, N, 0.7);\nend M;\n";
  const HybridRun newton = run_text(text, {{"stop", "2"}, {"tolerance", "1e-9"}});
  const HybridRun poisson =
      run_text(text, {{"stop", "2"}, {"tolerance", "1e-9"}, {"restitution", "poisson"}});
  ASSERT_EQ(newton.events.size(), poisson.events.size());
  for (std::size_t i = 0; i < newton.events.size(); ++i) {
    EXPECT_NEAR(newton.events[i].time, poisson.events[i].time, 1e-12);
  }
  EXPECT_NEAR(newton.final("y"), poisson.final("y"), 1e-10);
  SimulationOptions options;
  EXPECT_THAT(render_text(set_option(options, "restitution", "stronge")), HasSubstr("newton, poisson"));
}

// Several contacts at once, with friction of each: blocks that lie on each other and on the floor, thrown about.
TEST(Restitution, EnergyNeverGrowsWithFriction) {
  constexpr unsigned kSeeds = 15;
  for (unsigned seed = 1; seed <= kSeeds; ++seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(0.0, 1.0);
    const std::string e = number(0.2 + 0.7 * uniform(random));
    const auto start = [&](double low, double high) { return number(low + (high - low) * uniform(random)); };
    // A ball that spins, against a wall that slides in a plane, in a corner: two contacts that close together.
    const std::string text =
        "model M\n  parameter Real R = 1, J = 0.4, mu = " + start(0.1, 0.9) + ";\n" +
        "  Real x(start = 1.5, fixed = true), y(start = 1.5, fixed = true), w(start = " + start(-6, 6) +
        ", fixed = true);\n  Real vx(start = " + start(-2, -1) +
        ", fixed = true), vy(start = " + start(-2, -1) +
        ", fixed = true), N1, N2, F1, F2, E;\nequation\n  der(x) = vx;\n  der(y) = vy;\n" +
        "  der(vx) = N2 + F1;\n  der(vy) = N1 + F2;\n  J*der(w) = R*F1 - R*F2;\n" +
        "  F1 = -mu*N1*sign(vx + R*w);\n  F2 = -mu*N2*sign(vy - R*w);\n" + "  contact(y - R, N1, " + e +
        ");\n  contact(x - R, N2, " + e + ");\n  E = (vx^2 + vy^2 + J*w^2)/2;\nend M;\n";
    const HybridRun run = run_text(text, {{"stop", "3"}, {"restitution", "poisson"}});
    ASSERT_EQ(run.result.status, SimulationStatus::success) << "seed " << seed << run.log() << text;
    EXPECT_GT(run.count("impact"), 0U);
    for (std::size_t i = 1; i < run.rows.size(); ++i) {
      EXPECT_LE(run.value(run.rows[i], "E"), run.value(run.rows[i - 1], "E") * (1.0 + 1e-11))
          << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace saltus::test
