// What a sweep has of its runs: the same numbers as single runs and gradients, events, statuses, threads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "saltus/saltus.hpp"
#include "support/temporary_folder.hpp"

namespace saltus {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kBall = R"(model Ball
  parameter Real g = 10; parameter Real e = 0.5; parameter Real limit = 4;
  Real h(start = 5, fixed = true); Real v(start = 0, fixed = true);
  Integer n(start = 0, fixed = true);
equation
  der(h) = v; der(v) = -g;
  when h <= 0 then
    reinit(v, -e*pre(v));
    n = pre(n) + 1;
  end when;
  assert(h < limit or time < 0.5, "too high");
  annotation(experiment(StopTime = 2.3));
end Ball;
)";

Model model_of(const char* text) {
  Result<Model> model = Model::from_text("ball.mo", text);
  EXPECT_TRUE(model) << render_text(model.error());
  return *std::move(model);
}

SweepOptions options_of(std::vector<std::string> vary, std::vector<std::string> columns) {
  SweepOptions options;
  for (const std::string& text : vary) {
    options.vary.push_back(*read_variation(text));
  }
  options.columns = std::move(columns);
  return options;
}

std::string error_of(const Model& model, const SweepOptions& options) {
  const Result<SweepResult> result = sweep(model, options);
  return result ? "" : render_text(result.error());
}

TEST(Sweeps, FinalValuesAreThoseOfSingleRuns) {
  const Model model = model_of(kBall);
  const SweepOptions options = options_of({"e={0.25,0.5,0.75}", "h={4,5}"}, {});
  const Result<SweepResult> result = sweep(model, options);
  ASSERT_TRUE(result) << render_text(result.error());
  EXPECT_THAT(result->columns, ElementsAre("final(h)", "v", "n"));
  EXPECT_THAT(result->names, ElementsAre("e", "h"));
  ASSERT_EQ(result->runs.size(), 6U);
  for (std::size_t k = 0; k < 6; ++k) {
    SimulationOptions single;
    single.set = {{"e", result->given[2 * k]}, {"h", result->given[2 * k + 1]}};
    const SimulationResult run = *simulate(model, single);
    EXPECT_EQ(result->runs[k].n_events, static_cast<std::int64_t>(run.events.size()));
    EXPECT_EQ(result->runs[k].end, run.end);
    for (std::size_t c = 0; c < 3; ++c) {
      EXPECT_EQ(result->values[3 * k + c], run.final_values[c]) << k << " " << c;
    }
  }
}

TEST(Sweeps, FunctionalsAreThoseOfGradients) {
  const Model model = model_of(kBall);
  const std::vector<std::string> functionals{"event_time(2)",    "at_event(1, v)", "before_event(2, v*h)",
                                             "final(h)^2 + e*g", "integral(h)",    "at_event(2, n)"};
  const Result<SweepResult> result = sweep(model, options_of({"e={0.5,0.6}"}, functionals));
  ASSERT_TRUE(result) << render_text(result.error());
  for (std::size_t k = 0; k < 2; ++k) {
    for (std::size_t f = 0; f < functionals.size(); ++f) {
      GradientOptions options;
      options.with = {"g"};
      options.simulation.set = {{"e", result->given[k]}};
      const Result<GradientResult> other = gradient(model, functionals[f], options);
      ASSERT_TRUE(other) << render_text(other.error());
      // The integral of the other functional is a state here too, and has its part in the choice of steps.
      EXPECT_NEAR(result->values[k * functionals.size() + f], other->value,
                  1e-5 * std::abs(other->value) + 1e-9)
          << functionals[f];
    }
  }
}

// An event at the start counts as for gradients, and has no values before it.
TEST(Sweeps, InstantsAreCountedFromTheStart) {
  const Model model = model_of(R"(model Start
  parameter Real p = 1; Real x(start = 1, fixed = true); discrete Real k(start = 0, fixed = true);
equation
  der(x) = 1;
  when {initial(), x > 1 + p} then k = pre(k) + x; end when;
  annotation(experiment(StopTime = 3));
end Start;
)");
  const Result<SweepResult> result =
      sweep(model, options_of({"p={1,2}"}, {"event_time(1)", "at_event(1, k)", "k"}));
  ASSERT_TRUE(result) << render_text(result.error());
  GradientOptions options;
  options.with = {"p"};
  for (std::size_t f = 0; f < 2; ++f) {
    const Result<GradientResult> other = gradient(model, result->columns[f], options);
    ASSERT_TRUE(other);
    EXPECT_NEAR(result->values[f], other->value, 1e-9) << result->columns[f];
  }
}

