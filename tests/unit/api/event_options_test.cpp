// Options about events: from texts, from annotations, and what is wrong with them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/options/event_options.hpp"
#include "api/options/run_settings.hpp"
#include "saltus/simulate.hpp"

namespace saltus {
namespace {

using ::testing::HasSubstr;

SimulationOptions options_of(std::initializer_list<std::pair<const char*, const char*>> texts) {
  SimulationOptions options;
  for (const auto& [name, value] : texts) {
    const Diagnostics problems = set_option(options, name, value);
    EXPECT_TRUE(problems.empty()) << render_text(problems);
  }
  return options;
}

std::string problem_of(const char* name, const char* value) {
  SimulationOptions options;
  Diagnostics problems = set_option(options, name, value);
  problems.append(validate(options));
  return problems.empty() ? "" : problems.items()[0].message;
}

TEST(EventOptions, TextsReachTheRun) {
  const SimulationOptions options = options_of({{"sliding", "hysteresis"},
                                                {"sliding-rule", "convex"},
                                                {"detection", "7"},
                                                {"concurrency", "1e-3,0.5"},
                                                {"zeno", "continue"},
                                                {"chattering", "stop"},
                                                {"dwell", "0.25"},
                                                {"max-events", "1e4"},
                                                {"max-rounds", "12"},
                                                {"explain-event", "3"}});
  EXPECT_TRUE(validate(options).empty());
  hybrid::Options run;
  api::translate_event_options(options, run);
  EXPECT_EQ(run.sliding, hybrid::Sliding::hysteresis);
  EXPECT_EQ(run.sliding_rule, hybrid::SlidingRule::convex);
  EXPECT_EQ(run.detection.rule, locate::Detection::Rule::samples);
  EXPECT_EQ(run.detection.n_samples, 7);
  ASSERT_TRUE(run.concurrency);
  EXPECT_EQ(run.concurrency->time, 1e-3);
  EXPECT_EQ(run.concurrency->amplitude, 0.5);
  EXPECT_EQ(run.zeno, hybrid::Zeno::keep_on);
  EXPECT_EQ(run.chattering, hybrid::Chattering::stop);
  EXPECT_EQ(run.dwell, 0.25);
  EXPECT_EQ(run.max_events, 10'000);
  EXPECT_EQ(run.max_rounds, 12);
  EXPECT_EQ(run.explain_event, 3);
}

TEST(EventOptions, DefaultsAreThoseOfTheDocument) {
  hybrid::Options run;
  api::translate_event_options({}, run);
  EXPECT_EQ(run.sliding, hybrid::Sliding::on);
  EXPECT_EQ(run.sliding_rule, hybrid::SlidingRule::automatic);
  EXPECT_EQ(run.detection.rule, locate::Detection::Rule::bound);
  EXPECT_FALSE(run.concurrency);
  EXPECT_FALSE(run.shifted_location);
  EXPECT_EQ(run.zeno, hybrid::Zeno::rest);
  EXPECT_EQ(run.chattering, hybrid::Chattering::report);
  EXPECT_EQ(run.dwell, 0.0);
  EXPECT_EQ(run.max_events, 1'000'000);
  EXPECT_EQ(run.max_rounds, 1000);
  EXPECT_EQ(run.explain_event, 0);
}

TEST(EventOptions, WrongValuesAreNamed) {
  EXPECT_EQ(problem_of("sliding", "yes"), "--sliding takes one of on, off, hysteresis, not 'yes'");
  EXPECT_EQ(problem_of("sliding-rule", "filippov"),
            "--sliding-rule takes one of blend, convex, not 'filippov'");
  EXPECT_EQ(problem_of("zeno", "go"), "--zeno takes one of rest, stop, continue, not 'go'");
  EXPECT_EQ(problem_of("chattering", ""), "--chattering takes one of report, stop, off, not ''");
  EXPECT_THAT(problem_of("detection", "1"), HasSubstr("bound, ends, stages or a whole number from 2"));
  EXPECT_THAT(problem_of("detection", "often"), HasSubstr("not 'often'"));
  EXPECT_EQ(problem_of("concurrency", "1e-3"), "--concurrency takes two numbers TIME,AMPLITUDE, not '1e-3'");
  EXPECT_THAT(problem_of("concurrency", "0,1"), HasSubstr("a positive time and a positive amplitude"));
  EXPECT_EQ(problem_of("dwell", "-0.5"), "--dwell must not be negative, as -0.5 is");
  EXPECT_EQ(problem_of("max-events", "0"), "--max-events must be at least 1, not 0");
  EXPECT_EQ(problem_of("max-rounds", "1.5"), "--max-rounds takes a whole number, not '1.5'");
  EXPECT_EQ(problem_of("explain-event", "0"), "--explain-event must be at least 1, not 0");
}

TEST(EventOptions, ARuleWithoutSlidingIsAWarning) {
  const Diagnostics found = validate(options_of({{"sliding", "off"}, {"sliding-rule", "convex"}}));
  ASSERT_EQ(found.items().size(), 1U);
  EXPECT_EQ(found.items()[0].severity, Severity::warning);
  EXPECT_EQ(found.items()[0].code, "option-without-effect");
}

TEST(EventOptions, OrderChoosesAMethodOrMustBeItsOrder) {
  EXPECT_TRUE(validate({.method = "dopri5", .order = 5}).empty());
  EXPECT_EQ(validate({.method = "dopri5", .order = 4}).items()[0].message,
            "--order 4: the method 'dopri5' has order 5");
  EXPECT_THAT(validate(SimulationOptions{.order = 9}).items()[0].message, HasSubstr("no method of order 9"));
  const Model model =
      Model::from_text("m.mo", "model M Real x(start = 1, fixed = true); equation der(x) = -x; end M;")
          .value();
  EXPECT_EQ(simulate(model, {.order = 8}).value().statistics.method, "fehlberg78");
  EXPECT_EQ(simulate(model, {.order = 4, .step = 0.1}).value().statistics.method, "rk4");
}

TEST(EventOptions, AnnotationsTakeTheSameNamesAndOptionsWin) {
  const Model model =
      Model::from_text(
          "m.mo",
          "model M Real x(start = 1, fixed = true); equation der(x) = -x;\n"
          "annotation(__saltus(sliding = \"off\", zeno = \"rest\", dwell = 0.5, concurrency = \"1,2\"));"
          " end M;")
          .value();
  Diagnostics problems;
  const api::RunSettings settings = api::resolve(model, {.zeno = Zeno::go_on}, problems);
  EXPECT_TRUE(problems.empty()) << render_text(problems);
  EXPECT_EQ(settings.events.sliding, hybrid::Sliding::off);
  EXPECT_EQ(settings.events.zeno, hybrid::Zeno::keep_on);
  EXPECT_EQ(settings.events.dwell, 0.5);
  EXPECT_EQ(settings.events.concurrency->amplitude, 2.0);
}

TEST(EventOptions, WrongAnnotationsAreErrorsWithTheirPlace) {
  const Model model = Model::from_text("m.mo",
                                       "model M Real x(start = 1, fixed = true); equation der(x) = -x;\n"
                                       "annotation(__saltus(sliding = \"perhaps\")); end M;")
                          .value();
  const Diagnostics problems = validate(model, {});
  ASSERT_EQ(problems.n_errors(), 1U);
  EXPECT_EQ(problems.items()[0].message, "--sliding takes one of on, off, hysteresis, not 'perhaps'");
  EXPECT_TRUE(problems.items()[0].span);
}

}  // namespace
}  // namespace saltus
