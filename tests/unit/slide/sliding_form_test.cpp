// The residual form of slides: weights as unknowns, ġ = 0 as rows.
#include "slide/field/sliding_form.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
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

// A body on a circle (index 3) that a rough wall moving with u = 0.1·time holds, and a quantity w kept on w·x = 0.3 - time/4.
const char* const kTwoSurfaces = R"(
model M
  Real x(start = 0.6), y(start = -0.8), u(start = 0), v(start = 0), lambda;
  Real w(start = 0.5);
  Real z(start = 0.5) "of an implicit block";
equation
  der(x) = u;
  der(y) = v;
  der(u) = -2*x*lambda - (2 + w^2)*sign(u - 0.1*time);
  der(v) = -2*y*lambda - 1 + z;
  x^2 + y^2 = 1;
  z + exp(z) = w + 1;
  der(w) = cos(w) - 3*y*y*(if w*x - 0.3 + time/4 > 0 then 1 else -1) + u;
end M;)";

const std::map<std::string, double> kPoint = {{"x", 0.6}, {"y", -0.8}, {"w", 0.5}};

class Slide {
 public:
  explicit Slide(const std::string& text, const std::map<std::string, double>& start = {}) : system(text) {
    for (std::size_t i = 0; i < system.hybrid->guards().size(); ++i) {
      surfaces.push_back(static_cast<Index>(i));
    }
    system.x.clear();
    for (const system::StateInfo& state : system.locked->states()) {
      const auto known = start.find(state.name);
      system.x.push_back(known == start.end() ? 0.0 : known->second);
    }
    field = std::make_unique<SlidingField>(*system.evaluator, static_cast<Index>(system.x.size()),
                                           system.hybrid->guards());
    field->add_constraints({system.locked->constraints()});
    field->offer_residual_form(system.locked, system.locked);
  }

  void begin(double t, SlidingRule rule = SlidingRule::automatic) {
    SlidingSet set;
    set.surfaces = surfaces;
    set.configuration = &system.configuration;
    set.rule = rule;
    set.t = t;
    set.x = system.x;
    field->begin(set);
  }

  program::test::TextSystem system;
  std::vector<Index> surfaces;
  std::unique_ptr<SlidingField> field;
};

TEST(SlidingForm, HasOneUnknownAndOneRowForEachSurface) {
  Slide slide(kTwoSurfaces, kPoint);
  const auto inner = slide.system.locked->residual_form();
  const auto form = SlidingForm::make(slide.system.locked, *slide.system.evaluator, slide.surfaces,
                                      slide.system.hybrid->guards());
  ASSERT_NE(form, nullptr);
  EXPECT_EQ(form->n_rows(), inner->n_rows() + 2);
  EXPECT_EQ(form->n_slots(), inner->n_slots() + 2);
  EXPECT_EQ(form->slots()[static_cast<std::size_t>(inner->n_rows())].name, "the weight on u - 0.1*time = 0");
  EXPECT_EQ(form->rows()[static_cast<std::size_t>(inner->n_rows())].text, "der(u - 0.1*time) = 0");
  // The weights are in different rows: one further residual is enough for both columns.
  EXPECT_EQ(form->groups().size(), 1U);
  EXPECT_EQ(form->surfaces()[0].rows.size(), 1U);
  EXPECT_EQ(form->surfaces()[1].row.states.size(), 2U);
}

TEST(SlidingForm, JacobianIsThatOfDifferences) {
  Slide slide(kTwoSurfaces, kPoint);
  EquationCheck check(SlidingForm::make(slide.system.locked, *slide.system.evaluator, slide.surfaces,
                                        slide.system.hybrid->guards()));
  check.runner->set_configuration(slide.system.configuration);
  for (std::size_t i = 0; i < check.slots.size(); ++i) {
    check.slots[i] = 0.3 + 0.6 * std::sin(2.0 + 3.7 * static_cast<double>(i));
  }
  check.expect_jacobian_of_differences(0.4);
}