TEST(Sweeps, ColumnsHaveNamesAndStandOnce) {
  const Model model = model_of(kBall);
  const Result<SweepResult> result = sweep(
      model,
      options_of({"e={0.5}"}, {"v", "*", "energy=final(g*h + v^2/2)", "third=event_time(9)", "e", "2*e"}));
  ASSERT_TRUE(result) << render_text(result.error());
  EXPECT_THAT(result->columns, ElementsAre("v", "h", "n", "energy", "third", "2*e"));
  EXPECT_NEAR(result->column("energy")[0],
              10 * result->column("h")[0] + 0.5 * std::pow(result->column("v")[0], 2), 1e-9);
  EXPECT_TRUE(std::isnan(result->column("third")[0]));
  EXPECT_EQ(result->column("e")[0], 0.5);
  EXPECT_EQ(result->values[5], 1.0);
  EXPECT_TRUE(result->ok());
  EXPECT_THROW((void)result->column("w"), ContractViolation);
}

TEST(Sweeps, RunsThatFailStopNothing) {
  const Model model = model_of(kBall);
  SweepOptions options = options_of({}, {"h"});
  options.samples = SweepSamples{"", {"limit", "n", "g"}, {4, 0, 10, 0.1, 0, 10, 4, 0.5, 10, 4, 1, 10}};
  const Result<SweepResult> result = sweep(model, options);
  ASSERT_TRUE(result) << render_text(result.error());
  EXPECT_EQ(result->runs[0].status, SweepStatus::success);
  EXPECT_EQ(result->runs[1].status, SweepStatus::failed);
  EXPECT_EQ(result->runs[1].reason, Reason::assertion);
  EXPECT_THAT(result->runs[1].message, HasSubstr("too high"));
  EXPECT_TRUE(std::isnan(result->values[1]));
  EXPECT_EQ(result->runs[2].status, SweepStatus::refused);
  EXPECT_THAT(result->runs[2].message, HasSubstr("'n' is an Integer and cannot be set to 0.5"));
  EXPECT_TRUE(std::isnan(result->runs[2].end));
  EXPECT_EQ(result->runs[3].status, SweepStatus::success);
  EXPECT_FALSE(result->ok());
  EXPECT_TRUE(result->is_complete());
  EXPECT_EQ(result->count(SweepStatus::refused), 1U);
}

TEST(Sweeps, MistakesAreToldBeforeAnythingRuns) {
  const Model model = model_of(kBall);
  EXPECT_THAT(error_of(model, options_of({"ee={1}"}, {})), HasSubstr("no parameter or variable 'ee'"));
  EXPECT_THAT(error_of(model, options_of({"e={1}"}, {"hh"})), HasSubstr("the model has no variable 'hh'"));
  EXPECT_THAT(error_of(model, options_of({"e={1}"}, {"x*"})),
              HasSubstr("no variable of the model matches 'x*'"));
  EXPECT_THAT(error_of(model, options_of({"e={1}"}, {"final(hh)"})), HasSubstr("--columns:1:7"));
  EXPECT_THAT(error_of(model, options_of({"e={1}"}, {"h + 1"})), HasSubstr("'h' changes during the run"));
  SweepOptions options = options_of({"e={1}"}, {});
  options.simulation.method = "nonsense";
  EXPECT_THAT(error_of(model, options), HasSubstr("nonsense"));
  const Model arrays = model_of(
      R"(model A parameter Real k[2] = {1, 2}; constant Real c = 1; parameter String s = "a"; Real x = k[1]*c; end A;)");
  EXPECT_THAT(error_of(arrays, options_of({"k={1}"}, {})), HasSubstr("vary its elements, as 'k[1]'"));
  EXPECT_THAT(error_of(arrays, options_of({"c={1}"}, {})),
              HasSubstr("'c' is declared constant and cannot be varied"));
  EXPECT_THAT(error_of(arrays, options_of({"s={1}"}, {})), HasSubstr("'s' is a String"));
  EXPECT_EQ(error_of(arrays, options_of({"k[1]={1}"}, {})), "");
}

