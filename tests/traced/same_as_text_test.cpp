// Models written twice, as text and as ordinary C++ functions: the same events, the same values, the same equations.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "support/flat_print.hpp"
#include "traced/model_pair.hpp"

#include "api/model/model_data.hpp"

namespace saltus::traced_test {
namespace {

constexpr double kTolerance = 1e-8;

class SameAsText : public testing::TestWithParam<ModelPair> {};

std::vector<std::string> event_texts(const SimulationResult& result) {
  std::vector<std::string> list;
  for (const Event event : result.events) {
    list.push_back(fmt::format("{} {} {} {}", to_string(event.kind), event.from, event.to, event.guard));
  }
  return list;
}

TEST_P(SameAsText, EventsAndValues) {
  const ModelPair& pair = GetParam();
  const Model text = from_text(pair);
  TracedModel tracer = traced(pair);
  const Model function = tracer.build().value();
  EXPECT_TRUE(tracer.statistics().is_complete);
  const SimulationOptions options{.stop = pair.stop, .tolerance = kTolerance};
  const SimulationResult expected = simulate(text, options).value();
  const SimulationResult found = simulate(function, options).value();
  ASSERT_EQ(expected.status, SimulationStatus::success) << expected.message;
  ASSERT_EQ(found.status, SimulationStatus::success) << found.message;
  EXPECT_EQ(found.events.size(), expected.events.size());
  if (!pair.has_other_guard) {
    EXPECT_EQ(event_texts(found), event_texts(expected));
  }
  for (auto a = expected.events.begin(), b = found.events.begin();
       a != expected.events.end() && b != found.events.end(); ++a, ++b) {
    EXPECT_NEAR((*a).time, (*b).time, 100.0 * kTolerance * pair.stop) << (*a).guard;
  }
  for (const VariableInfo& variable : text.variables()) {
    const double value = expected.final_value(variable.name);
    EXPECT_NEAR(found.final_value(variable.name), value, 1e3 * kTolerance * (1.0 + std::abs(value)))
        << variable.name;
  }
}

TEST_P(SameAsText, Sensitivities) {
  const ModelPair& pair = GetParam();
  const Model text = from_text(pair);
  TracedModel tracer = traced(pair);
  const Model function = tracer.build().value();
  SimulationOptions options{.stop = pair.stop, .tolerance = kTolerance};
  options.sensitivities = {"starts"};
  const Result<SimulationResult> expected = simulate(text, options);
  const Result<SimulationResult> found = simulate(function, options);
  ASSERT_EQ(expected.has_value(), found.has_value());
  if (!expected) {
    return;  // there are no states
  }
  const Sensitivities& a = *expected->sensitivities;
  const Sensitivities& b = *found->sensitivities;
  for (std::size_t v = 0; v < text.variables().size(); ++v) {
    const std::string& name = text.variables()[v].name;
    std::size_t other = 0;
    while (other < function.variables().size() && function.variables()[other].name != name) {
      ++other;
    }
    for (std::size_t k = 0; k < a.parameters.size() && other < function.variables().size(); ++k) {
      const double right = a.final_values[v * a.parameters.size() + k];
      const auto column = static_cast<std::size_t>(b.parameter(a.parameters[k]));
      const double value = b.final_values[other * b.parameters.size() + column];
      EXPECT_EQ(std::isnan(value), std::isnan(right)) << name << ' ' << a.parameters[k];
      if (!std::isnan(right) && !std::isnan(value)) {
        EXPECT_NEAR(value, right, 1e4 * kTolerance * (1.0 + std::abs(right)))
            << name << ' ' << a.parameters[k];
      }
    }
  }
}

TEST_P(SameAsText, TheProgramsAreTheSame) {
  const ModelPair& pair = GetParam();
  std::string text = flat::print(*from_text(pair).data().flat);
  TracedModel tracer = traced(pair);
  std::string function = flat::print(*tracer.build().value().data().flat);
  if (pair.has_other_program) {
    EXPECT_NE(text, function);  // else the exception is none
  } else {
    EXPECT_EQ(text, function);
  }
}

INSTANTIATE_TEST_SUITE_P(Models, SameAsText, testing::ValuesIn(all_pairs()),
                         [](const testing::TestParamInfo<ModelPair>& pair) { return pair.param.name; });

}  // namespace
}  // namespace saltus::traced_test
