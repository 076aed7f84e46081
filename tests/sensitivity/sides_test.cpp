// Derivatives for larger and for smaller values of a parameter: where they differ there is none unless one of them is asked for, and where they
// agree it is there, whatever the order of events beside the value.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "saltus/saltus.hpp"
#include "sided_runs.hpp"

namespace saltus::test {
namespace {

struct SidedProblem {
  const char* name;
  const char* text;
  const char* parameter;
  double value;
  bool is_two_sided;
  double stop = 1.0;
  double start = 0.0;
};

const std::vector<SidedProblem>& problems() {
  static const std::vector<SidedProblem> all = {
      {"orders that do not commute",
       R"(model M parameter Real a = 0.5; Real x(start = 0, fixed = true), y(start = 0, fixed = true), z(start = 1, fixed = true);
equation der(x) = 1; der(y) = if x > a then 3 else 1; der(z) = (if x > a then 2 else 1)*(if y > 0.5 then z else -1); end M;)",
       "a", 0.5, false},
      {"orders that commute",
       R"(model M parameter Real a = 0.5; Real x(start = 0, fixed = true), y(start = 0, fixed = true), z(start = 1, fixed = true);
equation der(x) = 1; der(y) = 1; der(z) = (if x > a then 2 else 1) + (if y > 0.5 then 5 else -1); end M;)",
       "a", 0.5, true},
      {"three guards, orders that do not commute",
       R"(model M parameter Real a = 0.5; Real x(start = 0, fixed = true), y(start = 0, fixed = true), z(start = 1, fixed = true);
equation der(x) = 1; der(y) = if x > a then 3 else 1;
der(z) = (if x > a then 2 else 1)*(if y > 0.5 then z else -1) + (if y > 2*a - 0.5 then 0.3*z else 0); end M;)",
       "a", 0.5, false},
      {"backwards in time",
       R"(model M parameter Real a = 0.5; Real x(start = 1, fixed = true), y(start = 1, fixed = true), z(start = 1, fixed = true);
equation der(x) = 1; der(y) = if x > a then 1 else 3; der(z) = (if x > a then 1 else 2)*(if y > 0.5 then 1 else z); end M;)",
       "a", 0.5, false, 0.0, 1.0},
      {"a start on a surface that is left upwards",
       R"(model M Real x(start = 0, fixed = true), z(start = 1, fixed = true);
equation der(x) = 1; der(z) = if x > 0 then 2 else -z; end M;)",
       "x", 0.0, false},
      {"a start on a surface that is left downwards",
       R"(model M parameter Real p = 0; Real x(start = p, fixed = true), z(start = 1, fixed = true);
equation der(x) = -1 - 0.1*x; der(z) = if x > p^2 then 2 else -z; end M;)",
       "p", 0.0, false},
      {"a start on a surface whose side does not matter there",
       R"(model M Real x(start = 0, fixed = true), z(start = 1, fixed = true);
equation der(x) = 1; der(z) = if x > 0 or z > 0 then 2 + x else -z; end M;)",
       "x", 0.0, true},
      {"a start on a surface of a clause that does not fire",
       R"(model M parameter Real g = 9.81, e = 0.8; Real h(start = 1, fixed = true), v(start = 0, fixed = true);
equation der(h) = v; der(v) = -g; when h <= 0 and v < 0 then reinit(v, -e*pre(v)); end when; end M;)",
       "v", 0.0, true}};
  return all;
}

TEST(SidedSensitivities, AreThoseOfRunsToThatSide) {
  for (const SidedProblem& problem : problems()) {
    const Model model = model_of(problem.text);
    for (const char* method : kMethods) {
      const std::string what = std::string(problem.name) + ' ' + method;
      SimulationOptions options{.start = problem.start, .stop = problem.stop};
      options.method = method;
      const std::vector<double> both =
          sensitivities(model, options, problem.parameter, SensitivitySide::both);
      EXPECT_EQ(are_undefined(both), !problem.is_two_sided) << what;
      for (const auto& [side, sign] :
           {std::pair(SensitivitySide::plus, 1.0), {SensitivitySide::minus, -1.0}}) {
        const std::vector<double> right = quotients(model, options, problem.parameter, problem.value, sign);
        expect_near(sensitivities(model, options, problem.parameter, side), right,
                    what + (sign > 0.0 ? " plus" : " minus"));
        if (problem.is_two_sided) {
          expect_near(both, right, what);
        }
      }
    }
  }
}

