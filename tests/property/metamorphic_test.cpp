// Changes of a model or of a run that must not change its solution.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "saltus/simulate.hpp"

namespace saltus {
namespace {

Model model_of(const std::string& text) {
  return Model::from_text("test.mo", text).value();
}

SimulationResult run(const std::string& text, const SimulationOptions& options) {
  SimulationResult result = simulate(model_of(text), options).value();
  EXPECT_EQ(result.status, SimulationStatus::success) << to_string(result.reason) << ": " << result.message;
  return result;
}

// A driven pendulum that moves a resistor network: states, aliases, explicit algebraic variables, a linear loop.
struct Parts {
  std::vector<std::string> declarations{
      "parameter Real a = 0.3;",
      "parameter Real b = 2*a;",
      "Real x(start = 1, fixed = true);",
      "Real v(start = 0, fixed = true);",
      "Real w;",
      "Real p;",
      "Real q;",
      "Real r;",
      "Real total = x + w;",
  };
  std::vector<std::string> equations{
      "der(x) = w;",    "w = v;",         "der(v) = -sin(x) - a*v + p;", "p + 2*q = cos(time) + x;",
      "3*p - q = b*v;", "r = p*q + x^2;",
  };

  [[nodiscard]] std::string text() const {
    std::string all = "model M\n";
    for (const std::string& line : declarations) {
      all += "  " + line + "\n";
    }
    all += "equation\n";
    for (const std::string& line : equations) {
      all += "  " + line + "\n";
    }
    return all + "end M;\n";
  }
};

TEST(Metamorphic, OrderOfEquationsAndDeclarationsDoesNotMatter) {
  const SimulationOptions options{.stop = 10.0, .tolerance = 1e-8, .method = "dopri5"};
  const SimulationResult expected = run(Parts{}.text(), options);
  std::mt19937 random(20);
  for (int trial = 0; trial < 20; ++trial) {
    Parts parts;
    std::shuffle(parts.declarations.begin(), parts.declarations.end(), random);
    std::shuffle(parts.equations.begin(), parts.equations.end(), random);
    const SimulationResult result = run(parts.text(), options);
    for (const char* name : {"x", "v", "w", "p", "q", "r", "total"}) {
      // Sums over the states (norms, linear loops) are taken in another order: rounding, nothing more.
      EXPECT_NEAR(result.final_value(name), expected.final_value(name), 1e-11) << name << "\n"
                                                                               << parts.text();
    }
    EXPECT_EQ(result.statistics.accepted_steps, expected.statistics.accepted_steps);
  }
}

TEST(Metamorphic, NamesDoNotMatter) {
  const std::string text =
      "model M\n Real a(start = 1, fixed = true); Real z(start = 0, fixed = true); Real e = a^2 + z^2;\n"
      "equation\n der(a) = z; der(z) = -a + 0.1*sin(time);\nend M;\n";
  const std::string renamed =
      "model M\n Real z(start = 1, fixed = true); Real 'a b'(start = 0, fixed = true); Real c = z^2 + 'a "
      "b'^2;\n"
      "equation\n der(z) = 'a b'; der('a b') = -z + 0.1*sin(time);\nend M;\n";
  const SimulationOptions options{.stop = 20.0, .interval = 0.1, .tolerance = 1e-7, .method = "dopri5"};
  const SimulationResult first = run(text, options);
  const SimulationResult second = run(renamed, options);
  ASSERT_EQ(first.trajectory.n_rows(), second.trajectory.n_rows());
  for (std::size_t row = 0; row < first.trajectory.n_rows(); ++row) {
    const auto a = first.trajectory.row(row);
    const auto b = second.trajectory.row(row);
    ASSERT_TRUE(std::equal(a.begin(), a.end(), b.begin(), b.end())) << "row " << row;
  }
}

// Predators and prey with the variables in units of 1/s and 1/u and time in units of 1/c.
std::string scaled_lotka_volterra(double s, double u, double c) {
  const auto number = [](double value) { return std::to_string(value); };
  return "model M\n Real p(start = 2/" + number(s) + ", fixed = true, nominal = 1/" + number(s) +
         ");\n Real q(start = 2/" + number(u) + ", fixed = true, nominal = 1/" + number(u) +
         ");\nequation\n der(p) = " + number(c) + "*(p*(" + number(u) + "*q - 2));\n der(q) = " + number(c) +
         "*(q*(1 - " + number(s) + "*p));\nend M;\n";
}

TEST(Metamorphic, ScalingVariablesByPowersOfTwoScalesTheBits) {
  const SimulationOptions options{.stop = 20.0, .interval = 0.125, .tolerance = 1e-8, .method = "dopri5"};
  const SimulationResult plain = run(scaled_lotka_volterra(1, 1, 1), options);
  const SimulationResult scaled = run(scaled_lotka_volterra(1024, 0.03125, 1), options);
  ASSERT_EQ(plain.trajectory.n_rows(), scaled.trajectory.n_rows());
  EXPECT_EQ(plain.statistics.residual_evaluations, scaled.statistics.residual_evaluations);
  for (std::size_t row = 0; row < plain.trajectory.n_rows(); ++row) {
    ASSERT_EQ(plain.trajectory.row(row)[0], 1024 * scaled.trajectory.row(row)[0]) << "row " << row;
    ASSERT_EQ(plain.trajectory.row(row)[1], 0.03125 * scaled.trajectory.row(row)[1]) << "row " << row;
  }
}

TEST(Metamorphic, ScalingTimeByPowersOfTwoScalesTheBits) {
  // The first step is given: its choice compares powers of derivatives with pure numbers and has a unit of time.
  const SimulationResult plain = run(
      scaled_lotka_volterra(1, 1, 1),
      {.stop = 16.0, .interval = 0.125, .tolerance = 1e-8, .method = "dopri5", .initial_step = 0.0078125});
  const SimulationResult fast = run(scaled_lotka_volterra(1, 1, 64), {.stop = 0.25,
                                                                      .interval = 0.001953125,
                                                                      .tolerance = 1e-8,
                                                                      .method = "dopri5",
                                                                      .initial_step = 0.0078125 / 64});
  ASSERT_EQ(plain.trajectory.n_rows(), fast.trajectory.n_rows());
  EXPECT_EQ(plain.statistics.accepted_steps, fast.statistics.accepted_steps);
  for (std::size_t row = 0; row < plain.trajectory.n_rows(); ++row) {
    ASSERT_EQ(plain.trajectory.times()[row], 64 * fast.trajectory.times()[row]);
    ASSERT_EQ(plain.trajectory.row(row)[0], fast.trajectory.row(row)[0]) << "row " << row;
    ASSERT_EQ(plain.trajectory.row(row)[1], fast.trajectory.row(row)[1]) << "row " << row;
  }
}

TEST(Metamorphic, StartTimeOfABillionChangesNothingInAnAutonomousModel) {
  const std::string text = scaled_lotka_volterra(1, 1, 1);
  const SimulationResult near = run(text, {.stop = 20.0, .tolerance = 1e-9, .method = "dopri5"});
  const SimulationResult far =
      run(text, {.start = 1e9, .stop = 1e9 + 20.0, .tolerance = 1e-9, .method = "dopri5"});
  EXPECT_EQ(far.end, 1e9 + 20.0);
  // The spacing of doubles at 1e9 is 1.2e-7; with compensated time the run must not feel it.
  EXPECT_NEAR(near.final_value("p"), far.final_value("p"), 1e-11);
  EXPECT_NEAR(near.final_value("q"), far.final_value("q"), 1e-11);
  EXPECT_EQ(near.statistics.accepted_steps, far.statistics.accepted_steps);
}

TEST(Metamorphic, ADenserOutputGridDoesNotChangeTheSolution) {
  const std::string text = scaled_lotka_volterra(1, 1, 1);
  const SimulationResult coarse =
      run(text, {.stop = 16.0, .interval = 1.0, .tolerance = 1e-7, .method = "dopri5"});
  const SimulationResult dense =
      run(text, {.stop = 16.0, .interval = 1.0 / 64, .tolerance = 1e-7, .method = "dopri5"});
  EXPECT_EQ(coarse.statistics.accepted_steps, dense.statistics.accepted_steps);
  ASSERT_EQ(coarse.trajectory.n_rows(), 17U);
  ASSERT_EQ(dense.trajectory.n_rows(), 1025U);
  for (std::size_t row = 0; row < 17; ++row) {
    ASSERT_EQ(coarse.trajectory.row(row)[0], dense.trajectory.row(64 * row)[0]) << "row " << row;
  }
}

TEST(Metamorphic, TwoRunsGiveTheSameBits) {
  const SimulationOptions options{.stop = 10.0, .tolerance = 1e-6};
  const SimulationResult first = run(Parts{}.text(), options);
  const SimulationResult second = run(Parts{}.text(), options);
  EXPECT_EQ(first.final_values, second.final_values);
  EXPECT_EQ(first.statistics.residual_evaluations, second.statistics.residual_evaluations);
  ASSERT_EQ(first.trajectory.n_rows(), second.trajectory.n_rows());
  for (std::size_t row = 0; row < first.trajectory.n_rows(); ++row) {
    const auto a = first.trajectory.row(row);
    const auto b = second.trajectory.row(row);
    ASSERT_TRUE(std::equal(a.begin(), a.end(), b.begin(), b.end())) << "row " << row;
  }
}

TEST(Metamorphic, BackwardUndoesForward) {
  const std::string text = scaled_lotka_volterra(1, 1, 1);
  const SimulationResult forward = run(text, {.stop = 5.0, .tolerance = 1e-10, .method = "dopri5"});
  const SimulationResult back =
      run(text, {.start = 5.0,
                 .stop = 0.0,
                 .tolerance = 1e-10,
                 .method = "dopri5",
                 .set = {{"p", forward.final_value("p")}, {"q", forward.final_value("q")}}});
  EXPECT_EQ(back.end, 0.0);
  EXPECT_NEAR(back.final_value("p"), 2.0, 1e-7);
  EXPECT_NEAR(back.final_value("q"), 2.0, 1e-7);
}

TEST(Metamorphic, DenormalValuesDecayLikeOthers) {
  const std::string text =
      "model M\n Real x(start = 1e-310, fixed = true);\nequation\n der(x) = -x;\nend M;\n";
  const SimulationResult result =
      run(text, {.stop = 1.0, .tolerance = 1e-6, .method = "dopri5", .max_step = 0.05});
  EXPECT_NEAR(result.final_value("x") / (1e-310 * std::exp(-1.0)), 1.0, 1e-6);
}

}  // namespace
}  // namespace saltus
