// Conditions in branches of other choices are read where these are taken.
#include "program/guards/guard_effects.hpp"

#include <gtest/gtest.h>

#include "support/text_system.hpp"

namespace saltus::program {
namespace {

using test::build_text;

// Whether guard i has an effect, by latched values.
bool has_effect(const std::string& body, std::vector<double> latched, Index guard) {
  const auto system = build_text(
      "model M\n  Real x(start = 0.3, fixed = true), y(start = 0.2, fixed = true), z(start = 0.1, "
      "fixed = true);\nequation\n  der(y) = 1;\n  der(z) = 1;\n  der(x) = " +
      body + ";\nend M;\n");
  EXPECT_TRUE(system) << render_text(system.error());
  const auto locked = (*system)->lock(ModeId(0U)).value();
  const auto evaluator = locked->make_evaluator();
  EXPECT_EQ((*system)->guards().size(), latched.size());
  evaluator->set_configuration({.mode = ModeId(0U), .latched = std::move(latched), .discrete = {}});
  return evaluator->guard_has_effect(guard);
}

Index place_of(const std::string& body, const std::string& text) {
  const auto system = build_text(
      "model M\n  Real x(start = 0.3, fixed = true), y(start = 0.2, fixed = true), z(start = 0.1, "
      "fixed = true);\nequation\n  der(y) = 1;\n  der(z) = 1;\n  der(x) = " +
      body + ";\nend M;\n");
  for (std::size_t i = 0; i < (*system)->guards().size(); ++i) {
    if ((*system)->guards()[i].text == text) {
      return static_cast<Index>(i);
    }
  }
  return -1;
}

TEST(GuardEffects, AnInnerConditionIsReadInItsBranch) {
  const std::string body = "if x > 1 then (if y > 1 then 1 else 2) else 3";
  const Index outer = place_of(body, "x - 1");
  const Index inner = place_of(body, "y - 1");
  ASSERT_TRUE(outer >= 0 && inner >= 0);
  for (const double side : {1.0, -1.0}) {
    std::vector<double> latched(2, 1.0);
    latched[static_cast<std::size_t>(outer)] = side;
    EXPECT_EQ(has_effect(body, latched, inner), side > 0.0);
    EXPECT_TRUE(has_effect(body, latched, outer));
  }
}

TEST(GuardEffects, TheElseBranchIsReadUnderTheNegation) {
  const std::string body = "if x > 1 then 3 else (if y > 1 then 1 else 2)";
  const Index outer = place_of(body, "x - 1");
  const Index inner = place_of(body, "y - 1");
  for (const double side : {1.0, -1.0}) {
    std::vector<double> latched(2, 1.0);
    latched[static_cast<std::size_t>(outer)] = side;
    EXPECT_EQ(has_effect(body, latched, inner), side < 0.0);
  }
}

TEST(GuardEffects, ASecondPlaceCounts) {
  const std::string nested = "if x > 1 then (if y > 1 then 1 else 2) else 3";
  const std::string body = "(" + nested + ") + (if y > 1 then 1 else 0)";
  const Index inner = place_of(body, "y - 1");
  EXPECT_TRUE(has_effect(body, {-1.0, -1.0}, inner));
}

TEST(GuardEffects, EitherOfTwoBranchesSuffices) {
  const std::string body =
      "(if x > 1 then (if y > 1 then 1 else 2) else 3) + (if z > 1 then (if y > 1 then 4 else 5) else 6)";
  const Index x = place_of(body, "x - 1");
  const Index y = place_of(body, "y - 1");
  const Index z = place_of(body, "z - 1");
  for (const double side_x : {1.0, -1.0}) {
    for (const double side_z : {1.0, -1.0}) {
      std::vector<double> latched(3, 1.0);
      latched[static_cast<std::size_t>(x)] = side_x;
      latched[static_cast<std::size_t>(z)] = side_z;
      EXPECT_EQ(has_effect(body, latched, y), side_x > 0.0 || side_z > 0.0);
    }
  }
}

TEST(GuardEffects, ChoicesWithoutEventsCountAsTakenBothWays) {
  const std::string body = "if noEvent(x > 1) then (if y > 1 then 1 else 2) else 3";
  EXPECT_TRUE(has_effect(body, {-1.0}, 0));
}

}  // namespace
}  // namespace saltus::program
