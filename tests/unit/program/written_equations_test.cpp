// Equations as written over boxes: they hold the residual, and their words are those of the model.
#include "system/written_equations.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "support/text_system.hpp"

namespace saltus::program {
namespace {

using test::build_text;
using testing::ElementsAre;
using testing::HasSubstr;

const std::string kModel = R"(
model M
  Real x(start = 1, fixed = true), y, w;
equation
  2*der(x) = -sqrt(y);
  y = if x > 0 then x^2 else 7;
  w = x;
end M;)";

struct Written {
  std::shared_ptr<const system::HybridSystem> system = *build_text(kModel);
  std::shared_ptr<const system::LockedDae> locked = system->lock(ModeId(0U)).value();
  std::shared_ptr<const system::WrittenEquations> equations = locked->written_equations();
  std::unique_ptr<system::WrittenRunner> runner = equations->make_runner();

  std::vector<Interval> ranges(double x, double rate, double y, double w, double radius = 0.0) {
    std::vector<Interval> boxes;
    for (const auto& slot : equations->slots()) {
      const double value =
          slot.quantity.order > 0                                                             ? rate
          : system->variables()[static_cast<std::size_t>(slot.quantity.variable)].name == "x" ? x
          : system->variables()[static_cast<std::size_t>(slot.quantity.variable)].name == "y" ? y
                                                                                              : w;
      boxes.push_back({value - radius, value + radius});
    }
    std::vector<Interval> rows(equations->n_rows());
    runner->ranges({0.0, 0.0}, boxes, rows);
    return rows;
  }
};

TEST(WrittenEquations, AllOfTheModelAreThereAliasesToo) {
  Written written;
  EXPECT_EQ(written.equations->n_rows(), 3U);
}

TEST(WrittenEquations, RangesHoldTheResidual) {
  Written written;
  system::Configuration configuration{.mode = ModeId(0U), .latched = {1.0}, .discrete = {}};
  written.runner->set_configuration(configuration);
  for (const Interval& row : written.ranges(2.0, -1.0, 4.0, 2.0, 1e-9)) {
    EXPECT_TRUE(row.contains(0.0));
    EXPECT_LT(row.upper - row.lower, 1e-7);
  }
  configuration.latched[0] = -1.0;
  written.runner->set_configuration(configuration);
  const std::vector<Interval> other = written.ranges(2.0, -1.0, 4.0, 2.0);
  EXPECT_EQ(std::count_if(other.begin(), other.end(), [](const Interval& row) { return !row.contains(0.0); }),
            1);
  // A weight of one half: between both sides.
  written.runner->set_latched(0, 0.5);
  const std::vector<Interval> blended = written.ranges(2.0, -1.0, 0.75 * 4.0 + 0.25 * 7.0, 2.0, 1e-12);
  EXPECT_EQ(
      std::count_if(blended.begin(), blended.end(), [](const Interval& row) { return !row.contains(0.0); }),
      1);  // only the equation for the rate
}

TEST(WrittenEquations, WhatIsNotDefinedIsEmpty) {
  Written written;
  written.runner->set_configuration({.mode = ModeId(0U), .latched = {1.0}, .discrete = {}});
  const std::vector<Interval> rows = written.ranges(2.0, -1.0, -4.0, 2.0);
  EXPECT_TRUE(std::any_of(rows.begin(), rows.end(), [](const Interval& row) { return row.empty(); }));
}

TEST(WrittenEquations, WordsAreThoseOfTheModel) {
  Written written;
  const std::vector<std::size_t> rows = written.equations->rows_over(0);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_THAT(written.equations->text(rows[0]), HasSubstr("if x > 0 then x^2 else 7"));
  std::vector<std::string> names;
  for (const std::size_t slot : written.equations->slots_of(rows[0])) {
    names.push_back(written.equations->slot_name(slot));
  }
  EXPECT_THAT(names, testing::UnorderedElementsAre("x", "y"));
}

}  // namespace
}  // namespace saltus::program
