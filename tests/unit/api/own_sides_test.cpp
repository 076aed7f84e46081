// Right-hand sides that choose their sides themselves: the problems of DISODE45 as its users write them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "saltus/model.hpp"
#include "support/problems/disode45_callbacks.hpp"
#include "support/source_folder.hpp"

namespace saltus {
namespace {

struct Problem {
  std::string file;
  CallbackModel (*model)();
  double stop;
};

const std::vector<Problem>& problems() {
  static const std::vector<Problem> list{
      {"filippov_cycle.mo", test::filippov_cycle, 30.0},
      {"structural_pounding.mo", test::structural_pounding, 3.0},
      {"relay_feedback.mo", test::relay_feedback, 4.0 * std::numbers::pi},
      {"two_masses_with_friction.mo", test::two_masses_with_friction, 11.0}};
  return list;
}

// The velocity of the pounding buildings matters during contact only, which a function does not say.
std::vector<double> times_of(const SimulationResult& result, const std::string& file) {
  std::vector<double> times;
  for (const Event event : result.events) {
    if (file != "structural_pounding.mo" || result.trajectory.before(event.time, "y") > 0.005 - 1e-5) {
      times.push_back(event.time);
    }
  }
  return times;
}

TEST(OwnSides, EventsAndValuesAreThoseOfTheText) {
  for (const Problem& problem : problems()) {
    const SimulationOptions options{
        .stop = problem.stop, .interval = 1000.0, .rtol = 1e-9, .atol = 1e-9, .method = "dopri5"};
    const SimulationResult result = simulate(problem.model(), options).value();
    const SimulationResult text =
        simulate(Model::load(test::source_folder() + "/examples/" + problem.file).value(), options).value();
    ASSERT_EQ(result.status, SimulationStatus::success) << problem.file << result.message;
    const std::vector<double> times = times_of(result, problem.file);
    const std::vector<double> expected = times_of(text, problem.file);
    ASSERT_EQ(times.size(), expected.size()) << problem.file;
    for (std::size_t k = 0; k < times.size(); ++k) {
      EXPECT_NEAR(times[k], expected[k], 2e-7) << problem.file << k;
    }
    for (const CallbackVariable& state : problem.model().states) {
      EXPECT_NEAR(result.final_value(state.name), text.final_value(state.name), 2e-7) << problem.file;
    }
    EXPECT_LT(result.statistics.residual_evaluations, 3 * text.statistics.residual_evaluations / 2)
        << problem.file;
  }
}

// Beside the tables of the source at 1e-7, where a run takes a tenth more evaluations and has the same errors.
TEST(OwnSides, WorkAndErrorsAreNearThoseOfTheSource) {
  struct Published {
    double n_rhs;
    double error_time;
  };
  const std::vector<Published> published{{1660, 5.6e-6}, {2280, 9.2e-7}, {6694, 4.1e-6}, {1577, 1.2e-5}};
  for (std::size_t p = 0; p < problems().size(); ++p) {
    const Problem& problem = problems()[p];
    SimulationOptions options{
        .stop = problem.stop, .interval = 1000.0, .rtol = 1e-7, .atol = 1e-7, .method = "dopri5"};
    const SimulationResult result = simulate(problem.model(), options).value();
    options.rtol = options.atol = 1e-11;
    const SimulationResult reference =
        simulate(Model::load(test::source_folder() + "/examples/" + problem.file).value(), options).value();
    const std::vector<double> times = times_of(result, problem.file);
    const std::vector<double> expected = times_of(reference, problem.file);
    ASSERT_EQ(times.size(), expected.size()) << problem.file;
    double error = 0.0;
    for (std::size_t k = 0; k < times.size(); ++k) {
      error = std::max(error, std::abs(times[k] - expected[k]));
    }
    EXPECT_LT(error, 1.25 * published[p].error_time) << problem.file;
    EXPECT_LT(static_cast<double>(result.statistics.residual_evaluations), 1.2 * published[p].n_rhs)
        << problem.file;
  }
}

// What f is asked for before and after an event.
TEST(OwnSides, NothingIsAskedBeyondASurface) {
  CallbackModel model;
  model.states = {{.name = "x", .start = 1.0}, {.name = "v"}};
  model.guards = {test::surface("x", {1.0, 0.0})};
  const auto side = std::make_shared<double>(1.0);
  model.guards[0].reset = [side](const CallbackPoint& at, std::span<double> x, std::span<double>) {
    *side = at.sides[0];
    x[1] = at.x[1];
  };
  auto asked =
      std::make_shared<std::pair<double, double>>(1.0, -1.0);  // least x before, largest after the event
  model.rhs = [side, asked](const CallbackPoint& at, std::span<double> xdot) {
    (*side > 0.0 ? asked->first : asked->second) =
        *side > 0.0 ? std::min(asked->first, at.x[0]) : std::max(asked->second, at.x[0]);
    xdot[0] = at.x[1];
    xdot[1] = at.x[0] > 0.0 ? -1.0 : -3.0;
  };
  model.rhs_chooses_sides = true;
  const SimulationResult result =
      simulate(model, {.stop = 2.0, .tolerance = 1e-8, .method = "dopri5"}).value();
  ASSERT_TRUE(result.ok()) << result.message;
  ASSERT_EQ(result.events.size(), 2U);  // the surface and the reset, at one time
  EXPECT_NEAR(result.events[0].time, std::sqrt(2.0), 1e-8);
  EXPECT_EQ(result.events[1].time, result.events[0].time);
  EXPECT_GT(asked->first, -1e-13) << "on the surface the other side is asked too, beside it";
  const double after = 2.0 - std::sqrt(2.0);
  EXPECT_NEAR(result.final_value("v"), -std::sqrt(2.0) - 3.0 * after, 1e-7);
}

TEST(OwnSides, SlidingAsksOnBothSidesOfTheSurface) {
  // v' = cos(t) - 2·sign(v): at rest from v = 0.5 on.
  CallbackModel model;
  model.states = {{.name = "v", .start = 0.5}};
  model.guards = {test::surface("v", {1.0})};
  model.rhs = [](const CallbackPoint& at, std::span<double> xdot) {
    xdot[0] = std::cos(at.time) - 2.0 * test::sign_of(at.x[0]);
  };
  model.rhs_chooses_sides = true;
  for (const std::string method : {"dopri5", "radau5", "bdf"}) {
    const SimulationResult result =
        simulate(model, {.stop = 3.0, .tolerance = 1e-8, .method = method}).value();
    ASSERT_EQ(result.status, SimulationStatus::success) << method << result.message;
    ASSERT_EQ(result.events.size(), 1U) << method;
    EXPECT_EQ(result.events[0].kind, EventKind::slide_enter);
    EXPECT_NEAR(result.final_value("v"), 0.0, 1e-13);
    EXPECT_EQ(result.modes[1].mode, "main sliding on v");
  }
}

}  // namespace
}  // namespace saltus
