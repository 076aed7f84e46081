// Sensitivities whose values are known exactly, and the order with which they are reached.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "dual.hpp"
#include "saltus/saltus.hpp"

namespace saltus::test {
namespace {

SimulationOptions with(SimulationOptions options, std::vector<std::string> parameters) {
  options.sensitivities = std::move(parameters);
  return options;
}

SimulationResult run_with(const std::string& text, const SimulationOptions& options) {
  const Result<Model> model = Model::from_text("m.mo", text);
  EXPECT_TRUE(model) << render_text(model.error());
  Result<SimulationResult> result = simulate(*model, options);
  EXPECT_TRUE(result) << render_text(result.error());
  EXPECT_TRUE(result->sensitivities);
  return *std::move(result);
}

double final_of(const SimulationResult& result, const std::string& variable, const std::string& parameter) {
  const Sensitivities& s = *result.sensitivities;
  for (std::size_t v = 0; v < result.variables.size(); ++v) {
    if (result.variables[v].name == variable) {
      return s.final_values[v * s.parameters.size() + static_cast<std::size_t>(s.parameter(parameter))];
    }
  }
  ADD_FAILURE() << "no variable " << variable;
  return 0.0;
}

// A root of x³ - 5x² + 7x = p by Newton's method, with its derivative.
Dual root_near(double guess, Dual p) {
  Dual x = guess;
  for (int i = 0; i < 60; ++i) {
    const double value = ((x.value - 5.0) * x.value + 7.0) * x.value - p.value;
    x.value -= value / ((3.0 * x.value - 10.0) * x.value + 7.0);
  }
  x.slope = p.slope / ((3.0 * x.value - 10.0) * x.value + 7.0);
  return x;
}

constexpr const char* kThreshold = R"(model M parameter Real p = 2.9; Real x(start = 0, fixed = true);
equation der(x) = if x^3 - 5*x^2 + 7*x <= p then 4 - x else 10 - 2*x; end M;)";

// Equation (4) of the manual of DSL48SE: x rises through the three roots of the condition, and between them is exponential.
Dual threshold_at_3(Dual p) {
  const Dual first = root_near(0.7, p);
  const Dual second = root_near(1.3, p);
  const Dual third = root_near(3.0, p);
  const Dual t1 = log(Dual(4.0) / (Dual(4.0) - first));
  const Dual t2 = t1 + Dual(0.5) * log((Dual(10.0) - Dual(2.0) * first) / (Dual(10.0) - Dual(2.0) * second));
  const Dual t3 = t2 + log((Dual(4.0) - second) / (Dual(4.0) - third));
  return Dual(5.0) + (third - Dual(5.0)) * exp(Dual(-2.0) * (Dual(3.0) - t3));
}

TEST(ClosedSensitivities, TheNaiveMethodWouldGiveZero) {
  const Dual right = threshold_at_3({2.9, 1.0});
  ASSERT_GT(std::abs(right.slope), 1e-3);
  for (const char* method :
       {"dopri5", "fehlberg45", "fehlberg78", "rk23", "radau5", "sdirk4", "bdf", "auto"}) {
    const SimulationResult result =
        run_with(kThreshold, with({.stop = 3.0, .tolerance = 1e-11, .method = method}, {"p"}));
    EXPECT_NEAR(result.final_value("x"), right.value, 1e-8) << method;
    EXPECT_NEAR(final_of(result, "x", "p"), right.slope, 1e-8) << method;
    EXPECT_EQ(result.events.size(), 3U) << method;
  }
}

// h and v of a ball after `n` bounces at time t.
struct Ball {
  Dual h, v;
};
Ball ball_at(Dual t, Dual e, Dual g, Dual h0, std::vector<Dual>& times) {
  Dual at = sqrt(Dual(2.0) * h0 / g);
  Dual speed = e * g * at;
  times = {at};
  while (at.value + 2.0 * speed.value / g.value < t.value) {
    at = at + Dual(2.0) * speed / g;
    times.push_back(at);
    speed = e * speed;
  }
  const Dual since = t - at;
  return {speed * since - Dual(0.5) * g * since * since, speed - g * since};
}

TEST(ClosedSensitivities, ABallBounces) {
  const std::string text =
      R"(model M parameter Real e = 0.8, g = 9.81; Real h(start = 1, fixed = true), v(start = 0, fixed = true);
equation der(h) = v; der(v) = -g; when h < 0 then reinit(v, -e*pre(v)); end when; end M;)";
  for (const char* method : {"dopri5", "radau5", "bdf"}) {
    const SimulationResult result =
        run_with(text, with({.stop = 2.0, .tolerance = 1e-9, .method = method}, {"e", "g", "h"}));
    for (int k = 0; k < 3; ++k) {
      std::vector<Dual> times;
      const Ball right = ball_at(2.0, {0.8, k == 0 ? 1.0 : 0.0}, {9.81, k == 1 ? 1.0 : 0.0},
                                 {1.0, k == 2 ? 1.0 : 0.0}, times);
      const std::string key = result.sensitivities->parameters[static_cast<std::size_t>(k)];
      EXPECT_NEAR(final_of(result, "h", key), right.h.slope, 1e-7) << method << ' ' << key;
      EXPECT_NEAR(final_of(result, "v", key), right.v.slope, 1e-7) << method << ' ' << key;
      ASSERT_EQ(result.events.size(), times.size());
      for (std::size_t i = 0; i < times.size(); ++i) {
        EXPECT_NEAR(result.events[i].sensitivities[static_cast<std::size_t>(k)], times[i].slope, 1e-7)
            << method << ' ' << key << ' ' << i;
      }
    }
  }
}

