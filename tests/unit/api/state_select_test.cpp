// stateSelect: which of several starts that contradict the equations are kept.
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "saltus/simulate.hpp"

namespace saltus {
namespace {

double first(const std::string& x, const std::string& y, const std::string& equations, const char* name) {
  const std::string text = "model M Real x(start = 1" + x + "); Real y(start = 1" + y +
                           "); Real f; equation " + equations + " end M;";
  const SimulationResult result = simulate(Model::from_text("m.mo", text).value(), {.stop = 1.0}).value();
  EXPECT_TRUE(result.ok()) << result.message;
  for (std::size_t i = 0; i < result.columns.size(); ++i) {
    if (result.columns[i].name == name) {
      return result.trajectory.row(0)[i];
    }
  }
  return std::nan("");
}

// x + y = 3, and one of the two starts at 1 is kept.
constexpr const char* kConstraint = "der(x) = -x + f; der(y) = -y - f; x + y = 3*exp(-time);";

TEST(StateSelect, WhatIsPreferredKeepsItsStart) {
  EXPECT_NEAR(first(", stateSelect = StateSelect.prefer", "", kConstraint, "x"), 1.0, 1e-9);
  EXPECT_NEAR(first("", ", stateSelect = StateSelect.prefer", kConstraint, "y"), 1.0, 1e-9);
  EXPECT_NEAR(first("", ", stateSelect = StateSelect.always", kConstraint, "x"), 2.0, 1e-9);
}

TEST(StateSelect, WhatIsAvoidedGivesWay) {
  EXPECT_NEAR(first(", stateSelect = StateSelect.avoid", "", kConstraint, "y"), 1.0, 1e-9);
  EXPECT_NEAR(first("", ", stateSelect = StateSelect.never", kConstraint, "x"), 1.0, 1e-9);
}

TEST(StateSelect, AlwaysGoesBeforePrefer) {
  EXPECT_NEAR(
      first(", stateSelect = StateSelect.always", ", stateSelect = StateSelect.prefer", kConstraint, "x"),
      1.0, 1e-9);
}

TEST(StateSelect, WhatIsNoneIsAnError) {
  EXPECT_FALSE(Model::from_text("m.mo", "model M Real x(stateSelect = 1); equation der(x) = 1; end M;"));
  EXPECT_FALSE(Model::from_text(
      "m.mo", "model M Real x(stateSelect = StateSelect.often); equation der(x) = 1; end M;"));
}

}  // namespace
}  // namespace saltus
