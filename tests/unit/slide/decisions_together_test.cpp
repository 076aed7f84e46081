// Decisions about several surfaces at once (docs/semantics.md 7.1, 7.3).
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "support/allocation_guard.hpp"
#include "unit/slide/decision_case.hpp"

namespace saltus::slide {
namespace {

using test::SwitchedSystem;
using Point = SwitchedSystem::Point;
using Sides = SwitchedSystem::Sides;
using Kind = GuardDecision::Kind;

// x'' = -2 sign x - sign x' at the origin.
SwitchedSystem twisting() {
  SwitchedSystem system;
  system.n_states = 2;
  system.guards = {SwitchedSystem::linear({1.0, 0.0}), SwitchedSystem::linear({0.0, 1.0})};
  system.guards[0].higher = [](double, Point, Sides s) {
    return std::vector<double>{-2.0 * s[0] - s[1], 0.0};
  };
  system.guards[1].higher = [](double, Point, Sides) { return std::vector<double>{0.0, 0.0}; };
  system.rhs = [](double, Point x, Sides s, std::span<double> xdot) {
    xdot[0] = x[1];
    xdot[1] = -2.0 * s[0] - s[1];
  };
  return system;
}

TEST(Decision, TwistingEndsOnBothSurfaces) {
  for (const double first : {1.0, -1.0}) {
    for (const double second : {1.0, -1.0}) {
      Case twist(twisting());
      const Decision& decision = twist.decide({first, second});
      ASSERT_TRUE(decision.ok());
      EXPECT_EQ(decision.guards[0].kind, Kind::slides);
      EXPECT_EQ(decision.guards[1].kind, Kind::slides);
      EXPECT_EQ(decision.guards[0].order, 2);
      EXPECT_NEAR(2.0 * decision.guards[0].value + decision.guards[1].value, 0.0, 1e-15);
      EXPECT_FALSE(decision.is_ambiguous) << "the weights are not unique but the motion is";
    }
  }
}

// Two surfaces, each with its own sides.
SwitchedSystem independent(double plus1, double minus1, double plus2, double minus2) {
  SwitchedSystem system;
  system.n_states = 2;
  system.guards = {SwitchedSystem::linear({1.0, 0.0}), SwitchedSystem::linear({0.0, 1.0})};
  system.rhs = [=](double, Point, Sides s, std::span<double> xdot) {
    xdot[0] = 0.5 * (1.0 + s[0]) * plus1 + 0.5 * (1.0 - s[0]) * minus1;
    xdot[1] = 0.5 * (1.0 + s[1]) * plus2 + 0.5 * (1.0 - s[1]) * minus2;
  };
  return system;
}

TEST(Decision, EachSurfaceOnItsOwn) {
  Case mixed(independent(-1.0, 3.0, 2.0, 1.0));
  const Decision& decision = mixed.decide({1.0, -1.0});
  ASSERT_TRUE(decision.ok());
  EXPECT_EQ(decision.guards[0].kind, Kind::slides);
  EXPECT_NEAR(decision.guards[0].value, 0.5, 1e-15);
  EXPECT_EQ(decision.guards[1].kind, Kind::side);
  EXPECT_EQ(decision.guards[1].value, 1.0);
  EXPECT_EQ(decision.guards[1].encounter, Encounter::to_plus);
  EXPECT_NEAR(decision.guards[0].rate_minus, 3.0, 1e-15);
  EXPECT_EQ(mixed.decider.rhs_evaluations(), 4);  // k + 1 patterns and the answer
  EXPECT_FALSE(decision.is_ambiguous);
}

TEST(Decision, BarredGuardsCrossAndTheOthersAreAskedAgain) {
  SwitchedSystem system = independent(-1.0, 3.0, -2.0, 2.0);
  system.guards[0].can_slide = false;
  Case barred(std::move(system));
  const Decision& decision = barred.decide({1.0, 1.0});
  ASSERT_TRUE(decision.ok());
  EXPECT_EQ(decision.guards[0].value, -1.0);
  EXPECT_TRUE(decision.guards[0].is_barred);
  EXPECT_EQ(decision.guards[1].kind, Kind::slides);
  EXPECT_NEAR(decision.guards[1].value, 0.0, 1e-15);
}

TEST(Decision, SeveralSolutionsAreReportedAndTheNearestTaken) {
  Case repels(independent(1.0, -1.0, 1.0, -1.0));
  const Decision& decision = repels.decide({1.0, -1.0});
  EXPECT_TRUE(decision.is_ambiguous);
  EXPECT_EQ(decision.guards[0].value, 1.0);
  EXPECT_EQ(decision.guards[1].value, -1.0);

  Case start(independent(1.0, -1.0, 1.0, -1.0));
  const Decision& written = start.decide({0.0, 0.0});
  EXPECT_TRUE(written.is_ambiguous);
  EXPECT_EQ(written.guards[0].kind, Kind::stays_zero);
  EXPECT_EQ(written.guards[1].kind, Kind::stays_zero);
}

TEST(Decision, OneOfTwoSurfacesIsLeft) {
  Case leaves(independent(1e-16, 2.0, -1.0, 1.0));
  leaves.leaving = {1.0, 0.0};
  const Decision& decision = leaves.decide({0.99, 0.2});
  ASSERT_TRUE(decision.ok());
  EXPECT_EQ(decision.guards[0].value, 1.0);
  EXPECT_EQ(decision.guards[1].kind, Kind::slides);
  EXPECT_NEAR(decision.guards[1].value, 0.0, 1e-15);
}

TEST(Decision, GuardThatStaysZeroIsNoPartOfTheProblem) {
  Case idle(independent(0.0, 0.0, -1.0, 3.0));
  const Decision& decision = idle.decide({1.0, 1.0});
  ASSERT_TRUE(decision.ok());
  EXPECT_EQ(decision.guards[0].kind, Kind::stays_zero);
  EXPECT_EQ(decision.guards[1].kind, Kind::slides);
  EXPECT_NEAR(decision.guards[1].value, 0.5, 1e-15);
}

TEST(Decision, ProductsOfSidesAreSolvedByLinearisingAgain) {
  SwitchedSystem system = independent(0.0, 0.0, 0.0, 0.0);
  system.rhs = [](double, Point, Sides s, std::span<double> xdot) {
    xdot[0] = 0.1 - s[0] + 0.5 * s[0] * s[1];
    xdot[1] = 0.2 - s[1] + 0.3 * s[0] * s[1];
  };
  Case products(std::move(system));
  const Decision& decision = products.decide({1.0, -1.0});
  ASSERT_TRUE(decision.ok());
  const double a = decision.guards[0].value;
  const double b = decision.guards[1].value;
  EXPECT_EQ(decision.guards[0].kind, Kind::slides);
  EXPECT_NEAR(0.1 - a + 0.5 * a * b, 0.0, 1e-7);
  EXPECT_NEAR(0.2 - b + 0.3 * a * b, 0.0, 1e-7);
}

// Blocks on a table, coupled by springs through their accelerations' loads: one weight each.
TEST(Decision, TwentyBlocksWithFriction) {
  constexpr int kBlocks = 20;
  SwitchedSystem system;
  system.n_states = kBlocks;
  for (int i = 0; i < kBlocks; ++i) {
    std::vector<double> row(kBlocks, 0.0);
    row[static_cast<std::size_t>(i)] = 1.0;
    system.guards.push_back(SwitchedSystem::linear(row));
  }
  const auto load = [](std::size_t i) { return 1.5 * std::sin(3.0 * static_cast<double>(i)); };
  system.rhs = [load](double, Point, Sides s, std::span<double> xdot) {
    for (std::size_t i = 0; i < xdot.size(); ++i) {
      xdot[i] = load(i) - s[i];
    }
  };
  Case blocks(std::move(system));
  const Decision& decision = blocks.decide(std::vector<double>(kBlocks, 1.0));
  ASSERT_TRUE(decision.ok());
  EXPECT_LE(blocks.decider.rhs_evaluations(), kBlocks + 4) << "k + 1 patterns, not 2^k";
  for (std::size_t i = 0; i < kBlocks; ++i) {
    const double expected = std::clamp(load(i), -1.0, 1.0);
    EXPECT_NEAR(decision.guards[i].value, expected, 1e-14) << i;
    EXPECT_EQ(decision.guards[i].kind, std::abs(load(i)) < 1.0 ? Kind::slides : Kind::side) << i;
  }
}

// A hundred contacts at one instant: velocities move the guards, whatever the sides; two evaluations are enough.
TEST(Decision, ContactsThatMeetTogether) {
  constexpr std::size_t kContacts = 100;
  SwitchedSystem system;
  system.n_states = 2 * kContacts;
  for (std::size_t i = 0; i < kContacts; ++i) {
    std::vector<double> row(2 * kContacts, 0.0);
    row[i] = 1.0;
    system.guards.push_back(SwitchedSystem::linear(row));
  }
  const auto velocity = [](std::size_t i) {
    return (i % 2 == 0 ? -1.0 : 1.0) * (1.0 + 0.01 * static_cast<double>(i));
  };
  system.rhs = [velocity](double, Point, Sides s, std::span<double> xdot) {
    for (std::size_t i = 0; i < kContacts; ++i) {
      xdot[i] = velocity(i);
      xdot[kContacts + i] = s[i] > 0.0 ? 0.0 : 100.0;
    }
  };
  std::vector<double> before(kContacts);
  for (std::size_t i = 0; i < kContacts; ++i) {
    before[i] = velocity(i) > 0.0 ? -1.0 : 1.0;
  }
  Case contacts(std::move(system));
  const Decision& decision = contacts.decide(before);
  ASSERT_TRUE(decision.ok());
  EXPECT_FALSE(decision.is_ambiguous);
  EXPECT_EQ(contacts.decider.rhs_evaluations(), 2);
  for (std::size_t i = 0; i < kContacts; ++i) {
    EXPECT_EQ(decision.guards[i].value, -before[i]) << i;
    EXPECT_EQ(decision.derivative[kContacts + i], before[i] > 0.0 ? 100.0 : 0.0) << i;
  }
}

// Random affine problems with a dominant diagonal have one solution; the conditions are checked on the field itself.
TEST(Decision, RandomFrictionProblemsSatisfyTheConditions) {
  constexpr unsigned kSeed = 577215;
  std::mt19937 random(kSeed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  for (int trial = 0; trial < 500; ++trial) {
    const auto k = static_cast<std::size_t>(2 + trial % 5);
    std::vector<double> matrix(k * k);
    std::vector<double> load(k);
    std::vector<double> before(k);
    for (std::size_t i = 0; i < k; ++i) {
      for (std::size_t j = 0; j < k; ++j) {
        matrix[i * k + j] = uniform(random) - (i == j ? static_cast<double>(k) : 0.0);
      }
      load[i] = 2.0 * static_cast<double>(k) * uniform(random);
      before[i] = uniform(random) < 0.0 ? -1.0 : 1.0;
    }
    SwitchedSystem system;
    system.n_states = static_cast<Index>(k);
    for (std::size_t i = 0; i < k; ++i) {
      std::vector<double> row(k, 0.0);
      row[i] = 1.0 + uniform(random) * 0.5;
      system.guards.push_back(SwitchedSystem::linear(row));
    }
    system.rhs = [&matrix, &load, k](double, Point, Sides s, std::span<double> xdot) {
      for (std::size_t i = 0; i < k; ++i) {
        xdot[i] = load[i];
        for (std::size_t j = 0; j < k; ++j) {
          xdot[i] += matrix[i * k + j] * s[j];
        }
      }
    };
    Case problem(std::move(system));
    const Decision& decision = problem.decide(before);
    ASSERT_TRUE(decision.ok()) << "seed " << kSeed << " trial " << trial;
    EXPECT_FALSE(decision.is_ambiguous);
    std::vector<double> xdot(k);
    ASSERT_TRUE(problem.evaluator.rhs(0.0, problem.x, xdot).ok());
    for (std::size_t i = 0; i < k; ++i) {
      const double s = decision.guards[i].value;
      const double violation = s == 1.0 ? -xdot[i] : s == -1.0 ? xdot[i] : std::abs(xdot[i]);
      EXPECT_LE(violation, 1e-12) << "seed " << kSeed << " trial " << trial;
    }
  }
}

TEST(Decision, NothingIsAllocatedTheSecondTime) {
  Case one(two_sides(2.0, 1.0));
  Case several(independent(-1.0, 3.0, 2.0, 1.0));
  ASSERT_TRUE(one.decide({-1.0}).ok());
  ASSERT_TRUE(several.decide({1.0, -1.0}).ok());
  const std::vector<double> before = {-1.0};
  const std::vector<double> both = {1.0, -1.0};
  const test::AllocationGuard allocations;
  ASSERT_TRUE(one.decide(before).ok());
  ASSERT_TRUE(several.decide(both).ok());
  EXPECT_EQ(allocations.count(), 0);
}

}  // namespace
}  // namespace saltus::slide