// sign(u)^3 + sign(u) is not affine in the weight.
TEST(SlidingForm, ColumnOfAWeightThatIsNotAffine) {
  Slide slide(
      "model M\n Real u(start = 0), s = sign(u);\nequation\n der(u) = 0.4 - s^3 - s + sin(u);\nend M;\n");
  EquationCheck check(SlidingForm::make(slide.system.locked, *slide.system.evaluator, slide.surfaces,
                                        slide.system.hybrid->guards()));
  check.runner->set_configuration(slide.system.configuration);
  check.slots = {0.1, 0.35, 0.7};
  check.expect_jacobian_of_differences(0.0, 1e-6);
}

TEST(SlidingForm, PointHasTheWeightsAndRatesOfTheField) {
  Slide slide(kTwoSurfaces, kPoint);
  slide.begin(0.0);
  system::EquationRunner* const runner = slide.field->residual_runner();
  ASSERT_NE(runner, nullptr);
  const auto form = slide.field->own_residual_form();
  const auto n_y = static_cast<std::size_t>(form->n_rows());
  std::vector<double> x = slide.system.x;
  const std::size_t n = x.size();
  std::vector<double> slots(n_y + n);
  std::vector<double> rows(n_y);
  std::vector<double> entries(form->pattern().n_entries());
  std::vector<double> xdot(n);
  ASSERT_TRUE(slide.field->project(0.2, x).ok());
  ASSERT_TRUE(slide.field->rhs(0.2, x, xdot).ok());
  const saltus::test::AllocationGuard guard;
  const bool ok =
      slide.field->residual_point(0.2, x, std::span(slots).first(n_y), std::span(slots).subspan(n_y)).ok() &&
      runner->residual(0.2, slots, rows).ok() && runner->jacobian(0.2, slots, entries).ok();
  const auto count = guard.count();
  ASSERT_TRUE(ok);
  EXPECT_EQ(count, 0);
  for (std::size_t i = 0; i < n; ++i) {
    EXPECT_NEAR(slots[n_y + i], xdot[i], 1e-12) << slide.system.locked->states()[i].name;
  }
  for (std::size_t i = 0; i < n_y; ++i) {
    EXPECT_NEAR(rows[i], 0.0, 1e-11) << form->rows()[i].text;
  }
  EXPECT_NEAR(slots[n_y - 2], slide.field->weights()[0], 1e-14);
  EXPECT_NEAR(slots[n_y - 1], slide.field->weights()[1], 1e-14);
  EXPECT_LT(std::abs(slots[n_y - 1]), 1.0);
}

TEST(SlidingForm, IsKeptForASetOfSurfaces) {
  Slide slide(kTwoSurfaces, kPoint);
  slide.begin(0.0);
  const auto both = slide.field->own_residual_form();
  slide.surfaces = {1};
  slide.begin(0.0);
  const auto one = slide.field->own_residual_form();
  ASSERT_NE(one, nullptr);
  EXPECT_EQ(one->n_rows() + 1, both->n_rows());
  slide.surfaces = {0, 1};
  slide.begin(0.1);
  EXPECT_EQ(slide.field->own_residual_form(), both);
}

TEST(SlidingForm, NotOfferedWhereItWouldBeSingular) {
  // The end of twisting: only 2 s1 + s2 is determined.
  Slide twisting(
      "model M\n Real x(start = 0), v(start = 0);\nequation\n der(x) = v;\n"
      " der(v) = -2*sign(x) - sign(v) + 0.5;\nend M;\n");
  twisting.begin(0.0);
  EXPECT_EQ(twisting.field->residual_runner(), nullptr);
  // An algebraic slide.
  Slide algebraic(
      "model M\n Real x(start = 1), z(start = 0), s = sign(z);\nequation\n der(x) = 1;\n z + 2*s = x;\nend "
      "M;\n",
      {{"x", 1.0}});
  algebraic.begin(0.0);
  EXPECT_EQ(algebraic.field->residual_runner(), nullptr);
}

}  // namespace
}  // namespace saltus::slide