TEST(Sweeps, WhyARunCannotStart) {
  const Model model =
      model_of(R"(model S parameter Real k = 1; Real x; Real y; equation x = k; x = 2*k; end S;)");
  const Result<SweepResult> result = sweep(model, options_of({"k={0,2}"}, {}));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->runs[1].reason, Reason::initialization_failed);
  EXPECT_THAT(result->runs[1].message, HasSubstr("the equations contradict each other at the start"));
}

TEST(Sweeps, SizesMayVary) {
  const Model model = model_of(
      R"(model N parameter Integer n = 2; Real x[n](each start = 1, each fixed = true); Real s = sum(x);
equation for i in 1:n loop der(x[i]) = -i*x[i]; end for; end N;)");
  const Result<SweepResult> result = sweep(model, options_of({"n=1:1:4"}, {"s", "x[2]", "final(2*s)"}));
  ASSERT_TRUE(result) << render_text(result.error());
  double sum = 0.0;
  for (std::size_t k = 0; k < 4; ++k) {
    sum += std::exp(-static_cast<double>(k + 1));
    EXPECT_NEAR(result->values[3 * k], sum, 1e-5) << k;
    EXPECT_NEAR(result->values[3 * k + 2], 2 * sum, 1e-5) << k;
  }
  EXPECT_TRUE(std::isnan(result->values[1]));
  EXPECT_NEAR(result->values[4], std::exp(-2.0), 1e-5);
}

TEST(Sweeps, ThreadsChangeNothing) {
  const Model model = model_of(kBall);
  SweepOptions options = options_of({"e={1}", "g=5..20"}, {"h", "event_time(2)"});
  options.vary[0] = *read_variation("e=0.1..0.9");
  options.n_random = 200;
  options.jobs = 1;
  const Result<SweepResult> one = sweep(model, options);
  ASSERT_TRUE(one);
  for (const std::int64_t jobs : {2, 5}) {
    options.jobs = jobs;
    const Result<SweepResult> several = sweep(model_of(kBall), options);
    ASSERT_TRUE(several);
    EXPECT_EQ(std::memcmp(one->values.data(), several->values.data(), one->values.size() * sizeof(double)),
              0);
    for (std::size_t k = 0; k < one->runs.size(); ++k) {
      EXPECT_EQ(one->runs[k].message, several->runs[k].message);
      EXPECT_EQ(one->runs[k].warnings, several->runs[k].warnings);
    }
  }
}

TEST(Sweeps, ProgressComesToItsEndAndStopsAreSeen) {
  const Model model = model_of(kBall);
  SweepOptions options = options_of({"e=0.2:0.01:0.7"}, {"h"});
  std::size_t last = 0;
  options.progress = [&](const SweepProgress& progress) {
    EXPECT_GE(progress.n_done, last);
    last = progress.n_done;
  };
  ASSERT_TRUE(sweep(model, options));
  EXPECT_EQ(last, 51U);
  const std::atomic<bool> stop{true};
  options.simulation.stop_requested = &stop;
  const Result<SweepResult> stopped = sweep(model, options);
  EXPECT_TRUE(!stopped || stopped->count(SweepStatus::not_run) > 0);
}

TEST(Sweeps, WarningsAreCounted) {
  const Result<SweepResult> result = sweep(model_of(kBall), options_of({"e={0.5,0.2,0.3}"}, {"h"}));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->runs[0].warnings, "");
  EXPECT_EQ(result->runs[1].warnings, "zeno");
  EXPECT_THAT(render_text(result->diagnostics),
              HasSubstr("2 of 3 runs have the warning 'zeno', run 2 is the first [sweep-warnings]"));
}

