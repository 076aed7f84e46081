// --columns: rows have the columns that were asked for, derivatives and guards too, on both sides of events, while sliding and by ranks; and
// the numbers of the others do not depend on them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "saltus/callback_model.hpp"
#include "saltus/simulate.hpp"

namespace saltus {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Model model_of(const std::string& text, const std::string& name = "m.mo") {
  return Model::from_text(name, text).value();
}

std::vector<std::string> names_of(const SimulationResult& result) {
  return {result.trajectory.names().begin(), result.trajectory.names().end()};
}

Diagnostic problem_of(const Model& model, std::vector<std::string> columns) {
  const auto result = simulate(model, {.columns = std::move(columns)});
  EXPECT_FALSE(result);
  return result ? Diagnostic{} : result.error().items()[0];
}

const char* const kArrays = R"(model Arrays
  Real x(start = 1, fixed = true, unit = "m");
  Real z = sin(x);
  Real all = 2*x;
  Real a[2,2](each start = 1, each fixed = true);
  discrete Integer n(start = 0, fixed = true);
equation
  der(x) = if time < 1 then 1 else 3;
  for i in 1:2 loop
    for j in 1:2 loop
      der(a[i,j]) = -i*a[i,j];
    end for;
  end for;
  when x > 1.5 then
    n = pre(n) + 1;
  end when;
end Arrays;
)";

TEST(Columns, AreChosenByNamesPatternsAndWords) {
  const Model model = model_of(kArrays);
  const auto names = [&](std::vector<std::string> columns) {
    return names_of(simulate(model, {.stop = 2.0, .interval = 1.0, .columns = std::move(columns)}).value());
  };
  EXPECT_THAT(names({}), ElementsAre("x", "z", "all", "a[1,1]", "a[1,2]", "a[2,1]", "a[2,2]", "n"));
  EXPECT_THAT(names({"n", "x"}), ElementsAre("n", "x"));
  EXPECT_THAT(names({"a"}), ElementsAre("a[1,1]", "a[1,2]", "a[2,1]", "a[2,2]")) << "an array";
  EXPECT_THAT(names({"a[*,2]", "der(a[1,*])"}),
              ElementsAre("a[1,2]", "a[2,2]", "der(a[1,1])", "der(a[1,2])"));
  EXPECT_THAT(names({"der(*)"}), ElementsAre("der(x)", "der(z)", "der(all)", "der(a[1,1])", "der(a[1,2])",
                                             "der(a[2,1])", "der(a[2,2])"))
      << "those that there are";
  EXPECT_THAT(names({"x", "x", "'x'", "x*"}), ElementsAre("x")) << "each once";
  EXPECT_THAT(names({"'a[2,1]'", "der('a[2,1]')"}), ElementsAre("a[2,1]", "der(a[2,1])"));
  EXPECT_THAT(names({"guards"}), ElementsAre("guard(time - 1)", "guard(x - 1.5)"));
  EXPECT_THAT(names({"z", "all"}), ElementsAre("z", "x", "all", "a[1,1]", "a[1,2]", "a[2,1]", "a[2,2]", "n"));
  EXPECT_THAT(names({"'all'"}), ElementsAre("all")) << "in quotes a word is a name";
  const SimulationResult result = simulate(model, {.columns = {"der(x)"}}).value();
  EXPECT_EQ(result.columns[0].unit, "m/s");
  EXPECT_EQ(result.variables.size(), 8U);
  EXPECT_EQ(result.final_values.size(), 8U) << "final values are those of all variables";
}

