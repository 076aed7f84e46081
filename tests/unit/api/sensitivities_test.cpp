// What a run keeps of its sensitivities: rows, final values, times of events, the parameters that matter; and that the run is the same with
// and without them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "saltus/simulate.hpp"
#include "support/source_folder.hpp"

namespace saltus {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const char* const kDecay = R"(model Decay
  parameter Real k = 2;
  parameter Real x0 = 3;
  parameter Real unused = 7;
  Real x(start = x0, fixed = true);
  Real y = k*x;
  Integer n(start = 0, fixed = true);
equation
  der(x) = -k*x;
  when x < 1.5 then
    n = 1;
  end when;
  annotation(experiment(StopTime = 1, Interval = 0.25, Tolerance = 1e-9));
end Decay;
)";

TEST(Sensitivities, RowsFinalValuesAndTimesOfEvents) {
  const Model model = Model::from_text("decay.mo", kDecay).value();
  const SimulationResult result = simulate(model, {.sensitivities = {"k", "x0", "unused"}}).value();
  ASSERT_TRUE(result.sensitivities);
  const Sensitivities& all = *result.sensitivities;
  EXPECT_THAT(all.parameters, ElementsAre("k", "x0", "unused"));
  EXPECT_THAT(all.columns, ElementsAre("x", "y"));
  // The rows of the trajectory.
  ASSERT_EQ(all.times.size(), result.trajectory.n_rows());
  for (std::size_t row = 0; row < all.times.size(); ++row) {
    EXPECT_EQ(all.times[row], result.trajectory.times()[row]);
    EXPECT_EQ(all.segments[row], result.trajectory.segment(row));
    EXPECT_EQ(all.mode(row), result.trajectory.mode(row));
    const double t = all.times[row];
    EXPECT_NEAR(all.row(row, 0)[0], -3.0 * t * std::exp(-2.0 * t), 1e-7) << t;
    EXPECT_NEAR(all.row(row, 0)[1], std::exp(-2.0 * t), 1e-7) << t;
    EXPECT_NEAR(all.row(row, 1)[0], 3.0 * (1.0 - 2.0 * t) * std::exp(-2.0 * t), 1e-7) << t;
    EXPECT_NEAR(all.row(row, 0)[2], 0.0, 1e-12);
  }
  const std::size_t x = 0;
  EXPECT_NEAR(all.final_row(x)[0], -3.0 * std::exp(-2.0), 1e-7);
  EXPECT_EQ(all.final_values.size(), 9U);
  // x0·exp(-k t) = 1.5 at t = ln(2)/k.
  ASSERT_EQ(result.events.size(), 1U);
  ASSERT_EQ(result.events[0].sensitivities.size(), 3U);
  EXPECT_NEAR(result.events[0].sensitivities[0], -std::log(2.0) / 4.0, 1e-7);
  EXPECT_NEAR(result.events[0].sensitivities[1], 1.0 / 6.0, 1e-7);
  EXPECT_EQ(all.event_times.size(), 3U);
  // |k·∂y/∂k| / largest y = 6·(1 - 2t)·exp(-2t)/6 is 1 at the start; x0 moves all in proportion.
  EXPECT_THAT(all.zero_sensitivities, ElementsAre("unused"));
  EXPECT_EQ(all.most_influential.size(), 3U);
  EXPECT_NEAR(all.most_influential[0].measure, 1.0, 1e-9);
  EXPECT_EQ(all.most_influential[2].parameter, "unused");
  EXPECT_LT(all.most_influential[2].measure, 1e-12);
  EXPECT_EQ(all.parameter("x0"), 1);
  EXPECT_EQ(all.parameter("x"), -1);
}

class RowSink : public OutputSink {
 public:
  bool begin(std::span<const VariableInfo>) override { return true; }
  bool rows(const OutputRows&) override { return true; }
  void event(const Event& event) override { n_sigma += event.sensitivities.size(); }
  bool begin_sensitivities(std::span<const std::string> columns,
                           std::span<const std::string> parameters) override {
    n_values = columns.size() * parameters.size();
    return true;
  }
  bool sensitivities(const SensitivityRow& row) override {
    EXPECT_EQ(row.values.size(), n_values);
    return ++n_rows < most;
  }
  std::size_t n_values = 0;
  std::size_t n_rows = 0;
  std::size_t n_sigma = 0;
  std::size_t most = 1000;
};