// The derivative of the states exists, that of the time of the second event does not: x > a makes y faster, if it comes first.
TEST(SidedSensitivities, OfTimesOfEventsThatPart) {
  const Model model = model_of(
      R"(model M parameter Real a = 0.5; Real x(start = 0, fixed = true), y(start = 0, fixed = true), z(start = 0, fixed = true);
equation der(x) = 1; der(y) = if x > a then 3 else 1; der(z) = if y > 0.5 then y - 0.5 else 0; end M;)");
  const auto times = [&](SensitivitySide side) {
    SimulationOptions options{.stop = 1.0, .sensitivities = {"a"}};
    options.sensitivity_side = side;
    const SimulationResult result = run(model, options);
    std::map<std::string, double> found;
    for (std::size_t e = 0; e < result.events.size(); ++e) {
      found[std::string(result.events[e].guard)] = result.events[e].sensitivities[0];
    }
    return found;
  };
  EXPECT_NEAR(times(SensitivitySide::both)["x - a"], 1.0, 1e-9);
  EXPECT_TRUE(std::isnan(times(SensitivitySide::both)["y - 0.5"]));
  EXPECT_NEAR(times(SensitivitySide::plus)["y - 0.5"], 0.0, 1e-9);
  EXPECT_NEAR(times(SensitivitySide::minus)["y - 0.5"], 2.0 / 3.0, 1e-9);
}

// Only the columns for which events part are undefined, though a clause jumps at them.
TEST(SidedSensitivities, ColumnsThatDoNotPartGoOn) {
  const Model model = model_of(
      R"(model M parameter Real a = 0.5, k = 2; Real x(start = 0, fixed = true), y(start = 0, fixed = true), z(start = 1, fixed = true);
equation der(x) = 1; der(y) = 1; der(z) = -k*z; when x > a then reinit(z, pre(z) + y); end when; when y > 0.5 then reinit(z, 2*pre(z)); end when; end M;)");
  SimulationOptions options{.stop = 1.0, .sensitivities = {"a", "k"}};
  const SimulationResult result = run(model, options);
  const std::vector<double>& s = result.sensitivities->final_values;
  EXPECT_TRUE(std::isnan(s[2 * 2]));
  options.set = {{"k", 2.0}};
  EXPECT_NEAR(s[2 * 2 + 1], quotients(model, {.stop = 1.0}, "k", 2.0, 1.0)[2], 1e-5);
}

// In the branch that the condition leads to, v is not what makes it true for smaller values: there the equations have no solution.
TEST(SidedSensitivities, AGuardThatJumpsAtItsOwnCrossing) {
  const Model model = model_of(
      R"(model M parameter Real c = 1; Real x(start = 0, fixed = true), w, v;
equation der(x) = 1; w = if v > 0 then 2 else 1; v = (if v > 0 then x - 0.5 else c*x - 0.5); end M;)");
  for (const char* method : kMethods) {
    SimulationOptions options{.stop = 1.0};
    options.method = method;
    EXPECT_TRUE(are_undefined(sensitivities(model, options, "c", SensitivitySide::both))) << method;
  }
}

TEST(SidedSensitivities, AreAskedForByName) {
  SimulationOptions options;
  EXPECT_TRUE(set_option(options, "sens-side", "minus").empty());
  EXPECT_EQ(options.sensitivity_side, SensitivitySide::minus);
  EXPECT_NE(render_text(set_option(options, "sens-side", "left")).find("both, plus or minus"),
            std::string::npos);
}

}  // namespace
}  // namespace saltus::test