TEST(Columns, WhatThereIsNotIsRefusedByName) {
  const Model model = model_of(kArrays);
  Diagnostic problem = problem_of(model, {"x", "zz"});
  EXPECT_EQ(problem.code, "unknown-column");
  EXPECT_THAT(problem.message, HasSubstr("no variable 'zz'"));
  EXPECT_THAT(problem.hint, HasSubstr("'z'"));
  EXPECT_EQ(problem_of(model, {"b.*"}).code, "unknown-column");
  EXPECT_THAT(problem_of(model, {"b.*"}).message, HasSubstr("matches 'b.*'"));
  EXPECT_THAT(problem_of(model, {"time"}).hint, HasSubstr("always the first column"));
  EXPECT_EQ(problem_of(model, {"'x*'"}).code, "unknown-column") << "in quotes a star is a star";
  EXPECT_EQ(problem_of(model, {"der(guards)"}).code, "unknown-column");
  problem = problem_of(model, {"der(der(z))"});
  EXPECT_EQ(problem.code, "unknown-derivative");
  EXPECT_THAT(problem.message, HasSubstr("'der(der(z))'"));
  EXPECT_THAT(problem.hint, HasSubstr("'v = der(z)'"));
  EXPECT_EQ(problem_of(model, {"der(n)"}).code, "unknown-derivative");
  EXPECT_EQ(problem_of(model, {"der(der(x))"}).code, "unknown-derivative");
  EXPECT_EQ(validate(model, {.columns = {"zz"}}).items()[0].code, "unknown-column") << "without a run";

  SimulationOptions options;
  EXPECT_TRUE(set_option(options, "columns", "x, der(a[1,2]) ,'a[2,1]'").empty());
  EXPECT_TRUE(set_option(options, "columns", "n").empty());
  EXPECT_THAT(options.columns, ElementsAre("x", "der(a[1,2])", "'a[2,1]'", "n"));
  EXPECT_FALSE(set_option(options, "columns", "").empty());
  EXPECT_FALSE(set_option(options, "columns", "x,,n").empty());
}

TEST(Columns, TheModelMayNameThemAndTheOptionsWin) {
  const Model model = model_of(R"--(model Annotated
  Real x(start = 1, fixed = true);
  Real y = 2*x;
equation
  der(x) = -x;
  annotation(__saltus(columns = "y,der(x)"));
end Annotated;
)--");
  EXPECT_THAT(names_of(simulate(model).value()), ElementsAre("y", "der(x)"));
  EXPECT_THAT(names_of(simulate(model, {.columns = {"x"}}).value()), ElementsAre("x"));
}

TEST(Columns, DerivativesHaveBothSidesOfAnEvent) {
  const Model model = model_of(kArrays);
  const SimulationResult result =
      simulate(model, {.stop = 2.0, .interval = 1.0, .columns = {"der(x)", "guards", "n"}}).value();
  const Trajectory& rows = result.trajectory;
  // 0; 0.5 twice, where x passes 1.5; 1 twice; 2
  ASSERT_EQ(rows.n_rows(), 6U);
  const std::vector<double> rates{1, 1, 1, 1, 3, 3};
  for (std::size_t k = 0; k < 6; ++k) {
    EXPECT_EQ(rows.row(k)[0], rates[k]) << k;
    EXPECT_EQ(rows.row(k)[1], rows.times()[k] - 1.0) << k;
  }
  EXPECT_NEAR(rows.row(1)[2], 0.0, 1e-14);
  EXPECT_EQ(rows.row(1)[3], 0.0);
  EXPECT_EQ(rows.row(2)[3], 1.0);
  EXPECT_EQ(rows.before(1.0, "der(x)"), 1.0);
  EXPECT_EQ(rows.at(1.0, "der(x)"), 3.0);
  EXPECT_NEAR(rows.at(0.75, "guard(x - 1.5)"), 0.25, 1e-12);
}

