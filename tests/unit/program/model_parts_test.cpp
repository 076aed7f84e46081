#include "program/model_parts.hpp"

#include <gtest/gtest.h>

#include <string>

#include "support/text_system.hpp"

namespace saltus::program {
namespace {

Index part_of(const system::HybridSystem& system, const std::string& name) {
  for (std::size_t i = 0; i < system.variables().size(); ++i) {
    if (system.variables()[i].name == name) {
      return system.parts()->of_variable[i];
    }
  }
  return -1;
}

// Two diodes at one source, which is given by time: three parts, and the guards belong to those of their diodes.
TEST(ModelParts, ASharedSourceJoinsNothing) {
  const auto system =
      test::build_text(
          "model M\n Real e, s, v(start = 0, fixed = true), r, w(start = 0, fixed = true);\nequation\n"
          " e = sin(time);\n e = v + (if s < 0 then s else 0);\n der(v) = (if s < 0 then 0 else s) - v;\n"
          " e = w + (if r < 0 then r else 0);\n der(w) = (if r < 0 then 0 else r) - w;\nend M;\n")
          .value();
  ASSERT_NE(system->parts(), nullptr);
  EXPECT_EQ(system->parts()->n_parts, 3);
  EXPECT_EQ(part_of(*system, "v"), part_of(*system, "s"));
  EXPECT_EQ(part_of(*system, "w"), part_of(*system, "r"));
  EXPECT_NE(part_of(*system, "v"), part_of(*system, "w"));
  EXPECT_NE(part_of(*system, "e"), part_of(*system, "v"));
  ASSERT_EQ(system->parts()->of_guard.size(), 2U);
  EXPECT_EQ(system->parts()->of_guard[0], part_of(*system, "s"));
  EXPECT_EQ(system->parts()->of_guard[1], part_of(*system, "r"));
  const auto groups = system->structure_groups(system->initial_mode());
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_GE(groups[0], 0);
  EXPECT_NE(groups[0], groups[1]);
}

// Four oscillators: an initial equation joins two, a clause two others.
TEST(ModelParts, ClausesAndInitialEquationsJoin) {
  const auto system =
      test::build_text(
          "model M\n Real x[4], v[4](each start = 0, each fixed = true);\n discrete Real n(start = 0);\n"
          "initial equation\n x[2] = x[1] + 1;\n x[1] = 1;\n x[3] = 2;\n x[4] = 3;\nequation\n"
          " der(x) = v;\n for k in 1:4 loop\n  der(v[k]) = -x[k] + (if k == 4 then n else 0);\n end for;\n"
          " when x[3] < 0.5 then n = pre(n) + 1; end when;\nend M;\n")
          .value();
  EXPECT_EQ(part_of(*system, "x[1]"), part_of(*system, "v[2]"));
  EXPECT_EQ(part_of(*system, "x[3]"), part_of(*system, "v[4]"));
  EXPECT_EQ(part_of(*system, "n"), part_of(*system, "v[4]"));
  EXPECT_NE(part_of(*system, "x[1]"), part_of(*system, "x[3]"));
}

TEST(ModelParts, ASwitchThatTimeSetsJoinsNothing) {
  const auto system =
      test::build_text(
          "model M\n Real x(start = 0, fixed = true), y(start = 0, fixed = true);\n Boolean on(start = "
          "false);\n"
          "equation\n when sample(1, 2) then on = not pre(on); end when;\n der(x) = if on then 1 else -x;\n"
          " der(y) = if on then 2 else -y;\nend M;\n")
          .value();
  EXPECT_NE(part_of(*system, "x"), part_of(*system, "y"));
  EXPECT_NE(part_of(*system, "x"), part_of(*system, "on"));
}

TEST(ModelParts, SeveralModesAreOnePart) {
  const auto system =
      test::build_text(
          "model M\n Real x(start = 1, fixed = true), y(start = 0, fixed = true);\nequation\n"
          " der(y) = 1;\ninitial mode a\nequation\n der(x) = -1;\n transition to b when x < 0;\n"
          "end a;\nmode b\nequation\n der(x) = 1;\nend b;\nend M;\n",
          lang::Dialect::saltus)
          .value();
  EXPECT_EQ(system->parts()->n_parts, 1);
}

}  // namespace
}  // namespace saltus::program