// Readers take columns by name: no two have one.
TEST(Sweeps, NoTwoColumnsHaveOneName) {
  const Model model = model_of(R"(model Names
  parameter Real events = 1; parameter Real k = 1;
  Real x(start = 1, fixed = true); Real status = 2*x;
equation
  der(x) = -k*events*x;
end Names;
)");
  const auto columns = [&](std::vector<std::string> vary, std::vector<std::string> items) {
    return sweep(model, options_of(std::move(vary), std::move(items)))->columns;
  };
  EXPECT_THAT(columns({"x={1,2}"}, {}), ElementsAre("final(x)", "final(status)"));
  EXPECT_THAT(columns({"k={1,2}"}, {"x", "status", "x"}), ElementsAre("x", "final(status)"));
  EXPECT_THAT(columns({"k={1,2}"}, {"k", "x", "final(x)", "final(x)"}), ElementsAre("x", "final(x)"));
  for (const std::vector<std::string>& items : {std::vector<std::string>{"e=final(x)", "e=final(2*x)"},
                                                {"k=final(x)"},
                                                {"status=final(x)"},
                                                {"run=final(x)"},
                                                {"x=final(2*x)", "x"},
                                                {"x", "x=final(2*x)"}}) {
    EXPECT_THAT(error_of(model, options_of({"k={1,2}"}, items)),
                HasSubstr("is the name of another column [wrong-sweep]"))
        << items.back();
  }
  const test::TemporaryFolder folder;
  const Result<SweepResult> named = sweep(model, options_of({"events={1,2}"}, {"x"}));
  ASSERT_TRUE(named);
  EXPECT_FALSE(write_sweep_files(*named, {.folder = folder.path(), .npz = true}).has_errors());
  std::ifstream file(folder.file("sweep.csv"));
  std::string header;
  std::getline(file, header);
  EXPECT_EQ(header, "run,given(events),x,status,reason,end,events,warnings,message");
  const Result<ResultTable> table = read_result_table(folder.file("sweep.npz"));
  ASSERT_TRUE(table);
  EXPECT_THAT(table->find("given(events)")->values, ElementsAre(1.0, 2.0));
  EXPECT_THAT(table->find("events")->values, ElementsAre(0.0, 0.0));
}

// The table has the columns of the model as it is: what more a run has is told.
TEST(Sweeps, VariablesThatTheTableDoesNotHaveAreTold) {
  const test::TemporaryFolder folder;
  const Model model = model_of(R"(model Sizes
  parameter Integer n = 2; Real x[n](each start = 1, each fixed = true); Real s = sum(x);
equation
  for i in 1:n loop der(x[i]) = -i*x[i]; end for;
end Sizes;
)");
  SweepOptions options = options_of({"n={1,2,3}"}, {});
  options.trajectories = {"all"};
  options.trajectory_folder = folder.path();
  const Result<SweepResult> result = sweep(model, options);
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->ok()) << result->runs[0].message;
  EXPECT_EQ(result->runs[0].warnings, "");
  EXPECT_EQ(result->runs[1].warnings, "");
  EXPECT_EQ(result->runs[2].warnings, "variables-without-column");
  EXPECT_THAT(render_text(result->diagnostics), HasSubstr("1 of 3 runs have the warning"));
  std::ifstream file(folder.file("run_3/trajectory.csv"));
  std::string header;
  std::getline(file, header);
  EXPECT_EQ(header, "time,segment,mode,x[1],x[2],x[3],s");
  const Result<SweepResult> sums = sweep(model, options_of({"n={1,2,3}"}, {"s"}));
  EXPECT_EQ(sums->runs[2].warnings, "");
}

TEST(Sweeps, TrajectoriesThatWereRemovedAreMadeAgain) {
  const test::TemporaryFolder folder;
  SweepOptions options = options_of({"e={0.25,0.5}"}, {"v"});
  options.trajectories = {"v"};
  options.trajectory_folder = folder.file("runs");
  options.journal = folder.file("sweep.journal");
  ASSERT_TRUE(sweep(model_of(kBall), options));
  std::filesystem::remove_all(folder.file("runs/run_1"));
  const Result<SweepResult> again = sweep(model_of(kBall), options);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->n_from_journal, 1U);
  EXPECT_TRUE(std::filesystem::exists(folder.file("runs/run_1/trajectory.csv")));
}

TEST(Sweeps, TrajectoriesOfEveryRun) {
  const test::TemporaryFolder folder;
  const Model model = model_of(kBall);
  SweepOptions options = options_of({"e={0.25,0.5}"}, {"at_event(1, v)"});
  options.trajectories = {"v", "der(h)"};
  options.trajectory_folder = folder.file("runs");
  options.simulation.interval = 1.0;
  const Result<SweepResult> result = sweep(model, options);
  ASSERT_TRUE(result) << render_text(result.error());
  EXPECT_NEAR(result->values[0], 2.5, 1e-6);
  std::ifstream file(folder.file("runs/run_1/trajectory.csv"));
  std::string header;
  std::getline(file, header);
  EXPECT_EQ(header, "time,segment,mode,v,der(h)");
  EXPECT_TRUE(std::filesystem::exists(folder.file("runs/run_2/events.csv")));
}

}  // namespace
}  // namespace saltus