// ż = ∂z/∂t + ∂z/∂x·ẋ, through implicit equations too, on both sides of events, between rows, and with the tables that drive inputs.
TEST(Columns, DerivativesOfAlgebraicVariables) {
  const Model model = model_of(R"(model M
  input Real u(start = 0);
  Real x(start = 1, fixed = true);
  Real y(start = 0.7);
  Real z = (if x < 0.5 then 2*x else x^2)*time;
  Real r = sqrt(x - 0.25);
equation
  der(x) = -x;
  y^3 + y = x + u;
end M;
)");
  const InputTable table{.times = {0, 1, 2}, .columns = {{"u", {0, 1, 0}}}};
  const SimulationResult result = simulate(model, {.stop = 1.3,
                                                   .interval = 0.1,
                                                   .tolerance = 1e-10,
                                                   .columns = {"all", "der(y)", "der(z)", "der(u)", "der(r)"},
                                                   .inputs = {table}})
                                      .value();
  ASSERT_TRUE(result.ok()) << result.message;
  const Trajectory& rows = result.trajectory;
  const auto look = [&](double t, std::span<const double> row, bool is_before, bool has_u_turned) {
    const double x = row[1];
    const double u_rate = has_u_turned ? -1.0 : 1.0;
    EXPECT_NEAR(row[5], (-x + u_rate) / (3.0 * row[2] * row[2] + 1.0), 1e-9) << t;
    EXPECT_NEAR(row[6], is_before ? x * x - 2.0 * x * x * t : 2.0 * x - 2.0 * x * t, 1e-9) << t;
    EXPECT_NEAR(row[7], u_rate, 1e-12) << t;
    EXPECT_NEAR(row[8], -x / (2.0 * std::sqrt(x - 0.25)), 1e-8) << t;
  };
  bool is_before = true;
  bool has_u_turned = false;
  for (std::size_t k = 0; k < rows.n_rows(); ++k) {
    if (k > 0 && rows.segment(k) != rows.segment(k - 1)) {
      is_before = is_before && std::abs(rows.times()[k] - std::log(2.0)) > 1e-6;
      has_u_turned = has_u_turned || rows.times()[k] == 1.0;
    }
    look(rows.times()[k], rows.row(k), is_before, has_u_turned);
  }
  EXPECT_FALSE(is_before);
  EXPECT_TRUE(has_u_turned);
  look(0.33, rows.at(0.33), true, false);
  look(1.17, rows.at(1.17), false, true);
}

// The force of a pendulum in cartesian coordinates, whose states have constraints.
TEST(Columns, DerivativesOfMultipliers) {
  const Model model = model_of(R"(model Pendulum
  Real x(start = 1, fixed = true), y(start = 0), u(start = 0, fixed = true), v(start = 0), force;
equation
  der(x) = u;
  der(y) = v;
  der(u) = -force*x;
  der(v) = -force*y - 9.81;
  x^2 + y^2 = 1;
end Pendulum;
)");
  const SimulationResult result =
      simulate(model, {.stop = 1.0, .interval = 0.25, .tolerance = 1e-10, .columns = {"all", "der(force)"}})
          .value();
  ASSERT_TRUE(result.ok()) << result.message;
  for (std::size_t k = 0; k < result.trajectory.n_rows(); ++k) {
    // force = u² + v² - 9.81·y
    const std::span<const double> row = result.trajectory.row(k);
    EXPECT_NEAR(row[5], -3.0 * 9.81 * row[3], 1e-6);
  }
}

// While sliding, and in modes that do not have a variable.
TEST(Columns, DerivativesOfAlgebraicVariablesOnSurfacesAndInModes) {
  const SimulationResult slid =
      simulate(model_of(R"(model Slide
  Real x(start = 0.3, fixed = true), y(start = 0, fixed = true);
  Real s = sin(10*time) + y^2;
  Real force = -sign(x);
equation
  der(x) = 0.5*cos(time) + force;
  der(y) = force;
end Slide;
)"),
               {.stop = 1.5, .interval = 0.25, .tolerance = 1e-9, .columns = {"all", "der(s)", "der(force)"}})
          .value();
  ASSERT_TRUE(slid.ok()) << slid.message;
  const Trajectory& rows = slid.trajectory;
  const std::size_t last = rows.n_rows() - 1;
  ASSERT_THAT(std::string(rows.mode(last)), HasSubstr("sliding"));
  for (std::size_t k = 0; k < rows.n_rows(); ++k) {
    const bool is_sliding = std::string(rows.mode(k)).find("sliding") != std::string::npos;
    const double t = rows.times()[k];
    const std::span<const double> row = rows.row(k);
    const double y_rate = is_sliding ? -0.5 * std::cos(t) : -1.0;
    EXPECT_NEAR(row[4], 10.0 * std::cos(10.0 * t) + 2.0 * row[1] * y_rate, 1e-6) << t;
    EXPECT_NEAR(row[5], is_sliding ? 0.5 * std::sin(t) : 0.0, 1e-6) << t;
  }
  const SimulationResult modes =
      simulate(model_of(R"(model Modes
  Real x(start = 1, fixed = true);
initial mode first
  Real own;
  equation
    der(x) = -1;
    own = 3*x;
  transition to second when x < 0.5;
end first;
mode second
  equation
    der(x) = 1;
end second;
end Modes;
)",
                        "m.saltus"),
               {.stop = 1.0, .interval = 0.25, .columns = {"x", "own", "der(own)"}})
          .value();
  ASSERT_TRUE(modes.ok()) << modes.message;
  EXPECT_EQ(modes.trajectory.row(0)[2], -3.0);
  EXPECT_TRUE(std::isnan(modes.trajectory.row(modes.trajectory.n_rows() - 1)[2]));
}

