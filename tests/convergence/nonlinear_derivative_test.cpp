// F(t, x, ẋ) = 0 that is not linear in ẋ, as equations are written: every implicit method has its order with fixed steps, down to
// rounding, and follows the tolerance without them. Solutions are in closed form by construction.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "support/hybrid_run.hpp"
#include "support/order_estimate.hpp"

namespace saltus::test {
namespace {

struct Problem {
  std::string name;
  std::string text;
  double stop = 1.0;
  std::vector<std::pair<std::string, double>> exact;  // at the stop
};

Problem problem(const std::string& name, const std::string& declarations, const std::string& equations,
                double stop, std::vector<std::pair<std::string, double>> exact) {
  return {name, "model M\n  " + declarations + "\nequation\n  " + equations + "\nend M;\n", stop,
          std::move(exact)};
}

std::vector<Problem> problems() {
  const auto s = [](double t) { return std::sin(t); };
  const auto c = [](double t) { return std::cos(t); };
  return {
      problem("exponential", "Real x(start = 0, fixed = true);",
              "exp(der(x)) + der(x) = exp(cos(time)) + cos(time) - (x - sin(time));", 2.0, {{"x", s(2.0)}}),
      problem("root", "Real x(start = 1, fixed = true);",
              "sqrt(1 + der(x)^2) + 2*der(x) = sqrt(1 + sin(time)^2) - 2*sin(time) + cos(time) - x;", 2.0,
              {{"x", c(2.0)}}),
      problem(
          "mass that depends on states and slopes",
          "Real x(start = 0, fixed = true), y(start = 1, fixed = true);",
          "der(x)*(1 + x^2) + sin(der(y)) = cos(time)*(1 + sin(time)^2) - sin(sin(time)) + y - cos(time);\n"
          "  der(y) + 0.5*der(x)*der(y) = -sin(time) - 0.5*sin(time)*cos(time) - x + sin(time);",
          3.0, {{"x", s(3.0)}, {"y", c(3.0)}}),
      problem(
          "three, with an algebraic unknown",
          "Real x[3](start = {0, 1, 1}, each fixed = true), z(start = 1);",
          "der(x[1])^3 + der(x[1]) + z = cos(time)^3 + cos(time) + exp(-time);\n"
          "  exp(der(x[2])) + der(x[2])*der(x[1]) + 3*der(x[2]) = exp(-sin(time)) - sin(time)*cos(time) - "
          "3*sin(time) - x[2] + cos(time);\n"
          "  der(x[3]) = -z;\n"
          "  z^3 + z + 0.5*der(x[3]) = exp(-3*time) + 0.5*exp(-time) + 0.3*(x[1] - sin(time));",
          2.0, {{"x[1]", s(2.0)}, {"x[2]", c(2.0)}, {"x[3]", std::exp(-2.0)}}),
      // Three slopes satisfy the equation; the one of the start is to be followed.
      problem("one of three branches", "Real x(start = 1, fixed = true), v(start = 2.4);",
              "der(x) = v;\n  v^3 - 4*v = (2.2 + 0.3*cos(time))^3 - 4*(2.2 + 0.3*cos(time)) + 0.5*(x - 1 - "
              "2.2*time - 0.3*sin(time));",
              2.0, {{"x", 5.4 + 0.3 * s(2.0)}}),
      problem("with events", "Real x(start = 0, fixed = true); discrete Integer n(start = 0, fixed = true);",
              "der(x)^3 + der(x) = cos(time)^3 + cos(time) - (x - sin(time));\n"
              "  when x > 0.5 then n = pre(n) + 1; end when;",
              8.0, {{"x", s(8.0)}, {"n", 2.0}}),
  };
}

double error_of(const Problem& p, const OptionList& options, std::string& table) {
  const HybridRun run = run_text(p.text, options);
  EXPECT_EQ(run.result.status, SimulationStatus::success) << p.name << "\n" << run.log();
  double error = 1e-17;
  if (run.result.status == SimulationStatus::success) {
    for (const auto& [name, value] : p.exact) {
      error = std::max(error, std::abs(run.final(name) - value));
    }
  }
  table += number(error) + "\n";
  return error;
}

struct Method {
  const char* name;
  double order;
  double largest;  // step
};

TEST(NonlinearDerivative, FixedStepsHaveTheirOrderDownToRounding) {
  for (const Problem& p : problems()) {
    for (const Method method : {Method{"radau5", 5.0, 0.2}, {"sdirk4", 4.0, 0.1}, {"bdf", 5.0, 0.05}}) {
      std::vector<double> steps;
      std::vector<double> errors;
      std::string table;
      for (int k = 0; k < 6; ++k) {
        const double h = method.largest * std::pow(0.7, k);
        const double error =
            error_of(p, {{"method", method.name}, {"step", number(h)}, {"stop", number(p.stop)}}, table);
        steps.push_back(h);
        errors.push_back(error);
      }
      EXPECT_GT(observed_order(steps, errors), method.order - 0.6) << p.name << " " << method.name << "\n"
                                                                   << table;
      const double fine =
          error_of(p, {{"method", method.name}, {"step", "0.002"}, {"stop", number(p.stop)}}, table);
      EXPECT_LT(fine, 1e-11) << p.name << " " << method.name << "\n" << table;
    }
  }
}

TEST(NonlinearDerivative, CubicOfTheSlope) {
  // DOP853 at 1e-12 on the inverse of z³ + z.
  const Problem cubic = problem("cubic", "Real x(start = 2, fixed = true);", "der(x)^3 + der(x) = -x;", 1.0,
                                {{"x", 1.1302634693117}});
  for (const char* const method : {"radau5", "sdirk4", "bdf"}) {
    for (const char* const step : {"0.5", "0.1", "0.01", "0.001"}) {
      std::string table;
      EXPECT_LT(error_of(cubic, {{"method", method}, {"step", step}}, table), step[2] == '5' ? 1e-4 : 1e-6)
          << method << " " << step;
    }
    for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-10}) {
      std::string table;
      EXPECT_LT(error_of(cubic, {{"method", method}, {"tolerance", number(tolerance)}}, table),
                10.0 * tolerance)
          << method << " " << tolerance;
    }
  }
}

TEST(NonlinearDerivative, ErrorsFollowTheTolerance) {
  for (const Problem& p : problems()) {
    for (const char* const method : {"radau5", "sdirk4", "bdf"}) {
      for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-10}) {
        std::string table;
        const double error = error_of(
            p, {{"method", method}, {"tolerance", number(tolerance)}, {"stop", number(p.stop)}}, table);
        EXPECT_LT(error, 100.0 * tolerance) << p.name << " " << method << " " << tolerance;
      }
    }
  }
}

// Far from the smooth solution the first slope belongs to a transient.
TEST(NonlinearDerivative, TransientsAreFollowedOrDamped) {
  const Problem stiff = problem("stiff", "Real x(start = 1, fixed = true);",
                                "der(x) + 0.1*der(x)^3 = cos(time) + 0.1*cos(time)^3 - 1000*(x - sin(time));",
                                3.0, {{"x", std::sin(3.0)}});
  for (const char* const method : {"radau5", "sdirk4", "bdf"}) {
    std::string table;
    EXPECT_LT(error_of(stiff, {{"method", method}, {"tolerance", "1e-6"}, {"stop", "3"}}, table), 1e-5)
        << method;
  }
  std::string table;
  EXPECT_LT(error_of(stiff, {{"method", "sdirk4"}, {"step", "0.05"}, {"stop", "3"}}, table), 1e-4);
}

}  // namespace
}  // namespace saltus::test
