// Runs with other values on code that was compiled for values before them: the same, bit for bit, as runs of a model that is compiled for
// these values alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "api/model/model_data.hpp"
#include "saltus/model.hpp"
#include "saltus/simulate.hpp"
#include "support/source_folder.hpp"

namespace saltus {
namespace {

using Values = std::vector<SetValue>;

// Everything that a run says but its wall time; numbers by their bits. With the numbers of modes only where that is asked for: they take an
// analysis by ranks.
std::string record(const Model& model, SimulationOptions options, const Values& set,
                   bool with_modes = false) {
  options.set = set;
  const Result<SimulationResult> run = simulate(model, options);
  if (!run) {
    return render_text(run.error());
  }
  std::string text =
      std::string(to_string(run->reason)) + "|" + run->message + "|" + render_text(run->diagnostics);
  const auto add = [&text](std::span<const double> numbers) {
    for (const double number : numbers) {
      const auto bits = std::bit_cast<std::uint64_t>(number);
      text.append(reinterpret_cast<const char*>(&bits), sizeof bits);
    }
  };
  add(run->final_values);
  for (std::size_t row = 0; row < run->trajectory.n_rows(); ++row) {
    add(run->trajectory.times().subspan(row, 1));
    add(run->trajectory.row(row));
  }
  for (const Event event : run->events) {
    add(std::span(&event.time, 1));
    text.append(event.guard).append(event.from).append(event.to).append(event.detail);
  }
  for (const ParameterValue& parameter : run->parameters) {
    const auto* const number = std::get_if<double>(&parameter.value);
    add(std::span(number, number == nullptr ? 0 : 1));
  }
  for (const VariableInfo& variable : run->variables) {
    const double start = variable.start.value_or(-1.0);
    add(std::span(&start, 1));
    add(std::span(&variable.nominal, 1));
  }
  for (std::size_t i = 0; with_modes && i < run->modes.size(); ++i) {
    const ModeSpan& span = run->modes[i];
    for (const std::int64_t number : {span.index, span.d, span.a, span.u, span.v}) {
      text += std::to_string(number) + ",";
    }
  }
  text += std::to_string(run->statistics.accepted_steps) + "/" +
          std::to_string(run->statistics.guard_evaluations);
  return text;
}

// Every Real parameter that can be set, each by a factor of its own near 1; and the start of the first state.
Values changed(const Model& model, double by, bool sets_start) {
  Values set;
  for (const ParameterInfo& parameter : model.parameters()) {
    if (parameter.type == ValueType::real && parameter.is_settable && !parameter.is_structural &&
        parameter.value && *parameter.value != 0.0) {
      set.push_back({parameter.name, *parameter.value * (1.0 + by / static_cast<double>(1 + set.size()))});
    }
  }
  for (const VariableInfo& variable : model.variables()) {
    if (sets_start && variable.type == ValueType::real && !variable.is_discrete && variable.is_fixed) {
      set.push_back({variable.name, variable.start.value_or(0.0) + by});
      break;
    }
  }
  return set;
}

std::vector<std::string> example_files() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(test::source_folder() + "/examples")) {
    if (entry.path().extension() == ".mo" || entry.path().extension() == ".saltus") {
      files.push_back(entry.path().string());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

// Ten percent of the model's own time, and no long runs: what is compared is done to all of it.
SimulationOptions short_run(const Model& model) {
  SimulationOptions options;
  const double start = model.experiment().start.value_or(0.0);
  options.stop = start + 0.1 * (model.experiment().stop.value_or(start + 1.0) - start);
  options.max_steps = 300;
  options.keep_rows = true;
  return options;
}

class EveryExample : public testing::TestWithParam<std::string> {};

TEST_P(EveryExample, RunsAlikeOnCodeOfOtherValues) {
  const Model shared = Model::load(GetParam()).value();
  const SimulationOptions options = short_run(shared);
  const Values some = changed(shared, 1e-3, false);
  const Values others = changed(shared, -2e-3, true);
  (void)record(shared, options, {});
  (void)record(shared, options, changed(shared, 5e-3, true));
  const std::string first = record(shared, options, some);
  EXPECT_EQ(first == record(Model::load(GetParam()).value(), options, some), true);
  const std::string second = record(shared, options, others);
  EXPECT_EQ(second == record(Model::load(GetParam()).value(), options, others), true);
  EXPECT_EQ(first == record(shared, options, some), true) << "whatever came between";
}

INSTANTIATE_TEST_SUITE_P(ParameterReuse, EveryExample, testing::ValuesIn(example_files()),
                         [](const auto& example) {
                           std::string name = std::filesystem::path(example.param).filename().string();
                           std::replace(name.begin(), name.end(), '.', '_');
                           return name;
                         });

// A zero that changes the index, a Boolean and an Integer that choose equations, values for which a matrix is singular, a clock, a
// start, a nominal value, the initial mode.
const char* const kMany = R"(
model Many
  parameter Real L = 0.5;
  parameter Real R = 2;
  parameter Real R1 = 3;
  parameter Real R2 = 4;
  parameter Real size = 1;
  parameter Real offset = 2*L - 1;
  parameter Real period = 0.13;
  parameter Boolean fast = true;
  parameter Integer which = 1;
  Real i(start = 0.1, nominal = size);
  Real a;
  Real b;
  discrete Real n(start = 0);
equation
  L*der(i) = (if fast then 2 else 1)*sin(3*time) - R*i + offset;
  R1*a + b = i;
  R2*a + (if which == 2 then 2 else 1)*b = 1 + time;
  when sample(0.01, period) then
    n = pre(n) + i;
  end when;
end Many;)";

const std::vector<Values> kSets = {
    {},
    {{"R", 2.5}},
    {{"L", 0.0}},
    {{"L", 0.0}, {"R", 3.0}},
    {{"L", 0.25}, {"offset", 0.0}},
    {{"fast", 0.0}},
    {{"fast", 0.0}, {"which", 2.0}},
    {{"R2", 3.0}},  // singular: found in the run
    {{"R2", 3.0}, {"which", 2.0}},
    {{"period", 0.05}},
    {{"period", 0.0}},  // refused
    {{"i", 0.7}},
    {{"i", 0.0}, {"size", 10.0}},
    {{"i", -0.3}, {"n", 5.0}, {"period", 0.2}},
    {{"R", 0.0}, {"R1", 0.0}},
};

SimulationOptions with_rows(const std::string& method) {
  SimulationOptions options;
  options.method = method;
  options.keep_rows = true;
  return options;
}

TEST(ParameterReuse, SignaturesThatDiffer) {
  for (const char* const method : {"auto", "radau5", "bdf"}) {
    const SimulationOptions options = with_rows(method);
    const Model shared = Model::from_text("many.mo", kMany).value();
    for (int round = 0; round < 2; ++round) {
      for (std::size_t i = 0; i < kSets.size(); ++i) {
        const Model fresh = Model::from_text("many.mo", kMany).value();
        EXPECT_EQ(record(shared, options, kSets[i], true) == record(fresh, options, kSets[i], true), true)
            << method << ", set " << i << ", round " << round;
      }
    }
  }
}

TEST(ParameterReuse, ThreadsShareOneModel) {
  const Model shared = Model::from_text("many.mo", kMany).value();
  std::vector<std::string> expected;
  std::vector<std::string> found(kSets.size());
  for (const Values& set : kSets) {
    expected.push_back(record(Model::from_text("many.mo", kMany).value(), with_rows("radau5"), set));
  }
  std::vector<std::thread> threads;
  for (std::size_t first = 0; first < 4; ++first) {
    threads.emplace_back([&, first] {
      for (std::size_t i = first; i < kSets.size(); i += 4) {
        found[i] = record(shared, with_rows("radau5"), kSets[i]);
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  for (std::size_t i = 0; i < kSets.size(); ++i) {
    EXPECT_EQ(found[i] == expected[i], true) << "set " << i;
  }
}

const char* const kChain = R"(
model Chain
  parameter Integer n = 2;
  parameter Real k[6] = fill(1, 6);
  Real x[n](each start = 1);
equation
  for i in 1:n loop
    der(x[i]) = -k[i]*x[i];
  end for;
end Chain;)";

TEST(ParameterReuse, StructuralParametersHaveModelsOfTheirOwn) {
  const Model shared = Model::from_text("chain.mo", kChain).value();
  for (int round = 0; round < 2; ++round) {
    for (int n = 1; n <= 6; ++n) {
      const Values set = {{"n", static_cast<double>(n)}, {"k[1]", 0.5 * round}};
      const Model fresh = Model::from_text("chain.mo", kChain).value();
      EXPECT_EQ(record(shared, with_rows("auto"), set) == record(fresh, with_rows("auto"), set), true) << n;
    }
  }
}

TEST(ParameterReuse, CodeIsKeptForABoundedNumberOfSignatures) {
  const Model shared = Model::from_text("chain.mo", kChain).value();
  const auto compiled = (*shared.data().elaborated({{"n", {.shape = {}, .numbers = {6.0}}}}))->compiled;
  for (int zeros = 0; zeros < 64; ++zeros) {
    Values set = {{"n", 6.0}};
    for (int i = 0; i < 6; ++i) {
      set.push_back({"k[" + std::to_string(i + 1) + "]", (zeros >> i) % 2 == 0 ? 1.0 : 0.0});
    }
    const Result<SimulationResult> run = simulate(shared, {.set = set});
    ASSERT_TRUE(run && run->ok());
    EXPECT_EQ(run->final_value("x[1]") == 1.0, zeros % 2 == 1);
    EXPECT_LE(compiled->n_kept(), program::kMostSignatures);
  }
  EXPECT_EQ(compiled->n_kept(), program::kMostSignatures);
  // Other numbers, the same signature.
  const program::CompiledModel one(compiled->flat());
  for (const double k : {0.5, 1.5, -2.0}) {
    ASSERT_TRUE(one.system({{"k[1]", k}, {"x[2]", k}}));
    EXPECT_EQ(one.n_kept(), 1U);
  }
  ASSERT_TRUE(one.system({{"k[1]", 0.0}, {"x[2]", 1.0}}));
  EXPECT_EQ(one.n_kept(), 2U);
}

// Inputs that tables or functions drive, and those that are set from outside, are equations of a model that is compiled once.
TEST(ParameterReuse, DrivenModelsAreCompiledOnce) {
  const std::string text =
      "model Driven\n parameter Real k = 2;\n input Real u(start = 0);\n Real x(start = 1, fixed = true);\n"
      "equation\n der(x) = k*u - x;\n annotation(experiment(StopTime = 2));\nend Driven;\n";
  const Model model = Model::from_text("driven.mo", text).value();
  const InputTable table{.times = {0.0, 1.0, 2.0}, .columns = {{"u", {0.0, 1.0, -1.0}}}};
  InputTable other = table;
  other.columns[0].values[1] = 2.0;
  const auto compiled = [&](const Values& set, const api::InputSettings& inputs) {
    return api::instantiate(model.data(), set, inputs).value().compiled;
  };
  const api::InputSettings by_table{.tables = {table}, .rule = {}, .rule_of = {}};
  EXPECT_EQ(compiled({}, by_table), compiled({{"k", 3.0}}, by_table));
  EXPECT_NE(compiled({}, by_table), compiled({}, {.tables = {other}, .rule = {}, .rule_of = {}}));
  EXPECT_NE(compiled({}, by_table),
            compiled({}, {.tables = {table}, .rule = InputRule::hold, .rule_of = {}}));
  const api::InputSettings open{.tables = {}, .rule = {}, .rule_of = {}, .is_open = true};
  EXPECT_EQ(compiled({}, open), compiled({}, open));
  EXPECT_NE(compiled({}, open), compiled({{"u", 3.0}}, open)) << "it begins with another value";
  const InputFunction wave{.name = "u", .value = [](double t) { return std::sin(3.0 * t); }};
  for (const double k : {2.0, 5.0, 0.0, 2.0}) {
    const Model fresh = Model::from_text("driven.mo", text).value();
    const SimulationOptions tables{.inputs = {table}};
    EXPECT_EQ(record(model, tables, {{"k", k}}), record(fresh, tables, {{"k", k}})) << k;
    const SimulationOptions functions{.input_functions = {wave}};
    EXPECT_EQ(record(model, functions, {{"k", k}}), record(fresh, functions, {{"k", k}})) << k;
  }
}

}  // namespace
}  // namespace saltus
