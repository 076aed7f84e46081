// Operations on Reals as nodes, comparisons as decisions.
#include "trace/recorder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>

#include "expr/print.hpp"

namespace saltus::trace {
namespace {

using expr::Op;

Real variable(Recorder& recorder, std::uint32_t number, double value) {
  return recorder.leaf({.op = Op::variable, .first = number}, value);
}

Recording record(TraceGraph& graph, const std::function<Real(const Real&, const Real&)>& f,
                 const Answers& answers = {}, double x = 0.75, double y = -0.5) {
  return Recorder::record(
      graph,
      [&](Recorder& recorder, std::span<Real> r) {
        r[0] = f(variable(recorder, 0, x), variable(recorder, 1, y));
      },
      1, answers);
}

std::string text(const std::function<Real(const Real&, const Real&)>& f) {
  TraceGraph graph;
  const Recording recording = record(graph, f);
  return recording.failure ? recording.failure->message : expr::print(graph.graph, recording.residual.at(0));
}

TEST(Recorder, OperationsAreKeptAsWritten) {
  EXPECT_EQ(text([](const Real& x, const Real& y) { return x + 2 * y - x / y; }), "x0 + 2*x1 - x0/x1");
  EXPECT_EQ(text([](const Real& x, const Real&) { return x * 0 + 0; }), "x0*0 + 0");
  EXPECT_EQ(text([](const Real& x, const Real& y) {
              Real sum = -x;
              sum += y;
              sum -= 1;
              sum *= x;
              sum /= 2;
              return +sum;
            }),
            "(-x0 + x1 - 1)*x0/2");
}

TEST(Recorder, FunctionsAreFoundByTheirArguments) {
  EXPECT_EQ(text([](const Real& x, const Real& y) {
              using std::sin;
              return sin(x) + cos(y) * tan(x) - asin(x) * acos(x) + atan(y) + sinh(x) + cosh(x) + tanh(x);
            }),
            "sin(x0) + cos(x1)*tan(x0) - asin(x0)*acos(x0) + atan(x1) + sinh(x0) + cosh(x0) + tanh(x0)");
  EXPECT_EQ(text([](const Real& x, const Real& y) {
              return exp(x) + log(x) + log10(x) + sqrt(x) + pow(x, 2) + atan2(y, x);
            }),
            "exp(x0) + log(x0) + log10(x0) + sqrt(x0) + x0^2 + atan2(x1, x0)");
  EXPECT_EQ(text([](const Real& x, const Real& y) {
              using std::max;
              using std::min;
              return max(x, 0.0) + min(1, y) + abs(x) + fabs(y) + fmin(x, y) + fmax(x, y) + sign(x);
            }),
            "max(x0, 0) + min(1, x1) + abs(x0) + abs(x1) + min(x0, x1) + max(x0, x1) + sign(x0)");
}

TEST(Recorder, ValuesAreThoseOfTheOperations) {
  TraceGraph graph;
  const Recording recording = record(graph, [](const Real& x, const Real& y) {
    EXPECT_EQ((x * y + 2).value(), 0.75 * -0.5 + 2);
    EXPECT_EQ(fmod(7.5 * x, Real(2)).value(), std::fmod(7.5 * 0.75, 2.0));
    EXPECT_EQ(hypot(x, y).value(), std::sqrt(0.75 * 0.75 + 0.5 * 0.5));
    EXPECT_EQ(trunc(10 * y).value() + floor(10 * y).value() + ceil(x).value(), -9.0);
    return x;
  });
  EXPECT_TRUE(recording.has_read_values);
}

TEST(Recorder, ComparisonsAreDecisionsInTheirOrder) {
  TraceGraph graph;
  const Recording recording = record(graph, [](const Real& x, const Real& y) {
    EXPECT_TRUE(x > 0.5);
    EXPECT_FALSE(x <= 0.5);  // the contrary: no decision of its own
    EXPECT_FALSE(x < 0.5);   // excluded by the first
    EXPECT_FALSE(y >= x);
    EXPECT_TRUE(x > y);  // excluded as well
    EXPECT_FALSE(x < x);
    EXPECT_TRUE(x <= x);
    return x;
  });
  // y >= x is decided as y < x, and x > y is that again.
  ASSERT_EQ(recording.path.size(), 2u);
  EXPECT_TRUE(recording.path[0].holds);
  EXPECT_TRUE(recording.path[1].holds);
  EXPECT_EQ(graph.written.at(recording.path[0].less.value()), Written::greater);
  EXPECT_EQ(graph.written.at(recording.path[1].less.value()), Written::greater_equal);
}

TEST(Recorder, NumbersAreComparedAsNumbers) {
  TraceGraph graph;
  const Recording recording = record(graph, [](const Real& x, const Real&) {
    Real n = 1;
    for (int i = 0; i < 3; ++i) {
      n *= 2;
    }
    EXPECT_TRUE(n > 7 && n <= 8 && n == 8);
    const Real none = std::nan("");
    EXPECT_FALSE(none < 1 || none > 1 || none <= 1 || none >= 1);
    return n * x;
  });
  EXPECT_TRUE(recording.path.empty());
  EXPECT_FALSE(recording.failure);
}

TEST(Recorder, AnswersAreGivenInOrderThenByDecision) {
  TraceGraph graph;
  const auto f = [](const Real& x, const Real& y) -> Real {
    const bool first = x > 0;
    const bool second = y > 0;
    return first && second ? x : first ? y : Real(3);
  };
  const Recording own = record(graph, f);
  ASSERT_EQ(own.path.size(), 2u);
  Answers forced{.first = own.path};
  forced.first[1].holds = true;
  EXPECT_EQ(expr::print(graph.graph, record(graph, f, forced).residual[0]), "x0");
  const std::unordered_map<std::uint32_t, bool> known{{own.path[0].less.value(), false}};
  EXPECT_EQ(expr::print(graph.graph, record(graph, f, {.first = {}, .known = &known}).residual[0]), "3");
  // Another comparison where the first was asked: the function has changed.
  const Recording other = record(
      graph, [](const Real& x, const Real& y) { return y > 1 ? x : y; }, forced);
  ASSERT_TRUE(other.failure);
  EXPECT_EQ(other.failure->kind, Failure::Kind::changed);
}

TEST(Recorder, WhatIsSwallowedIsNotForgotten) {
  TraceGraph graph;
  const Recording recording = record(graph, [](const Real& x, const Real&) {
    Real y = 1;
    try {
      y = x * std::nan("");
    } catch (...) {
      y = 2;
    }
    return y;
  });
  ASSERT_TRUE(recording.failure);
  EXPECT_EQ(recording.failure->kind, Failure::Kind::not_finite);
}

}  // namespace
}  // namespace saltus::trace
