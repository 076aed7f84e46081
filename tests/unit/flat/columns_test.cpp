#include "flat/columns.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace saltus::flat {
namespace {

TEST(Columns, OwnVariablesOfOneNameShareAColumn) {
  Model model;
  model.modes.resize(2);
  const auto add = [&model](const char* name, ModeId mode) {
    model.variables.emplace_back();
    model.variables.back().name = name;
    model.variables.back().mode = mode;
  };
  add("x", {});
  add("f", ModeId(0U));
  add("g", ModeId(0U));
  add("f", ModeId(1U));
  add("h", ModeId(1U));
  EXPECT_THAT(columns_of_variables(model), ::testing::ElementsAre(0, 1, 2, 1, 3));
}

}  // namespace
}  // namespace saltus::flat