// The rows before an event, at it and after it: S = -a·σ before … of x' = if x < c then a else b.
TEST(ClosedSensitivities, RowsShowBothSidesOfAJump) {
  const std::string text = R"(model M parameter Real c = 0.5; Real x(start = 0, fixed = true);
equation der(x) = if x < c then 1 else 3; end M;)";
  const SimulationResult result =
      run_with(text, with({.stop = 1.0, .interval = 0.1, .keep_rows = true}, {"c"}));
  const Sensitivities& s = *result.sensitivities;
  ASSERT_EQ(s.times.size(), result.trajectory.n_rows());
  std::vector<double> at_event;
  for (std::size_t i = 0; i < s.times.size(); ++i) {
    const double right = s.segments[i] == 0 ? 0.0 : 1.0 - 3.0;  // x = c + 3(t - c)
    EXPECT_NEAR(s.values[i], right, 1e-9) << s.times[i];
    if (std::abs(s.times[i] - 0.5) < 1e-9) {
      at_event.push_back(s.values[i]);
    }
  }
  ASSERT_EQ(at_event.size(), 2U);
}

// The error of S falls with the tolerance, for every method.
TEST(ClosedSensitivities, FollowTheTolerance) {
  const Dual right = threshold_at_3({2.9, 1.0});
  for (const char* method : {"dopri5", "fehlberg78", "radau5", "bdf"}) {
    const double coarse = std::abs(
        final_of(run_with(kThreshold, with({.stop = 3.0, .tolerance = 1e-5, .method = method}, {"p"})), "x",
                 "p") -
        right.slope);
    const double fine = std::abs(
        final_of(run_with(kThreshold, with({.stop = 3.0, .tolerance = 1e-9, .method = method}, {"p"})), "x",
                 "p") -
        right.slope);
    EXPECT_LT(coarse, 1e-3) << method;
    EXPECT_LT(fine, 1e-3 * coarse + 1e-9) << method << ' ' << coarse << ' ' << fine;
  }
}

