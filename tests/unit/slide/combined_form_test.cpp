// The residual form of combinations of two fields: slopes of both sides and the weight as unknowns.
#include "slide/field/combined_form.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "slide/field/sliding_field.hpp"
#include "support/allocation_guard.hpp"
#include "support/equation_check.hpp"
#include "support/text_system.hpp"

namespace saltus::slide {
namespace {

using program::test::EquationCheck;
using program::test::TextSystem;

// x is held on x*y = 1 by two modes, one with an implicit equation of its own.
const char* const kTwoModes = R"(
model M
  Real x(start = 1, fixed = true), y(start = 1, fixed = true), push, z(start = 0.5);
equation
  der(y) = 0.3 - 0.1*push;
initial mode inside
  equation
    push = 1 + 0.2*y;
    z = 0.5*push;
    der(x) = push;
  transition to outside when x*y > 1;
end inside;
mode outside
  equation
    push = -2 + 0.1*x;
    z + exp(z) = x + 0.7;
    der(x) = push - z*y;
  transition to inside when x*y < 1;
end outside;
end M;)";

class Pair {
 public:
  explicit Pair(const std::string& text) : system(text, lang::Dialect::saltus) {
    plus = system.hybrid->lock(ModeId(1U)).value();
    minus = system.hybrid->lock(ModeId(0U)).value();
    on_plus = plus->make_evaluator();
    on_minus = minus->make_evaluator();
    field = std::make_unique<SlidingField>(*on_plus, *on_minus, Index{2}, system.hybrid->guards());
    field->offer_residual_form(plus, minus);
  }

  TextSystem system;
  std::shared_ptr<const system::LockedDae> plus;
  std::shared_ptr<const system::LockedDae> minus;
  std::unique_ptr<system::Evaluator> on_plus;
  std::unique_ptr<system::Evaluator> on_minus;
  std::unique_ptr<SlidingField> field;
};

TEST(CombinedForm, JacobianIsThatOfDifferences) {
  const Pair pair(kTwoModes);
  const auto form =
      CombinedForm::make({pair.plus, pair.minus}, *pair.on_plus, pair.system.hybrid->guards()[0], 0, 0.0);
  ASSERT_NE(form, nullptr);
  const Index sizes = pair.plus->residual_form()->n_rows() + pair.minus->residual_form()->n_rows();
  EXPECT_EQ(form->n_rows(), sizes + 2 + 1);
  EXPECT_EQ(form->n_slots(), form->n_rows() + 2);
  EquationCheck check(form);
  for (std::size_t i = 0; i < check.slots.size(); ++i) {
    check.slots[i] = 0.3 + 0.6 * std::sin(1.0 + 2.9 * static_cast<double>(i));
  }
  check.expect_jacobian_of_differences(0.4);
}

TEST(CombinedForm, PointHasTheWeightAndTheRatesOfTheField) {
  const Pair pair(kTwoModes);
  const std::vector<double> x = {1.0, 1.0};
  const std::vector<Index> surfaces = {0};
  SlidingSet set;
  set.surfaces = surfaces;
  set.configuration = &pair.system.configuration;
  set.x = x;
  pair.field->begin(set);
  system::EquationRunner* const runner = pair.field->residual_runner();
  ASSERT_NE(runner, nullptr);
  const auto form = pair.field->own_residual_form();
  const auto n_y = static_cast<std::size_t>(form->n_rows());
  std::vector<double> slots(n_y + 2);
  std::vector<double> rows(n_y);
  std::vector<double> entries(form->pattern().n_entries());
  std::vector<double> xdot(2);
  ASSERT_TRUE(pair.field->rhs(0.0, x, xdot).ok());
  const auto find_point = [&] {
    return pair.field->residual_point(0.0, x, std::span(slots).first(n_y), std::span(slots).subspan(n_y))
        .ok();
  };
  ASSERT_TRUE(find_point());
  const saltus::test::AllocationGuard guard;
  const bool ok =
      find_point() && runner->residual(0.0, slots, rows).ok() && runner->jacobian(0.0, slots, entries).ok();
  const auto count = guard.count();
  ASSERT_TRUE(ok);
  EXPECT_EQ(count, 0);
  EXPECT_NEAR(slots[n_y], xdot[0], 1e-14);
  EXPECT_NEAR(slots[n_y + 1], xdot[1], 1e-14);
  EXPECT_NEAR(slots[n_y - 1], pair.field->weights()[0], 1e-14);
  EXPECT_LT(std::abs(slots[n_y - 1]), 1.0);
  for (std::size_t i = 0; i < n_y; ++i) {
    EXPECT_NEAR(rows[i], 0.0, 1e-13) << form->rows()[i].text;
  }
}

// Of one mode whose blend would be another solution; not where a side ends at the surface.
TEST(CombinedForm, IsOfferedForTwoSidesOfOneMode) {
  for (const auto& [power, is_offered] : {std::pair{"2", true}, std::pair{"1.5", false}}) {
    TextSystem system(
        std::string("model M\n Real x(start = 0, fixed = true), s = sign(x);\nequation\n der(x) = 0.3 - "
                    "s/(1 + abs(x)^") +
        power + ");\nend M;\n");
    SlidingField field(*system.evaluator, 1, system.hybrid->guards());
    field.offer_residual_form(system.locked, system.locked);
    const std::vector<double> x = {0.0};
    const std::vector<Index> surfaces = {0};
    SlidingSet set;
    set.surfaces = surfaces;
    set.configuration = &system.configuration;
    set.x = x;
    field.begin(set);
    ASSERT_EQ(field.construction(), SlidingRule::convex);
    EXPECT_EQ(field.residual_runner() != nullptr, is_offered) << power;
  }
}

}  // namespace
}  // namespace saltus::slide
