// Models from C++: the text that they are, and that they run as the text does.
#include "saltus/model_builder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "saltus/simulate.hpp"

namespace saltus {
namespace {

using ::testing::HasSubstr;

std::string written(const Expression& expression) {
  ModelBuilder builder("M");
  builder.equation(0.0, expression);
  const std::string text = builder.text();
  const std::size_t begin = text.find("0 = ") + 4;
  return text.substr(begin, text.find(';', begin) - begin);
}

// Every way to put two operators together, against what C++ makes of the same with numbers.
TEST(ModelBuilder, ParenthesesAreWhereTheyMustBe) {
  const Expression a = Expression::text("a");
  const Expression b = Expression::text("b");
  const Expression c = Expression::text("c");
  EXPECT_EQ(written(a + b - c), "a + b - c");
  EXPECT_EQ(written(a - (b + c)), "a - (b + c)");
  EXPECT_EQ(written(a - (b - c)), "a - (b - c)");
  EXPECT_EQ(written((a + b) * c), "(a + b)*c");
  EXPECT_EQ(written(a * b / c), "a*b/c");
  EXPECT_EQ(written(a / (b * c)), "a/(b*c)");
  EXPECT_EQ(written(-a * b), "(-a)*b");
  EXPECT_EQ(written(a * -b), "a*(-b)");
  EXPECT_EQ(written(-(a + b)), "-(a + b)");
  EXPECT_EQ(written(-(-a)), "-(-a)");
  EXPECT_EQ(written(a - -2.0), "a - (-2)");
  EXPECT_EQ(written(pow(pow(a, b), c)), "(a^b)^c");
  EXPECT_EQ(written(pow(a, pow(b, c))), "a^(b^c)");
  EXPECT_EQ(written(pow(-a, 2)), "(-a)^2");
  EXPECT_EQ(written(pow(-2.0, 2)), "(-2)^2");
  EXPECT_EQ(written(if_else(a < b || (a > c && !(b < c)), a, b + 1.5)),
            "if a < b or a > c and not b < c then a else b + 1.5");
  EXPECT_EQ(written(2 * if_else(a > 0, b, c)), "2*(if a > 0 then b else c)");
  EXPECT_EQ(written((a < b) && (b < c || c < a)), "a < b and (b < c or c < a)");
  EXPECT_EQ(written(!(a < b && b < c)), "not (a < b and b < c)");
  EXPECT_EQ(written(max(sin(a), call("f", {b, array({c, 1, true})}))), "max(sin(a), f(b, {c, 1, true}))");
  EXPECT_EQ(written(if_else(a > 0, if_else(b > 0, 1, 2), 3)),
            "if a > 0 then (if b > 0 then 1 else 2) else 3");
}

TEST(ModelBuilder, ABallBounces) {
  ModelBuilder builder("Ball", "it \"bounces\"");
  const Expression e = builder.parameter("e", 0.8, {.min = 0, .max = 1, .description = "restitution"});
  const Expression h = builder.real("h", {.start = 1, .fixed = true, .unit = "m"});
  const Expression v = builder.real("v", {.start = 0, .fixed = true});
  const Expression n = builder.integer("n", {.start = 0, .fixed = true});
  builder.equation(der(h), v);
  builder.equation(der(v), -9.81);
  builder.when(h <= 0 && v < 0, [&](Body& body) {
    body.reinit(v, -e * pre(v));
    body.set(n, pre(n) + 1);
  });
  builder.experiment(0, 1.2, 1e-9);
  builder.option("method", "dopri5");
  const Model model = builder.build().value();
  EXPECT_EQ(model.name(), "Ball");
  EXPECT_EQ(model.description(), "it \"bounces\"");
  EXPECT_EQ(model.variables()[0].unit, "m");
  const SimulationResult result = simulate(model).value();
  EXPECT_EQ(result.statistics.method, "dopri5");
  const double first = std::sqrt(2.0 / 9.81);
  const double left = 1.2 - first;
  EXPECT_EQ(result.final_value("n"), 2.0 - (left < 1.6 * first ? 1.0 : 0.0));
  EXPECT_NEAR((*result.events.begin()).time, first, 1e-9);
}

TEST(ModelBuilder, ModesClausesArraysAndNames) {
  ModelBuilder builder("Heater");
  const Expression target = builder.parameter("target", 20.0);
  const Expression t = builder.real("room.T", {.start = 15, .fixed = true});
  const Expression heat = builder.real("heat");
  const Expression count = builder.integer("count", {.start = 0, .fixed = true});
  const Expression first = builder.discrete_real("first", {.start = -1, .fixed = true});
  const std::vector<Expression> x = builder.reals("x", 3, {.start = 1, .fixed = true});
  for (std::size_t i = 0; i < x.size(); ++i) {
    builder.equation(der(x[i]), -static_cast<double>(i + 1) * x[i]);
  }
  builder.equation(der(t), heat - 0.1 * t);
  builder.when(t > 18, [&](Body& body) { body.set(first, time()); })
      .elsewhen(sample(0, 100), [&](Body& body) { body.set(first, -2); });
  builder.require(t < 100, "it burns");
  builder.terminate_when(time() > 30, "enough");
  builder.initial_mode("on", [&](ModeBuilder& mode) {
    mode.equation(heat, 4);
    mode.transition_to("off", t > target + 1, [&](Body& body) { body.set(count, pre(count) + 1); });
  });
  builder.mode("off", [&](ModeBuilder& mode) {
    mode.equation(heat, 0);
    mode.transition_to("on", t < target - 1);
  });
  const Result<Model> model = builder.build();
  ASSERT_TRUE(model.has_value()) << render_text(model.error()) << builder.text();
  const SimulationResult result = simulate(*model, {.stop = 50.0, .tolerance = 1e-8}).value();
  EXPECT_EQ(result.status, SimulationStatus::terminated) << result.message;
  EXPECT_NEAR(result.end, 30.0, 1e-12);
  // T = 40 - 25 e^(-t/10) = 18
  EXPECT_NEAR(result.final_value("first"), 10.0 * std::log(25.0 / 22.0), 1e-6);
  EXPECT_GE(result.final_value("count"), 2.0);
  EXPECT_NEAR(result.final_value("x[2]"), std::exp(-60.0), 1e-9);
}

// What the language refuses, it refuses here in the same words.
TEST(ModelBuilder, DiagnosticsAreThoseOfTheLanguage) {
  ModelBuilder builder("M");
  const Expression x = builder.real("x");
  builder.equation(der(x), Expression::text("y"));
  const Result<Model> model = builder.build();
  ASSERT_FALSE(model.has_value());
  EXPECT_THAT(render_text(model.error()), HasSubstr("[unknown-name]"));
  EXPECT_THAT(render_text(model.error()), HasSubstr("der(x) = y;"));
}

TEST(ModelBuilder, WhatCannotBeWritten) {
  for (const double wrong : {std::numeric_limits<double>::infinity(), std::nan("")}) {
    ModelBuilder builder("M");
    const Expression x = builder.real("x", {.start = 1, .fixed = true});
    builder.equation(der(x), -wrong * x);
    builder.when(x < 0.5, [&](Body& body) { body.reinit(x, wrong); });
    const Result<Model> model = builder.build();
    ASSERT_FALSE(model.has_value());
    EXPECT_THAT(render_text(model.error()), HasSubstr("[wrong-expression]"));
    EXPECT_EQ(model.error().items().size(), 2U);
  }
  ModelBuilder builder("M");
  Expression large = builder.real("x");
  for (int k = 0; k < 60; ++k) {
    large = large * large;  // 2^60 factors
  }
  builder.equation(large, 1);
  EXPECT_THAT(render_text(builder.build().error()), HasSubstr("give what it uses again"));
}

// A chain of a hundred thousand terms is written and forgotten without recursion.
TEST(ModelBuilder, LongSums) {
  ModelBuilder builder("M");
  const Expression x = builder.real("x", {.start = 1, .fixed = true});
  Expression sum = 0.0;
  for (int k = 0; k < 100'000; ++k) {
    sum = sum + 1e-5 * x;
  }
  builder.equation(der(x), -sum);
  EXPECT_GT(builder.text().size(), 500'000U);
}

TEST(ModelBuilder, FunctionsAsText) {
  ModelBuilder builder("M");
  builder.add_text("function twice\n input Real a;\n output Real b;\nalgorithm\n b := 2*a;\nend twice;");
  const Expression y = builder.output("y");
  builder.equation(y, call("twice", {time()}));
  EXPECT_NEAR(simulate(builder.build().value(), {.stop = 3.0}).value().final_value("y"), 6.0, 1e-12);
}

}  // namespace
}  // namespace saltus
