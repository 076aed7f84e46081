#include "program/guards/guard_blend.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "expr/evaluate.hpp"
#include "support/compile_text.hpp"

namespace saltus::program {
namespace {

using Kind = flat::Condition::Kind;

// The value of u at v = 0 with guard 0 on side `s` (0: stays zero) or blended with weight s, the others at `others`.
class Choice {
 public:
  explicit Choice(const std::string& expression)
      : model_(test::compile_text("model M\n Real v(start = 1), w(start = 1), u;\nequation\n der(v) = 1;\n"
                                  " der(w) = 1;\n u = " +
                                  expression + ";\nend M;")) {
    before_ = model_.equations[2].right;
    normalize_same_guard_choices(model_);
    after_ = model_.equations[2].right;
  }

  [[nodiscard]] double written(double s, double others = 1.0) const {
    return value(before_, s, false, others);
  }
  [[nodiscard]] double side(double s, double others = 1.0) const { return value(after_, s, false, others); }
  [[nodiscard]] double blended(double s, double others = 1.0) const { return value(after_, s, true, others); }
  [[nodiscard]] bool changed() const { return before_ != after_; }
  [[nodiscard]] const flat::Model& model() const { return model_; }

 private:
  [[nodiscard]] double value(NodeId node, double s, bool is_weight, double others) const {
    std::vector<double> conditions;
    for (const flat::Condition& condition : model_.conditions) {
      const double latched = condition.guard.index() == 0 ? s : others;
      const bool stays_zero = condition.guard.index() == 0 && s == 0.0 && !is_weight;
      const double up = stays_zero ? 0.0 : (1.0 + latched) / 2.0;
      const double down = stays_zero ? 0.0 : (1.0 - latched) / 2.0;
      switch (condition.kind) {
        case Kind::greater: conditions.push_back(up); break;
        case Kind::greater_equal: conditions.push_back(stays_zero ? 1.0 : up); break;
        case Kind::less: conditions.push_back(down); break;
        default: conditions.push_back(stays_zero ? 1.0 : down);
      }
    }
    const std::array<double, 3> variables = {0.5, 0.25, 0.0};
    return expr::evaluate(model_.graph, node, {.variables = variables, .conditions = conditions});
  }

  flat::Model model_;
  NodeId before_;
  NodeId after_;
};

void expect_same_sides(const Choice& choice, const std::string& text) {
  for (const double s : {1.0, 0.0, -1.0}) {
    for (const double others : {1.0, -1.0}) {
      const double written = choice.written(s, others);
      const double side = choice.side(s, others);
      EXPECT_TRUE(written == side || (std::isnan(written) && std::isnan(side))) << text << " at " << s;
    }
  }
}

TEST(GuardBlend, SidesAreBlendedWhateverTheSpelling) {
  struct Row {
    const char* text;
    double positive;
    double negative;
  };
  const Row rows[] = {
      {"if v > 0 then 3 elseif v < 0 then -5 else 7", 3, -5},
      {"if v > 0 then 3 else if v <= 0 then -5 else 7", 3, -5},
      {"if v >= 0 then if v > 0 then 3 else 7 else -5", 3, -5},
      {"if v < 0 then -5 elseif v > 0 then 3 else 7", 3, -5},
      {"if v > 0 then sign(v)*4 else 6*sign(v)", 4, -6},
      {"if v > 0 then 2 + sin(if v < 0 then 1 else 0) else 1", 2, 1},
      {"if not v <= 0 then 3 else if v < 0 then -5 else 7", 3, -5},
      {"if v > 0 or v < 0 then sign(v) else 9", 1, -1},
      {"if v > 0 and v >= 0 then 3 else -5", 3, -5},
      {"sign(v)", 1, -1},
      {"if v > 0 then 3 else -5", 3, -5},
      {"if v > 0 then 1 else if w > 0 then if v < 0 then -5 else 2 else 8", 1, -5},
  };
  for (const Row& row : rows) {
    const Choice choice(row.text);
    expect_same_sides(choice, row.text);
    EXPECT_EQ(choice.side(1.0), row.positive) << row.text;
    EXPECT_EQ(choice.side(-1.0), row.negative) << row.text;
    for (const double s : {0.5, 0.0, -0.25}) {
      const double alpha = (1.0 + s) / 2.0;
      EXPECT_DOUBLE_EQ(choice.blended(s), alpha * row.positive + (1.0 - alpha) * row.negative) << row.text;
    }
  }
}

TEST(GuardBlend, PropositionsThatRepeatAGuardAreExtendedOnce) {
  // (v > 0 and w > 0) or (v < 0 and not w > 0): with w > 0 true it is v > 0.
  const char* text = "if v > 0 and w > 0 or v < 0 and not w > 0 then 10 else 20";
  const Choice choice(text);
  expect_same_sides(choice, text);
  EXPECT_DOUBLE_EQ(choice.blended(0.5, 1.0), 0.75 * 10.0 + 0.25 * 20.0);
  EXPECT_DOUBLE_EQ(choice.blended(0.5, -1.0), 0.25 * 10.0 + 0.75 * 20.0);
  const char* twice = "if v > 0 and w > 1 or v > 0 and w > 2 then 10 else 20";
  const Choice both(twice);
  expect_same_sides(both, twice);
  EXPECT_DOUBLE_EQ(both.blended(0.5, 1.0), 0.75 * 10.0 + 0.25 * 20.0);
}

TEST(GuardBlend, ZeroRegionDoesNotLeakWhileBlended) {
  const Choice choice("if v > 0 then 3 elseif v < 0 then -5 else 1/(v - 0.5)");
  EXPECT_TRUE(std::isinf(choice.side(0.0)));
  EXPECT_EQ(choice.blended(0.3), 0.65 * 3.0 + 0.35 * -5.0);
}

TEST(GuardBlend, WhatRepeatsNothingStays) {
  EXPECT_FALSE(Choice("if v > 0 then 3 else -5").changed());
  EXPECT_FALSE(Choice("(if v > 0 then 3 else -5)*(if v > 0 then 1 else 2)").changed());
  EXPECT_FALSE(Choice("if w > 0 then sign(v) else abs(v)").changed());
  EXPECT_TRUE(Choice("if v > 0 then 3 elseif v < 0 then -5 else 7").changed());
}

}  // namespace
}  // namespace saltus::program