TEST(Columns, OfSecondOrderEquationsAndTheirNames) {
  const Model model = model_of(R"(model Oscillator
  Real x(start = 1, fixed = true);
  Real v(start = 0, fixed = true);
  Real w(start = 2, fixed = true);
equation
  der(x) = v;
  der(v) = -x;
  der(der(w)) = -4*w;
end Oscillator;
)");
  const SimulationResult result =
      simulate(model, {.stop = 3.0, .interval = 0.5, .columns = {"all", "der(*)", "der(der(w))"}}).value();
  EXPECT_THAT(names_of(result), ElementsAre("x", "v", "w", "der(x)", "der(v)", "der(w)", "der(der(w))"));
  const Trajectory& rows = result.trajectory;
  double rate_of_w = 0.0;
  for (std::size_t k = 0; k < rows.n_rows(); ++k) {
    EXPECT_EQ(rows.row(k)[3], rows.row(k)[1]);
    EXPECT_EQ(rows.row(k)[4], -rows.row(k)[0]);
    rate_of_w = std::max(rate_of_w, std::abs(rows.row(k)[5] + 4.0 * std::sin(2.0 * rows.times()[k])));
    EXPECT_EQ(rows.row(k)[6], -4.0 * rows.row(k)[2]);
  }
  EXPECT_LT(rate_of_w, 1e-4);
}

const char* const kBlock = R"(model Block
  Real x(start = 0, fixed = true);
  Real v(start = 1, fixed = true);
  Real f = if v > 0 then 0.5 else -0.5;
equation
  der(x) = v;
  der(v) = 0.8*sin(time) - f;
end Block;
)";

// While the block sticks its velocity is held at zero: the rate is that of the sliding field, neither side's.
TEST(Columns, DerivativesWhileSlidingAreThoseOfTheMotion) {
  const Model model = model_of(kBlock);
  for (const char* const method : {"dopri5", "radau5", "bdf"}) {
    const SimulationResult plain = simulate(model, {.stop = 8.0, .method = method}).value();
    const SimulationResult result =
        simulate(model, {.stop = 8.0, .columns = {"all", "der(v)", "guards"}, .method = method}).value();
    const Trajectory& rows = result.trajectory;
    ASSERT_EQ(rows.n_rows(), plain.trajectory.n_rows()) << method;
    std::size_t n_sliding = 0;
    for (std::size_t k = 0; k < rows.n_rows(); ++k) {
      for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(rows.row(k)[i], plain.trajectory.row(k)[i]) << "values depend on what is written";
      }
      const bool slides = rows.mode(k).find("sliding") != std::string_view::npos;
      n_sliding += slides ? 1U : 0U;
      const double rate = 0.8 * std::sin(rows.times()[k]) - rows.row(k)[2];
      EXPECT_NEAR(rows.row(k)[3], slides ? 0.0 : rate, 1e-12) << method << " " << rows.times()[k];
      EXPECT_NEAR(rows.row(k)[4], slides ? 0.0 : rows.row(k)[1], 1e-12);
      if (slides && rows.times()[k] < rows.end_time()) {
        EXPECT_NEAR(rows.at(rows.times()[k], "der(v)"), 0.0, 1e-12);
      }
    }
    EXPECT_GT(n_sliding, 20U) << method;
  }
}