TEST(Sensitivities, ASinkGetsThemAndNothingIsKept) {
  const Model model = Model::from_text("decay.mo", kDecay).value();
  RowSink sink;
  const SimulationResult result =
      simulate(model, {.columns = {"y"}, .sensitivities = {"k", "x0"}, .keep_rows = false, .sink = &sink})
          .value();
  EXPECT_TRUE(result.ok());
  EXPECT_EQ(sink.n_values, 2U);
  EXPECT_EQ(sink.n_rows, 7U);
  EXPECT_EQ(sink.n_sigma, 2U);
  EXPECT_THAT(result.sensitivities->times, IsEmpty());
  EXPECT_EQ(result.sensitivities->final_values.size(), 6U);
  RowSink full;
  full.most = 3;
  const SimulationResult stopped = simulate(model, {.sensitivities = {"k"}, .sink = &full}).value();
  EXPECT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.reason, Reason::output_failed);
}

// The equations are compiled without the term; S knows it. At k = 0 x stays x0 and dx/dk = -x0·t.
TEST(Sensitivities, AreKnownWhereTheParameterIsZero) {
  const Model model = Model::from_text("decay.mo", kDecay).value();
  const SimulationResult result =
      simulate(model, {.sensitivities = {"k", "x0"}, .set = {{"k", 0.0}}}).value();
  EXPECT_TRUE(result.ok());
  EXPECT_NEAR(result.sensitivities->final_row(0)[0], -result.final_values[0] * result.end, 1e-9);
  EXPECT_NEAR(result.sensitivities->final_row(0)[1], 1.0, 1e-12);
  EXPECT_THAT(result.sensitivities->zero_sensitivities, IsEmpty());
}

// Everything of a trajectory, numbers by their bits.
std::string bits_of(const SimulationResult& run) {
  std::string text(to_string(run.reason));
  const auto add = [&text](double number) {
    const auto bits = std::bit_cast<std::uint64_t>(number);
    text.append(reinterpret_cast<const char*>(&bits), sizeof bits);
  };
  for (std::size_t row = 0; row < run.trajectory.n_rows(); ++row) {
    add(run.trajectory.times()[row]);
    for (const double value : run.trajectory.row(row)) {
      add(value);
    }
  }
  for (const Event event : run.events) {
    add(event.time);
    text += event.guard;
  }
  return text;
}

// Structures are numbered as each system meets them.
TEST(Sensitivities, FollowStructuresOfTheEquationsThatEverySystemNumbersForItself) {
  for (const char* name : {"clutch_if.mo", "tank_if.mo", "complementarity.mo"}) {
    const Model model = Model::load(test::source_folder() + "/examples/" + name).value();
    const SimulationResult run =
        simulate(model, {.sensitivities = {"all"}, .sensitivity_check = true}).value();
    EXPECT_FALSE(run.events.empty());
    ASSERT_FALSE(run.sensitivities->check.empty());
    for (const Sensitivities::Check& item : run.sensitivities->check) {
      EXPECT_LT(item.largest_difference, 1e-6) << name << " " << item.parameter << " " << item.at;
    }
  }
}

class SameRun : public ::testing::TestWithParam<const char*> {};

TEST_P(SameRun, WithAndWithoutSensitivities) {
  const Model model = Model::load(test::source_folder() + "/examples/" + GetParam()).value();
  const SimulationResult plain = simulate(model).value();
  const SimulationResult moved = simulate(model, {.sensitivities = {"all", "starts"}}).value();
  EXPECT_EQ(bits_of(plain), bits_of(moved));
  EXPECT_EQ(plain.statistics.accepted_steps, moved.statistics.accepted_steps);
  EXPECT_EQ(plain.statistics.residual_evaluations, moved.statistics.residual_evaluations);
  EXPECT_FALSE(moved.sensitivities->parameters.empty());
}

INSTANTIATE_TEST_SUITE_P(Examples, SameRun,
                         ::testing::Values("pendulum.mo", "bouncing_ball.mo", "relay_feedback.mo",
                                           "friction_pendulum.mo", "carver.mo", "sampled_controller.mo",
                                           "cartesian_pendulum.mo", "stick_slip.mo", "robertson.mo",
                                           "clutch.saltus", "string_pendulum.saltus", "rectifier.saltus",
                                           "clutch_if.mo"),
                         [](const auto& chosen) {
                           const std::string name = chosen.param;
                           return name.substr(0, name.find('.'));
                         });

}  // namespace
}  // namespace saltus
