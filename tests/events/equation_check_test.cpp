// What the check of instants refuses, and that it refuses nothing else: values of models that are right, and values that are moved.
#include "settle/check/equation_check.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "support/text_system.hpp"

namespace saltus::settle {
namespace {

using program::test::build_text;
using testing::HasSubstr;

// A mode at its start, which may be moved.
struct Instant {
  std::shared_ptr<const system::HybridSystem> system;
  std::shared_ptr<const system::LockedDae> locked;
  std::unique_ptr<system::Evaluator> evaluator;
  system::Configuration configuration;
  std::vector<double> x;
  std::vector<double> values;
  integrate::Tolerances tolerances;

  explicit Instant(const std::string& text) {
    auto built = build_text(text);
    EXPECT_TRUE(built) << render_text(built.error());
    system = *std::move(built);
    const auto initial = system->initial(0.0);
    EXPECT_TRUE(initial);
    configuration = initial->configuration;
    x = initial->x;
    locked = system->lock(system->structure_of(configuration)).value();
    evaluator = locked->make_evaluator(initial->guess);
    evaluator->set_configuration(configuration);
    values.resize(system->variables().size());
    EXPECT_TRUE(evaluator->outputs(0.0, x, values).ok());
    tolerances.rtol = 1e-6;
    tolerances.atol.assign(x.size(), 1e-6);
  }
  std::optional<Violation> look() {
    EquationCheck check(*locked);
    return check.look(*evaluator, configuration,
                      {.t = 0.0, .x = x, .values = values, .surfaces = {}, .weights = {}}, tolerances);
  }
};

const std::string kModel = R"(
model M
  Real x(start = 1, fixed = true), y, z(start = 0.5);
equation
  der(x) = -y;
  y = 2*x + z;
  z + 0.1*sin(z) = x;
end M;)";

TEST(EquationCheck, ValuesOfTheModelHold) {
  EXPECT_FALSE(Instant(kModel).look());
}

TEST(EquationCheck, AMovedValueNamesItsEquationAndItsValues) {
  Instant instant(kModel);
  instant.values[1] += 1e-3;  // y
  const auto violation = instant.look();
  ASSERT_TRUE(violation);
  EXPECT_THAT(violation->equation, HasSubstr("y"));
  EXPECT_THAT(violation->values, HasSubstr("y = "));
  EXPECT_GT(violation->residual, 5e-4);
  instant.values[1] -= 1e-3;
  instant.values[1] += 1e-8;
  EXPECT_FALSE(instant.look());  // within the tolerance
}

TEST(EquationCheck, ImplicitEquationsAreLookedAtToo) {
  Instant instant(kModel);
  instant.values[2] -= 1e-3;  // z
  EXPECT_TRUE(instant.look());
}

TEST(EquationCheck, SidesOfConditionsAreThoseOfTheConfiguration) {
  const std::string text =
      "model M\n  Real x(start = 1, fixed = true), y;\nequation\n  der(x) = -1;\n  y = if x > 0 then 3 else "
      "5;\nend M;\n";
  Instant instant(text);
  EXPECT_FALSE(instant.look());
  instant.configuration.latched[0] = -1.0;
  const auto violation = instant.look();
  ASSERT_TRUE(violation);
  EXPECT_NEAR(violation->residual, 2.0, 1e-3);
}

// 2y + sin(y) = x is differentiated: velocities that do not fit are seen although no equation as written says so.
TEST(EquationCheck, HiddenConstraintsHold) {
  const auto system = *build_text(
      "model M\n  Real x, vx, y, vy, l;\nequation\n  der(x) = vx;\n  der(y) = vy;\n  der(vx) = -x + l;\n  "
      "der(vy) = "
      "-l;\n  2*y + sin(y) = x;\nend M;\n");
  const auto locked = system->lock(ModeId(0U)).value();
  const auto evaluator = locked->make_evaluator();
  const double y = 0.4;
  const double vx = 2.0;
  const std::map<std::string, double> right = {
      {"x", 2.0 * y + std::sin(y)}, {"y", y}, {"vx", vx}, {"vy", vx / (2.0 + std::cos(y))}};
  std::vector<double> x;
  for (const system::StateInfo& state : locked->states()) {
    x.push_back(right.at(state.name));
  }
  integrate::Tolerances tolerances;
  tolerances.atol.assign(x.size(), 1e-6);
  EquationCheck check(*locked);
  const auto look = [&](std::span<const double> at) {
    std::vector<double> values(system->variables().size());
    EXPECT_TRUE(evaluator->outputs(0.0, at, values).ok());
    return check.look(*evaluator, {.mode = ModeId(0U), .latched = {}, .discrete = {}},
                      {.t = 0.0, .x = at, .values = values, .surfaces = {}, .weights = {}}, tolerances);
  };
  EXPECT_FALSE(look(x)) << look(x)->equation;
  for (std::size_t i = 0; i < x.size(); ++i) {
    std::vector<double> moved = x;
    moved[i] += 1e-2;
    EXPECT_TRUE(look(moved)) << locked->states()[i].name;
  }
}

}  // namespace
}  // namespace saltus::settle
