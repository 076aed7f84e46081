#include "program/guards/guard_roots.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "expr/evaluate.hpp"
#include "support/compile_text.hpp"

namespace saltus::program {
namespace {

using Kind = flat::Condition::Kind;

/// u as a function of v and w, all guards on one side (0: they stay zero).
class Root {
 public:
  explicit Root(const std::string& expression)
      : model_(test::compile_text("model M\n Real v(start = 1), w(start = 1), u;\nequation\n der(v) = 1;\n"
                                  " der(w) = 1;\n u = " +
                                  expression + ";\nend M;")) {
    before_ = model_.equations[2].right;
    tame_roots_of_guards(model_);
    after_ = model_.equations[2].right;
  }

  [[nodiscard]] double before(double side, double v, double w) const { return value(before_, side, v, w); }
  [[nodiscard]] double after(double side, double v, double w) const { return value(after_, side, v, w); }
  [[nodiscard]] bool has_changed() const { return before_ != after_; }

 private:
  [[nodiscard]] double value(NodeId node, double side, double v, double w) const {
    std::vector<double> conditions;
    for (const flat::Condition& condition : model_.conditions) {
      const bool is_upper = condition.kind == Kind::greater || condition.kind == Kind::greater_equal;
      const bool holds_at_zero = condition.kind == Kind::greater_equal || condition.kind == Kind::less_equal;
      conditions.push_back((side == 0.0 ? holds_at_zero : (side > 0.0) == is_upper) ? 1.0 : 0.0);
    }
    const std::array<double, 3> variables = {v, w, 0.0};
    return expr::evaluate(model_.graph, node, {.variables = variables, .conditions = conditions});
  }

  flat::Model model_;
  NodeId before_;
  NodeId after_;
};

TEST(GuardRoots, AreLinearWhereTheGuardStaysZeroAndThemselvesElsewhere) {
  for (const char* text :
       {"if v >= w then sqrt(v - w) else 0", "if v >= w then sqrt(3*(v - w)) else 0", "sqrt(abs(v - w))",
        "sqrt(max(0, v - w))", "abs(v - w)^0.5", "if w <= v then sqrt((v - w)/2) else w",
        "if v >= w then -sqrt(v - w) else sqrt(w - v)", "if v >= w then sqrt(w*(v - w)) else 0"}) {
    const Root root(text);
    EXPECT_TRUE(root.has_changed()) << text;
    EXPECT_DOUBLE_EQ(root.after(1.0, 1.5, 1.25), root.before(1.0, 1.5, 1.25)) << text;
    // Of what rounding leaves, either way.
    for (const double left : {1e-16, -1e-16}) {
      EXPECT_LE(std::abs(root.after(0.0, 0.25 + left, 0.25)), 4e-16) << text;
    }
  }
}

TEST(GuardRoots, OfOtherThingsStay) {
  for (const char* text : {"if v > w then sqrt(v) else 0", "sqrt(v - w)", "if v > 0 then sqrt(v + w) else w",
                           "if v >= w then (v - w)^1.5 else 0", "if v > w then 1/(v - w) else 0"}) {
    EXPECT_FALSE(Root(text).has_changed()) << text;
  }
}

}  // namespace
}  // namespace saltus::program
