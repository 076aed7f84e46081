#include "program/guards/parameter_values.hpp"

#include <gtest/gtest.h>

#include "model_builder.hpp"

namespace saltus::program {
namespace {

using test::ModelBuilder;

TEST(ParameterValues, FollowParametersDeclaredLater) {
  ModelBuilder b;
  const NodeId later = b.g().parameter(ParameterId(1U));
  b.parameter("a", b.g().multiply(later, b.g().constant(2.0)));
  b.parameter("b", b.g().constant(3.0));
  Diagnostics diagnostics;
  const std::vector<double> values = ParameterValues(b.model()).all(diagnostics);
  EXPECT_TRUE(diagnostics.empty());
  EXPECT_EQ(values, (std::vector<double>{6.0, 3.0}));
}

TEST(ParameterValues, GivenValuesTakeThePlaceOfTheOwnAndWhatDependsFollows) {
  ModelBuilder b;
  const NodeId later = b.g().parameter(ParameterId(1U));
  b.parameter("a", b.g().multiply(later, b.g().constant(2.0)));
  b.parameter("b", b.g().constant(3.0));
  b.parameter("c", b.g().constant(0.0));
  b.model().parameters.back().value.reset();
  Diagnostics diagnostics;
  EXPECT_EQ(ParameterValues(b.model(), {{"b", 5.0}, {"c", 1.0}, {"x", 9.0}}).all(diagnostics),
            (std::vector<double>{10.0, 5.0, 1.0}));
  EXPECT_EQ(ParameterValues(b.model(), {{"a", 1.0}, {"b", 4.0}, {"b", 5.0}, {"c", 1.0}}).all(diagnostics),
            (std::vector<double>{1.0, 5.0, 1.0}));
  EXPECT_TRUE(diagnostics.empty());
  EXPECT_EQ(ParameterValues(b.model()).of(ParameterId(2U)), std::nullopt);
}

TEST(ParameterValues, CycleMissingValueAndNanAreNamed) {
  ModelBuilder b;
  const NodeId second = b.g().parameter(ParameterId(1U));
  const NodeId first = b.parameter("a", b.g().add(second, b.g().constant(1.0)));
  b.parameter("b", b.g().unary(expr::Op::sin, first));
  b.parameter("c", b.g().constant(0.0));
  b.model().parameters.back().value.reset();
  const NodeId negative = b.parameter("d", b.g().constant(-1.0));
  b.parameter("e", b.g().unary(expr::Op::sqrt, negative));
  Diagnostics diagnostics;
  (void)ParameterValues(b.model()).all(diagnostics);
  std::vector<std::string> codes;
  for (const Diagnostic& item : diagnostics.items()) codes.push_back(item.code + " " + item.message);
  ASSERT_EQ(codes.size(), 4U);
  EXPECT_EQ(codes[0], "parameter-cycle the value of the parameter 'a' depends on itself");
  EXPECT_EQ(codes[1], "parameter-cycle the value of the parameter 'b' depends on itself");
  EXPECT_EQ(codes[2], "parameter-not-set the parameter 'c' has no value");
  EXPECT_EQ(codes[3], "parameter-not-a-number the value of the parameter 'e' is not a number");
}

TEST(ParameterValues, ConditionIsKnownOnlyIfNothingInItMoves) {
  ModelBuilder b;
  const NodeId p = b.parameter("p", b.g().constant(3.0));
  b.condition(b.g().subtract(p, b.g().constant(1.0)), "p > 1");
  const VariableId x = b.variable("x");
  b.condition(b.g().variable(x), "x > 0");
  b.condition(b.g().subtract(b.g().time(), p), "time > p");
  ParameterValues values(b.model());
  EXPECT_EQ(values.of(b.model().conditions[0]), 1.0);
  EXPECT_FALSE(values.of(b.model().conditions[1]));
  EXPECT_FALSE(values.of(b.model().conditions[2]));
}

TEST(ParameterValues, LongChainNeedsNoStack) {
  ModelBuilder b;
  NodeId last = b.parameter("p0", b.g().constant(1.0));
  for (int i = 1; i < 100000; ++i) {
    last = b.parameter("p" + std::to_string(i), b.g().add(last, b.g().constant(1.0)));
  }
  EXPECT_EQ(ParameterValues(b.model()).of(last), 100000.0);
}

}  // namespace
}  // namespace saltus::program