// The run stands still and takes long steps; what a start value would do oscillates.
TEST(ClosedSensitivities, HaveAnErrorControlOfTheirOwn) {
  const std::string text =
      R"(model M parameter Real w = 20; Real x(start = 0, fixed = true), v(start = 0, fixed = true);
equation der(x) = v; der(v) = -w^2*x; end M;)";
  for (const char* method : {"dopri5", "radau5", "bdf"}) {
    const SimulationResult result = run_with(
        text, with({.stop = 2.0, .interval = 2.0, .tolerance = 1e-8, .method = method}, {"x", "v", "w"}));
    EXPECT_NEAR(final_of(result, "x", "x"), std::cos(40.0), 1e-5) << method;
    EXPECT_NEAR(final_of(result, "x", "v"), std::sin(40.0) / 20.0, 1e-6) << method;
    EXPECT_EQ(final_of(result, "x", "w"), 0.0) << method;
  }
}

// x² + y² = l² and its derivatives hold for S to rounding, whatever the tolerance.
TEST(ClosedSensitivities, MeetHiddenConstraints) {
  const std::string text =
      R"(model M parameter Real l = 1, g = 9.81; Real x(start = 0.6, fixed = true), y(start = -0.8), u(start = 0, fixed = true), v, f;
equation der(x) = u; der(y) = v; der(u) = -f*x; der(v) = -f*y - g; x^2 + y^2 = l^2; end M;)";
  for (const char* method : {"dopri5", "radau5"}) {
    const SimulationResult result =
        run_with(text, with({.stop = 5.0, .tolerance = 1e-4, .method = method}, {"l", "g"}));
    const double x = result.final_value("x");
    const double y = result.final_value("y");
    const double u = result.final_value("u");
    const double v = result.final_value("v");
    for (const char* key : {"l", "g"}) {
      const double sx = final_of(result, "x", key);
      const double sy = final_of(result, "y", key);
      EXPECT_NEAR(x * sx + y * sy, key == std::string("l") ? 1.0 : 0.0, 1e-9) << method << ' ' << key;
      EXPECT_NEAR(sx * u + x * final_of(result, "u", key) + sy * v + y * final_of(result, "v", key), 0.0,
                  1e-8)
          << method << ' ' << key;
    }
  }
}

// Guards asked for as columns: p moves the threshold itself, and x beyond it; on the surface of y the guard is zero for all parameters.
TEST(ClosedSensitivities, OfGuardsOnBothSidesOfAnEvent) {
  const std::string text =
      R"(model M parameter Real p = 0.7, k = 2; Real x(start = 0, fixed = true), y(start = 1, fixed = true);
equation der(x) = if x > p then 0.5 else 1; der(y) = -k*(if y > 0.3 then 1 else -1); end M;)";
  for (const char* method : {"dopri5", "radau5", "bdf"}) {
    SimulationOptions options = with({.stop = 1.0, .interval = 0.25, .method = method}, {"p", "k"});
    options.columns = {"guards", "x"};
    const SimulationResult result = run_with(text, options);
    const Sensitivities& s = *result.sensitivities;
    ASSERT_EQ(s.columns, (std::vector<std::string>{"guard(x - p)", "guard(y - 0.3)", "x"}));
    ASSERT_EQ(s.times.size(), 9U) << method;
    EXPECT_EQ(s.final_values.size(), 2 * result.variables.size()) << "guards are no variables";
    for (std::size_t row = 0; row < s.times.size(); ++row) {
      const double t = s.times[row];
      const bool is_beyond = s.segments[row] == 2;
      EXPECT_NEAR(s.row(row, 0)[0], is_beyond ? -0.5 : -1.0, 1e-9) << method << ' ' << t;
      EXPECT_NEAR(s.row(row, 0)[1], 0.0, 1e-9) << method << ' ' << t;
      EXPECT_NEAR(s.row(row, 1)[0], 0.0, 1e-9) << method << ' ' << t;
      EXPECT_NEAR(s.row(row, 1)[1], s.segments[row] == 0 ? -t : 0.0, 1e-9) << method << ' ' << t;
      EXPECT_NEAR(s.row(row, 2)[0], is_beyond ? 0.5 : 0.0, 1e-9) << method << ' ' << t;
    }
  }
}

}  // namespace
}  // namespace saltus::test
