#include "structure/start_problem.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "structure/causalize.hpp"
#include "structure/match/names.hpp"
#include "unit/structure/model_maker.hpp"

namespace saltus::structure {
namespace {

using testing::ElementsAre;

StartProblem problem_of(ModelMaker& m, int level = 0, const CausalizeOptions& options = {}) {
  const auto causalized = causalize(m.finish(), {}, options);
  if (!causalized) {
    ADD_FAILURE() << render_text(causalized.error());
    return {};
  }
  auto problem = start_problem(m.model, *causalized, level);
  if (!problem) {
    ADD_FAILURE() << render_text(problem.error());
    return {};
  }
  return *std::move(problem);
}

// "name:tier:guess" of every slot.
std::vector<std::string> slots(const flat::Model& model, const StartProblem& problem) {
  constexpr std::array<const char*, 4> kTiers = {"fixed", "differential", "other", "free"};
  std::vector<std::string> result;
  for (const StartSlot& slot : problem.slots) {
    const double guess = expr::evaluate(model.graph, slot.guess, {});
    result.push_back(name_of(model, slot.quantity) + ":" + kTiers[static_cast<std::size_t>(slot.tier)] + ":" +
                     std::to_string(static_cast<int>(guess)));
  }
  return result;
}

std::vector<std::pair<std::uint32_t, int>> origins(const StartProblem& problem) {
  std::vector<std::pair<std::uint32_t, int>> result;
  for (const StartRow& row : problem.rows) {
    result.emplace_back(row.origin.equation, row.origin.order);
  }
  return result;
}

// The pendulum of first order with a starting velocity; y has no start.
TEST(StartProblem, PendulumWithStartsOfAllKinds) {
  ModelMaker m;
  const VariableId x = m.variable("x", 1.0, true);
  const VariableId y = m.variable("y");
  const VariableId v = m.variable("v", 3.0);
  const VariableId w = m.variable("w");
  const VariableId lambda = m.variable("lambda", 7.0);
  m.equation(m.negate(m.der(x)), m.value(v));
  m.equation(m.der(y), m.value(w));
  m.equation(m.der(v), m.multiply(m.value(lambda), m.value(x)));
  m.equation(m.der(w), m.multiply(m.value(lambda), m.value(y)));
  m.equation(m.add(m.multiply(m.value(x), m.value(x)), m.multiply(m.value(y), m.value(y))), m.number(1.0));
  m.initial_equation(m.der(y), m.number(2.0));
  const StartProblem problem = problem_of(m);
  EXPECT_THAT(slots(m.model, problem), ElementsAre("x:fixed:1", "y:free:0", "v:differential:3", "w:free:0",
                                                   "lambda:other:7", "der(v):free:0", "der(w):free:0"));
  using P = std::pair<std::uint32_t, int>;
  EXPECT_EQ(problem.n_model_rows, 5U);
  EXPECT_THAT(origins(problem), ElementsAre(P{2, 0}, P{3, 0}, P{4, 0}, P{4, 1}, P{4, 2}, P{0, 0}));
  ASSERT_EQ(problem.rows.back().kind, StartRow::Kind::initial_equation);
  EXPECT_EQ(problem.rows.back().equation.left, m.value(w));  // der(y) by the name that has a slot
}

TEST(StartProblem, StartsOfAliasesGoToWhatTheyStandFor) {
  ModelMaker m;
  const VariableId x = m.variable("x", 1.0);
  const VariableId y = m.variable("y", 2.0, true);
  const VariableId z = m.variable("z", 5.0, true);
  const VariableId f = m.variable("f");
  m.equation(m.value(y), m.negate(m.value(x)));
  m.equation(m.value(z), m.value(x));
  m.equation(m.multiply(m.value(x), m.value(x)), m.sin(m.model.graph.time()));
  m.equation(m.value(f), m.sin(m.der(y)));
  const StartProblem problem = problem_of(m);
  EXPECT_THAT(slots(m.model, problem), ElementsAre("x:fixed:-2", "f:free:0", "der(x):free:0"));
  EXPECT_EQ(problem.slots[0].source, y);
  ASSERT_EQ(problem.rows.back().kind, StartRow::Kind::fixed);  // z = 5 contradicts: both are kept
  EXPECT_EQ(problem.rows.back().equation.left, m.value(x));
  EXPECT_EQ(problem.rows.back().equation.span, m.model[z].span);
}

TEST(StartProblem, ByRanksTheWholeArray) {
  ModelMaker m;
  const VariableId x = m.variable("x", 1.0);
  const VariableId y = m.variable("y", 2.0);
  m.equation(m.der(x), m.value(y));
  m.equation(m.value(x), m.sin(m.value(y)));
  const StartProblem problem = problem_of(m, 1, {.force_ranks = true});
  EXPECT_THAT(slots(m.model, problem),
              ElementsAre("x:differential:1", "y:other:2", "der(x):free:0", "der(y):free:0",
                          "der(der(x)):free:0", "der(der(y)):free:0"));
  using P = std::pair<std::uint32_t, int>;
  EXPECT_THAT(origins(problem), ElementsAre(P{0, 0}, P{1, 0}, P{0, 1}, P{1, 1}));
  EXPECT_EQ(problem.rows[2].equation.left, m.der(x, 2));
}

TEST(StartProblem, ADerivativeThatNothingDeterminesIsNamed) {
  ModelMaker m;
  const VariableId x = m.variable("x");
  m.equation(m.multiply(m.value(x), m.value(x)), m.number(2.0));
  m.initial_equation(m.der(x), m.number(0.0), "der(x) = 0");
  const auto causalized = causalize(m.finish());
  ASSERT_TRUE(causalized.has_value());
  const auto problem = start_problem(m.model, *causalized);
  ASSERT_FALSE(problem.has_value());
  EXPECT_EQ(problem.error().items()[0].code, "derivative-not-available");
}

}  // namespace
}  // namespace saltus::structure
