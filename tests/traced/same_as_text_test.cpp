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
