// Runs that end somewhere and go on in a model that was read anew: all files are those of a run in one piece. SALTUS_KILL_POINTS: how many such
// places for each model. scripts/kill_points does the same with all examples and with processes.
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "checkpoint/saved_runs.hpp"
#include "support/source_folder.hpp"
#include "support/temporary_folder.hpp"

namespace saltus {
namespace {

using test::Outputs;
using test::run_into;
using test::TemporaryFolder;

struct Case {
  std::string example;
  SimulationOptions options = {};
  friend void PrintTo(const Case& item, std::ostream* out) {
    *out << item.example << " " << item.options.method;
  }
};

int points_wanted() {
  const char* const text = std::getenv("SALTUS_KILL_POINTS");
  return text == nullptr ? 3 : std::max(1, std::atoi(text));
}

Model read(const std::string& example) {
  return Model::load(test::source_folder() + "/examples/" + example).value();
}

class KillPoints : public ::testing::TestWithParam<Case> {};

TEST_P(KillPoints, FilesAreThoseOfOnePiece) {
  const Case& what = GetParam();
  const TemporaryFolder temporary;
  const std::string folder = temporary.path() + "/whole";
  const SimulationResult whole = run_into(read(what.example), folder, what.options);
  const Outputs expected = Outputs::in(folder);
  ASSERT_FALSE(expected.rows.empty());
  const std::int64_t n_steps = whole.statistics.accepted_steps + whole.statistics.rejected_steps;
  ASSERT_GT(n_steps, 2);
  std::mt19937_64 random(20);
  for (int k = 0; k < points_wanted(); ++k) {
    const auto at = static_cast<std::int64_t>(1 + random() % static_cast<std::uint64_t>(n_steps - 1));
    const std::string parts = temporary.path() + "/parts" + std::to_string(k);
    const std::string file = parts + ".checkpoint";
    SimulationOptions first = what.options;
    first.checkpoint = file;
    first.max_steps = at;
    const bool is_killed = k % 2 == 0;
    const SimulationResult ended = run_into(read(what.example), parts, first, is_killed);
    ASSERT_EQ(ended.reason, "step_limit") << at << " of " << n_steps;
    SimulationOptions second = what.options;
    second.resume = file;
    run_into(read(what.example), parts, second);
    const Outputs found = Outputs::in(parts);
    EXPECT_EQ(found.rows == expected.rows, true)
        << "after step " << at << " of " << n_steps << ", time " << ended.end;
    EXPECT_EQ(found.events == expected.events, true) << "after step " << at << " of " << n_steps;
    EXPECT_EQ(found.summary, expected.summary) << "after step " << at << " of " << n_steps;
    EXPECT_EQ(found.report == expected.report, true) << "after step " << at << " of " << n_steps;
    if (HasFailure()) {
      return;
    }
  }
}

// Saving changes nothing, however often.
TEST_P(KillPoints, SavingIsNotSeen) {
  const Case& what = GetParam();
  const TemporaryFolder temporary;
  SimulationOptions options = what.options;
  options.max_steps = 10;
  run_into(read(what.example), temporary.path() + "/plain", options);
  options.checkpoint = temporary.path() + "/checkpoint";
  options.checkpoint_interval = 0.0;
  run_into(read(what.example), temporary.path() + "/saved", options);
  EXPECT_EQ(Outputs::in(temporary.path() + "/saved") == Outputs::in(temporary.path() + "/plain"), true);
}

std::vector<Case> cases() {
  return {
      // Explicit methods, smooth and with events
      {"lorenz.mo", {.stop = 5.0}},
      {"bouncing_ball.mo", {.method = "dopri5"}},
      {"thermostat.saltus", {}},
      {"sampled_controller.mo", {}},
      {"rimless_wheel.mo", {}},
      {"pendulum_wall.mo", {}},
      // Implicit ones, and a choice between them
      {"robertson.mo", {.method = "radau5"}},
      {"robertson.mo", {.method = "bdf"}},
      {"van_der_pol.mo", {.method = "sdirk4"}},
      {"van_der_pol.mo", {.method = "auto"}},
      {"brusselator.mo", {.method = "bdf"}},
      {"transistor_amplifier.mo", {}},
      {"rc_ladder.mo", {.method = "bdf"}},
      // Sliding and rest
      {"stick_slip.mo", {}},
      {"stick_slip.mo", {.method = "radau5"}},
      {"friction_blocks.mo", {}},
      {"belt_modes.saltus", {}},
      {"bouncing_balls.mo", {}},
      {"relay_feedback.mo", {.method = "bdf"}},
      // Constraints, structures, ranks
      {"cartesian_pendulum.mo", {}},
      {"andrews_squeezer.mo", {}},
      {"half_wave_rectifier.mo", {}},
      {"ideal_bridge.mo", {}},
      {"string_pendulum.saltus", {}},
      {"parallel_bars.mo", {}},
      {"circle_three_equations.mo", {}},
      {"boost_converter.saltus", {.method = "radau5"}},
      // Without dissipation
      {"pendulum_wall.mo", {.method = "rattle", .step = 0.01}},
      {"string_pendulum.saltus", {.method = "rattle4", .step = 0.02}},
  };
}

INSTANTIATE_TEST_SUITE_P(Examples, KillPoints, ::testing::ValuesIn(cases()), [](const auto& item) {
  std::string name = item.param.example + "_" + item.param.options.method;
  for (char& c : name) {
    c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  }
  return std::to_string(item.index) + "_" + name;
});

}  // namespace
}  // namespace saltus