TEST(Columns, AreEmptyWhereAModeDoesNotHaveThem) {
  const Model model = model_of(R"(model Two
  Real y(start = 1, fixed = true);
initial mode falling
    Real v(start = 0, fixed = true);
  equation
    der(y) = v;
    der(v) = -1;
  transition to held when y < 0.5;
end falling;
mode held
  equation
    y = 0.5;
end held;
end Two;
)",
                               "m.saltus");
  const SimulationResult result =
      simulate(model, {.stop = 2.0, .interval = 0.5, .columns = {"y", "v", "der(v)", "der(y)", "guards"}})
          .value();
  const Trajectory& rows = result.trajectory;
  for (std::size_t k = 0; k < rows.n_rows(); ++k) {
    if (rows.mode(k) == "falling") {
      EXPECT_EQ(rows.row(k)[2], -1.0);
      EXPECT_NEAR(rows.row(k)[3], -rows.times()[k], 1e-9);
      EXPECT_NEAR(rows.row(k)[4], rows.row(k)[0] - 0.5, 1e-12);
    } else {
      EXPECT_TRUE(std::isnan(rows.row(k)[1]) && std::isnan(rows.row(k)[2]));
      EXPECT_EQ(rows.row(k)[3], 0.0) << "y is there, and is no state";
    }
  }
}

TEST(Columns, DerivativesByRanksAndOfConstrainedStates) {
  const Model circle = model_of(R"(model Circle
  Real x(start = 1, fixed = true);
  Real y(start = 0);
equation
  der(x) = -y;
  der(y) = x;
  x^2 + y^2 = 1;
end Circle;
)");
  const SimulationResult around =
      simulate(circle, {.stop = 3.0, .columns = {"x", "y", "der(x)", "der(y)"}}).value();
  for (std::size_t k = 0; k < around.trajectory.n_rows(); ++k) {
    const auto row = around.trajectory.row(k);
    EXPECT_NEAR(row[2], -row[1], 1e-9);
    EXPECT_NEAR(row[3], row[0], 1e-9);
  }
  const Model pendulum = model_of(R"(model Pendulum
  Real x(start = 0.6, fixed = true);
  Real y(start = -0.8);
  Real vx(start = 0, fixed = true);
  Real vy;
  Real f;
equation
  der(x) = vx;
  der(y) = vy;
  der(vx) = -f*x;
  der(vy) = -f*y - 9.81;
  x^2 + y^2 = 1;
end Pendulum;
)");
  const SimulationResult swing =
      simulate(pendulum, {.stop = 2.0, .columns = {"all", "der(vx)", "der(y)"}}).value();
  for (std::size_t k = 0; k < swing.trajectory.n_rows(); ++k) {
    const auto row = swing.trajectory.row(k);
    EXPECT_NEAR(row[5], -row[4] * row[0], 1e-9);
    EXPECT_NEAR(row[6], row[3], 1e-9);
  }
}

TEST(Columns, ErrorsAreEstimatedByColumn) {
  const Model model = model_of(kBlock);
  const SimulationResult result =
      simulate(model, {.stop = 2.0, .columns = {"der(v)", "x"}, .error_estimate = true}).value();
  ASSERT_TRUE(result.error_estimate);
  ASSERT_EQ(result.error_estimate->largest.size(), 2U);
  EXPECT_LT(result.error_estimate->largest[1].error, 1e-4);
  EXPECT_EQ(result.error_estimate->row(0).size(), 2U);
}

TEST(Columns, OfSystemsGivenByFunctions) {
  CallbackModel block;
  block.states = {{.name = "x"}, {.name = "v", .start = 1.0}};
  block.guards = {{.name = "v", .affine = CallbackGuard::Affine{{0.0, 1.0}, 0.0, 0.0}}};
  block.rhs = [](const CallbackPoint& at, std::span<double> xdot) {
    xdot[0] = at.x[1];
    xdot[1] = 0.8 * std::sin(at.time) - 0.5 * at.sides[0];
  };
  const SimulationResult result =
      simulate(block, {.stop = 8.0, .columns = {"der(v)", "guards", "v"}}).value();
  const Trajectory& rows = result.trajectory;
  for (std::size_t k = 0; k < rows.n_rows(); ++k) {
    const bool slides = rows.mode(k).find("sliding") != std::string_view::npos;
    const double friction = rows.row(k)[2] > 0.0 ? 0.5 : -0.5;
    if (slides || std::abs(rows.row(k)[2]) > 1e-9) {
      EXPECT_NEAR(rows.row(k)[0], slides ? 0.0 : 0.8 * std::sin(rows.times()[k]) - friction, 1e-9);
    }
    EXPECT_EQ(rows.row(k)[1], rows.row(k)[2]);
  }
  const auto unknown = simulate(block, {.columns = {"q"}});
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().items()[0].code, "unknown-column");
}

}  // namespace
}  // namespace saltus
