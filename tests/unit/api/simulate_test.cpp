// The public interface, used as in docs/api.md.
#include "saltus/simulate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <thread>

#include "saltus/contract.hpp"

namespace saltus {
namespace {

using ::testing::HasSubstr;

constexpr const char* kOscillator = R"(model Oscillator "mass on a spring"
  parameter Real k = 1 "stiffness";
  parameter Real w = sqrt(k) "frequency";
  Real x(start = 1, fixed = true, unit = "m"), v(start = 0, fixed = true, nominal = 10);
  Real energy = 0.5*(v^2 + k*x^2);
equation
  der(x) = v;
  der(v) = -k*x;
  annotation(experiment(StopTime = 10, Interval = 0.1, Tolerance = 1e-9));
end Oscillator;
)";

Model oscillator() {
  return Model::from_text("oscillator.mo", kOscillator).value();
}

TEST(Model, TellsWhatItHolds) {
  const Model model = oscillator();
  EXPECT_EQ(model.name(), "Oscillator");
  EXPECT_EQ(model.description(), "mass on a spring");
  ASSERT_EQ(model.variables().size(), 3U);
  EXPECT_EQ(model.variables()[0].name, "x");
  EXPECT_EQ(model.variables()[0].unit, "m");
  EXPECT_EQ(model.variables()[0].start, 1.0);
  EXPECT_EQ(model.variables()[1].nominal, 10.0);
  ASSERT_EQ(model.parameters().size(), 2U);
  EXPECT_EQ(model.parameters()[0].value, 1.0);
  EXPECT_EQ(model.parameters()[1].value, 1.0);
  EXPECT_EQ(model.experiment().stop, 10.0);
  EXPECT_FALSE(model.check().has_errors());
}

TEST(Model, ReportsEveryErrorOfTheText) {
  const Result<Model> model =
      Model::from_text("m.mo", "model M\n  Real x;\nequation\n  der(x) = a;\n  der(x) = b;\nend M;\n");
  ASSERT_FALSE(model);
  EXPECT_EQ(model.error().n_errors(), 2U);
  EXPECT_THROW((void)Model(model.value()), Error);
}

TEST(Model, ReportsFilesThatCannotBeRead) {
  EXPECT_EQ(Model::load("/no/such/file.mo").error().items()[0].code, "file-not-found");
  EXPECT_EQ(Model::load("/").error().items()[0].code, "file-is-folder");
  EXPECT_EQ(Model::load("/dev/null").error().items()[0].code, "unknown-file-ending");
}

TEST(Simulate, SolvesAndKeepsRowsAndTheDenseSolution) {
  const SimulationResult result = simulate(oscillator()).value();
  EXPECT_EQ(result.status, SimulationStatus::success);
  EXPECT_EQ(result.end, 10.0);
  EXPECT_NEAR(result.final_value("x"), std::cos(10.0), 1e-7);
  EXPECT_EQ(result.statistics.method, "dopri5");
  const Trajectory& trajectory = result.trajectory;
  ASSERT_EQ(trajectory.n_rows(), 101U);
  EXPECT_EQ(trajectory.times()[3], std::fma(3.0, 0.1, 0.0));
  for (std::size_t k = 0; k < trajectory.n_rows(); ++k) {
    EXPECT_NEAR(trajectory.row(k)[0], std::cos(trajectory.times()[k]), 1e-7);
  }
  EXPECT_EQ(trajectory.column("x").back(), result.final_value("x"));
  for (const double t : {0.0, 0.123456, 5.4321, 10.0}) {
    EXPECT_NEAR(trajectory.at(t, "x"), std::cos(t), 1e-7);
    EXPECT_NEAR(trajectory.at(t, "v"), -std::sin(t), 1e-7);
    EXPECT_NEAR(trajectory.at(t, "energy"), 0.5, 1e-7);
  }
  // Rows and dense evaluation are the same solution to the last bit.
  EXPECT_EQ(trajectory.at(trajectory.times()[37])[1], trajectory.row(37)[1]);
}

TEST(Simulate, MisuseOfATrajectoryIsAContractViolation) {
  const SimulationResult result = simulate(oscillator(), {.stop = 1.0}).value();
  EXPECT_THROW((void)result.trajectory.at(1.5), ContractViolation);
  EXPECT_THROW((void)result.trajectory.at(0.5, "none"), ContractViolation);
  EXPECT_THROW((void)result.final_value("none"), ContractViolation);
  EXPECT_EQ(result.trajectory.index("none"), -1);
}

TEST(Simulate, SetsParametersWithWhatDependsOnThemAndStarts) {
  const SimulationResult result = simulate(oscillator(), {.set = {{"k", 4.0}, {"x", 2.0}}}).value();
  EXPECT_NEAR(result.final_value("x"), 2.0 * std::cos(20.0), 1e-6);
  EXPECT_EQ(std::get<double>(result.parameters[1].value), 2.0);  // w = sqrt(k)
  EXPECT_EQ(simulate(oscillator()).value().final_values, simulate(oscillator()).value().final_values);
}

TEST(Simulate, OneModelInManyThreads) {
  const Model model = oscillator();
  const double expected = simulate(model).value().final_value("x");
  std::vector<double> found(4);
  std::vector<std::thread> threads;
  for (double& value : found) {
    threads.emplace_back([&] { value = simulate(model).value().final_value("x"); });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  for (const double value : found) {
    EXPECT_EQ(value, expected);
  }
}

TEST(Simulate, StopsOnRequestAndKeepsWhatThereIs) {
  std::atomic<bool> stop{false};
  class StopSoon : public OutputSink {
   public:
    explicit StopSoon(std::atomic<bool>& flag) : flag_(flag) {}
    bool begin(std::span<const VariableInfo> variables) override { return variables.size() == 3; }
    bool rows(const OutputRows& rows) override {
      n_rows += rows.times.size();
      flag_ = rows.times.back() > 3.0;
      return true;
    }
    std::size_t n_rows = 0;

   private:
    std::atomic<bool>& flag_;
  } sink(stop);
  const SimulationResult result = simulate(oscillator(), {.sink = &sink, .stop_requested = &stop}).value();
  EXPECT_EQ(result.status, SimulationStatus::stopped);
  EXPECT_EQ(result.reason, "interrupted");
  EXPECT_GT(result.end, 3.0);
  EXPECT_LT(result.end, 5.0);
  EXPECT_EQ(sink.n_rows, result.trajectory.n_rows());
  EXPECT_EQ(result.trajectory.times().back(), result.end);
  EXPECT_NEAR(result.final_value("x"), std::cos(result.end), 1e-7);
}

// Asks for the stop with the last row: the run is complete by then.
class StopsAtTheLastRow final : public OutputSink {
 public:
  bool begin(std::span<const VariableInfo>) override { return true; }
  bool rows(const OutputRows& rows) override {
    stop = rows.times.back() == 1.0;
    return true;
  }
  std::atomic<bool> stop{false};
};

TEST(Simulate, ARequestAfterTheLastStepDoesNotSpoilTheRun) {
  const Model model =
      Model::from_text("m.mo", "model M Real x(start = 1, fixed = true); equation der(x) = -x; end M;")
          .value();
  // Some fill the last block of rows exactly.
  for (const double interval : {1.0, 1.0 / 3, 1.0 / 7, 1.0 / 15, 1.0 / 31, 1.0 / 63, 0.03}) {
    StopsAtTheLastRow sink;
    const SimulationResult result =
        simulate(model, {.interval = interval, .sink = &sink, .stop_requested = &sink.stop}).value();
    EXPECT_TRUE(sink.stop);
    EXPECT_EQ(result.end, 1.0);
    EXPECT_EQ(result.status, SimulationStatus::success) << interval;
  }
}

TEST(Simulate, ASinkThatRefusesEndsTheRun) {
  class Refuse : public OutputSink {
   public:
    bool begin(std::span<const VariableInfo>) override { return true; }
    bool rows(const OutputRows&) override { return false; }
  } sink;
  const SimulationResult result = simulate(oscillator(), {.sink = &sink}).value();
  EXPECT_EQ(result.status, SimulationStatus::stopped);
  EXPECT_EQ(result.reason, "output_failed");
}

TEST(Simulate, AZeroLengthRunGivesTheInitialValues) {
  const SimulationResult result = simulate(oscillator(), {.start = 2.0, .stop = 2.0}).value();
  EXPECT_TRUE(result.ok());
  ASSERT_EQ(result.trajectory.n_rows(), 1U);
  EXPECT_EQ(result.final_value("x"), 1.0);
}

TEST(Simulate, AModelWithoutStatesRuns) {
  const Model model = Model::from_text("m.mo", "model M Real y; equation y = 2*time; end M;").value();
  const SimulationResult result = simulate(model, {.stop = 3.0}).value();
  EXPECT_TRUE(result.ok());
  EXPECT_EQ(result.final_value("y"), 6.0);
  EXPECT_EQ(result.trajectory.n_rows(), 501U);
}

TEST(Simulate, AStartTimeOfABillionKeepsItsGrid) {
  const SimulationResult result = simulate(oscillator(), {.start = 1e9, .stop = 1e9 + 10.0}).value();
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result.trajectory.n_rows(), 101U);
  EXPECT_NEAR(result.final_value("x"), std::cos(10.0), 1e-6);
}

TEST(Simulate, OutputsThatAreNotFiniteEndTheRunAtTheirTime) {
  const Model model =
      Model::from_text("m.mo",
                       "model M Real x(start=1, fixed=true), y; equation der(x) = -1; y = log(x); end M;")
          .value();
  const SimulationResult result = simulate(model, {.stop = 2.0}).value();
  EXPECT_EQ(result.status, SimulationStatus::failed);
  EXPECT_EQ(result.reason, "not_finite");
  EXPECT_THAT(result.message, HasSubstr("y"));
  EXPECT_NEAR(result.trajectory.times().back(), 1.0, 0.02);
}

TEST(Validate, ReportsAllProblemsAtOnce) {
  const Diagnostics problems =
      validate(oscillator(),
               {.interval = -1.0, .tolerance = 0.0, .method = "none", .max_steps = 0, .set = {{"q", 1.0}}});
  EXPECT_EQ(problems.n_errors(), 5U);
  EXPECT_FALSE(simulate(oscillator(), {.tolerance = -1.0}));
}

TEST(Trajectory, StepEndsAreThoseOfTheAcceptedSteps) {
  const SimulationResult result = simulate(oscillator()).value();
  const std::vector<double> ends = result.trajectory.step_ends();
  EXPECT_EQ(ends.size(), static_cast<std::size_t>(result.statistics.accepted_steps));
  EXPECT_TRUE(std::is_sorted(ends.begin(), ends.end()));
  EXPECT_GT(ends.front(), 0.0);
  EXPECT_EQ(ends.back(), 10.0);
  const SimulationResult rows_only = simulate(oscillator(), {.keep_dense = false}).value();
  EXPECT_THROW((void)rows_only.trajectory.step_ends(), ContractViolation);
}

TEST(Trajectory, ValuesAreAllRowsInOnePiece) {
  const SimulationResult result = simulate(oscillator()).value();
  const Trajectory& trajectory = result.trajectory;
  ASSERT_EQ(trajectory.values().size(), trajectory.n_rows() * trajectory.names().size());
  for (std::size_t k = 0; k < trajectory.n_rows(); ++k) {
    EXPECT_EQ(trajectory.row(k).data(), trajectory.values().data() + k * trajectory.names().size());
  }
  EXPECT_TRUE(Trajectory().values().empty());
}

TEST(SetOption, ReadsWhatTheCommandLineReads) {
  SimulationOptions options;
  EXPECT_TRUE(set_option(options, "stop", "1e3").empty());
  EXPECT_EQ(options.stop, 1000.0);
  EXPECT_TRUE(set_option(options, "max-steps", "1e6").empty());
  EXPECT_EQ(options.max_steps, 1'000'000);
  EXPECT_TRUE(set_option(options, "set", "flag=true").empty());
  EXPECT_EQ(options.set.back().value, GivenValue(true));
  EXPECT_TRUE(set_option(options, "atol", "der(x)=1e-9").empty());
  EXPECT_EQ(options.atol_of.back().name, "der(x)");
  for (const char* wrong : {"", "1x", "nan", "0x10", "1,5"}) {
    EXPECT_EQ(set_option(options, "stop", wrong).n_errors(), 1U) << wrong;
  }
  EXPECT_EQ(set_option(options, "max-steps", "1.5").n_errors(), 1U);
  EXPECT_EQ(set_option(options, "tolerence", "1").items()[0].hint, "did you mean 'tolerance'?");
  for (const std::string& name : planned_options()) {
    EXPECT_EQ(set_option(options, name, "1").items()[0].code, "option-not-supported");
  }
}

}  // namespace
}  // namespace saltus
