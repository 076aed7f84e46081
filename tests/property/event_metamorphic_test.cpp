// Changes of a model with events, or of a run, that must not change what happens.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "support/hybrid_run.hpp"

namespace saltus::test {
namespace {

/// Kinds and times of all events to the last bit, and the final values of the named variables.
struct Fingerprint {
  std::vector<std::string> kinds;
  std::vector<double> times;
  std::vector<double> finals;
  friend bool operator==(const Fingerprint&, const Fingerprint&) = default;
};

Fingerprint fingerprint(const HybridRun& run, const std::vector<std::string>& names, double time_factor = 1) {
  Fingerprint all;
  for (const EventRecord& event : run.events) {
    all.kinds.push_back(event.kind);
    all.times.push_back(event.time * time_factor);
  }
  for (const std::string& name : names) {
    all.finals.push_back(run.final(name));
  }
  return all;
}

void expect_near(const Fingerprint& a, const Fingerprint& b, double within, const std::string& log) {
  EXPECT_EQ(a.kinds, b.kinds) << log;
  ASSERT_EQ(a.times.size(), b.times.size()) << log;
  for (std::size_t i = 0; i < a.times.size(); ++i) {
    EXPECT_NEAR(a.times[i], b.times[i], within) << i;
  }
  for (std::size_t i = 0; i < a.finals.size(); ++i) {
    EXPECT_NEAR(a.finals[i], b.finals[i], within) << i;
  }
}

// An oscillator with a relay, a clause, a slide: everything happens in 12 seconds.
struct Oscillator {
  std::string guard = "x - 0.25 > 0";
  std::string declarations = "";
  std::string equations = "";
  double speed = 1;

  [[nodiscard]] std::string text() const {
    const std::string c = number(speed);
    return "model M\n Real x(start = 1, fixed = true), v(start = 0, fixed = true), w(start = 1, fixed = "
           "true);\n"
           " Integer n(start = 0, fixed = true);\n" +
           declarations + "equation\n der(x) = " + c + "*v;\n der(v) = " + c + "*(-x + (if " + guard +
           " then 0.5 else -0.25));\n der(w) = " + c +
           "*(0.25*v - 0.5*sign(w));\n when x < -0.5 then\n  reinit(v, 0.75*pre(v));\n  n = pre(n) + 1;\n "
           "end when;\n" +
           equations + "end M;\n";
  }
};
const std::vector<std::string> kNames{"x", "v", "w", "n"};
const OptionList kOptions{{"stop", "12"},
                          {"tolerance", "1e-8"},
                          {"method", "dopri5"},
                          {"initial-step", "0.0625"},
                          {"interval", "0.5"}};

OptionList with(OptionList options, const std::string& name, const std::string& value) {
  for (auto& option : options) {
    if (option.first == name) {
      option.second = value;
      return options;
    }
  }
  options.emplace_back(name, value);
  return options;
}

TEST(EventMetamorphic, TheModelHasEventsOfManyKinds) {
  const HybridRun run = run_text(Oscillator{}.text(), kOptions);
  EXPECT_GE(run.count("condition"), 2U) << run.log();
  EXPECT_GE(run.count("when"), 1U);
  EXPECT_GE(run.count("slide_enter"), 1U);
}

TEST(EventMetamorphic, TwiceTheGuardIsTheSameSurface) {
  const Fingerprint expected = fingerprint(run_text(Oscillator{}.text(), kOptions), kNames);
  for (const char* guard :
       {"2*x - 0.5 > 0", "2*(x - 0.25) > 0", "0.25 < x", "not x <= 0.25", "x > 0.25", "0 < 4*x - 1"}) {
    const HybridRun run = run_text(Oscillator{.guard = guard}.text(), kOptions);
    expect_near(fingerprint(run, kNames), expected, 1e-12, guard + run.log());
  }
}

TEST(EventMetamorphic, TheOutputGridDoesNotChangeABitOfTheEvents) {
  const Fingerprint expected = fingerprint(run_text(Oscillator{}.text(), kOptions), kNames);
  for (const char* interval : {"12", "0.01", "0.7", "3"}) {
    EXPECT_EQ(fingerprint(run_text(Oscillator{}.text(), with(kOptions, "interval", interval)), kNames),
              expected)
        << interval;
  }
}

TEST(EventMetamorphic, TheSameRunTwiceIsTheSame) {
  const HybridRun a = run_text(Oscillator{}.text(), kOptions);
  const HybridRun b = run_text(Oscillator{}.text(), kOptions);
  EXPECT_EQ(fingerprint(a, kNames), fingerprint(b, kNames));
  ASSERT_EQ(a.rows.size(), b.rows.size());
  for (std::size_t i = 0; i < a.rows.size(); ++i) {
    EXPECT_EQ(a.rows[i].values, b.rows[i].values);
    EXPECT_EQ(a.rows[i].segment, b.rows[i].segment);
  }
}

TEST(EventMetamorphic, ScalingTimeByPowersOfTwoScalesTheBitsOfEventTimes) {
  const Fingerprint expected = fingerprint(run_text(Oscillator{}.text(), kOptions), kNames);
  OptionList options = with(kOptions, "stop", number(12.0 / 64));
  options = with(options, "initial-step", number(0.0625 / 64));
  options = with(options, "interval", number(0.5 / 64));
  const HybridRun fast = run_text(Oscillator{.speed = 64}.text(), options);
  EXPECT_EQ(fingerprint(fast, kNames, 64), expected) << fast.log();
}

TEST(EventMetamorphic, GuardsThatNeverFireChangeNothing) {
  const HybridRun plain = run_text(Oscillator{}.text(), kOptions);
  const HybridRun guarded =
      run_text(Oscillator{.declarations = " Integer k(start = 0, fixed = true);\n",
                          .equations = " when {x > 50, v > 70, w < -20, x + v > 90, x*v > 300, x^2 + v^2 > "
                                       "5000} then\n  k = 1;\n end when;\n"}
                   .text(),
               kOptions);
  EXPECT_EQ(fingerprint(guarded, kNames), fingerprint(plain, kNames)) << guarded.log();
  EXPECT_EQ(guarded.final("k"), 0);
  EXPECT_EQ(guarded.result.statistics.accepted_steps, plain.result.statistics.accepted_steps);
  EXPECT_EQ(guarded.result.statistics.rejected_steps, plain.result.statistics.rejected_steps);
}

TEST(EventMetamorphic, AClauseSplitInTwoIsTheSame) {
  const std::string head =
      "model M\n Real x(start = 0, fixed = true), v(start = 1, fixed = true);\n Integer n(start = 0, fixed = "
      "true);\n"
      " discrete Real last(start = 0, fixed = true);\nequation\n der(x) = v;\n der(v) = -x;\n";
  const HybridRun one = run_text(head +
                                     " when x > 0.5 then\n  reinit(v, 0.9*pre(v));\n  n = pre(n) + 1;\n  "
                                     "last = time;\n end when;\nend M;\n",
                                 {{"stop", "20"}, {"tolerance", "1e-8"}});
  const HybridRun two = run_text(
      head +
          " when x > 0.5 then\n  reinit(v, 0.9*pre(v));\n end when;\n when x > 0.5 then\n  n = pre(n) + 1;\n"
          "  last = time;\n end when;\nend M;\n",
      {{"stop", "20"}, {"tolerance", "1e-8"}});
  ASSERT_GE(one.final("n"), 3.0);
  for (const char* name : {"x", "v", "n", "last"}) {
    EXPECT_EQ(one.final(name), two.final(name)) << name << two.log();
  }
  EXPECT_EQ(two.count("when"), 2 * one.count("when"));
}

// x″ = -x ± 1/2 by the side of v: as a choice, as two modes, as two modes in the other order.
std::string as_choice() {
  return "model M\n Real x(start = 1, fixed = true), v(start = 0.25, fixed = true);\nequation\n der(x) = v;\n"
         " der(v) = -x + (if x > 0.25 then 0.5 else -0.5);\nend M;\n";
}
std::string as_modes(bool reversed) {
  const std::string common =
      "model M\n Real x(start = 1, fixed = true), v(start = 0.25, fixed = true);\nequation\n der(x) = v;\n";
  const std::string right =
      "initial mode right\n equation\n  der(v) = -x + 0.5;\n transition to left when x < 0.25;\nend right;\n";
  const std::string left =
      "mode left\n equation\n  der(v) = -x - 0.5;\n transition to right when x > 0.25;\nend left;\n";
  return common + (reversed ? left + right : right + left) + "end M;\n";
}

TEST(EventMetamorphic, AChoiceWrittenAsTwoModesIsTheSame) {
  const OptionList options{{"stop", "15"}, {"tolerance", "1e-9"}, {"method", "dopri5"}};
  const HybridRun choice = run_text(as_choice(), options);
  const HybridRun modes = run_text(as_modes(false), options);
  ASSERT_GE(choice.count("condition"), 3U) << choice.log();
  ASSERT_EQ(choice.times("condition").size(), modes.times("transition").size()) << modes.log();
  for (std::size_t i = 0; i < choice.times("condition").size(); ++i) {
    EXPECT_NEAR(choice.times("condition")[i], modes.times("transition")[i], 1e-12);
  }
  EXPECT_NEAR(choice.final("x"), modes.final("x"), 1e-12);
  EXPECT_NEAR(choice.final("v"), modes.final("v"), 1e-12);
}

TEST(EventMetamorphic, TheOrderOfModesDoesNotMatter) {
  const OptionList options{{"stop", "15"}, {"tolerance", "1e-9"}, {"method", "dopri5"}};
  EXPECT_EQ(fingerprint(run_text(as_modes(true), options), {"x", "v"}),
            fingerprint(run_text(as_modes(false), options), {"x", "v"}));
}

TEST(EventMetamorphic, TheOrderOfStatesDoesNotMatter) {
  const std::string equations =
      "equation\n der(x) = v;\n der(v) = -x + (if x > 0.25 then 0.5 else -0.25);\n der(w) = 0.25*v - "
      "0.5*sign(w);\nend M;\n";
  const std::vector<std::string> names{"x", "v", "w"};
  const OptionList options{{"stop", "12"}, {"tolerance", "1e-9"}, {"method", "dopri5"}};
  const HybridRun first = run_text(
      "model M\n Real x(start = 1, fixed = true);\n Real v(start = 0, fixed = true);\n Real w(start = 1, "
      "fixed = true);\n" +
          equations,
      options);
  const HybridRun second = run_text(
      "model M\n Real w(start = 1, fixed = true);\n Real v(start = 0, fixed = true);\n Real x(start = 1, "
      "fixed = true);\n" +
          equations,
      options);
  expect_near(fingerprint(second, names), fingerprint(first, names), 1e-10, second.log());
}

TEST(EventMetamorphic, StartTimeOfABillionShiftsTheEvents) {
  const HybridRun near = run_text(Oscillator{}.text(), kOptions);
  OptionList options = with(with(kOptions, "start", "1e9"), "stop", "1000000012");
  const HybridRun far = run_text(Oscillator{}.text(), options);
  ASSERT_EQ(near.events.size(), far.events.size()) << far.log();
  for (std::size_t i = 0; i < near.events.size(); ++i) {
    EXPECT_EQ(near.events[i].kind, far.events[i].kind);
    EXPECT_NEAR(near.events[i].time, far.events[i].time - 1e9, 2.5e-7)
        << "the spacing of doubles at 1e9 is 1.2e-7";
  }
  // The state does not feel it: time is compensated.
  for (const std::string& name : kNames) {
    EXPECT_NEAR(near.final(name), far.final(name), 1e-9) << name;
  }
}

TEST(EventMetamorphic, AMirroredModelHasTheMirroredEvents) {
  // x → −x exchanges the sides of every guard.
  const auto text = [](double s) {
    return "model M\n Real x(start = " + number(s) +
           ", fixed = true), v(start = 0, fixed = true);\nequation\n der(x) = v;\n"
           " der(v) = -2*sign(x) - 0.5*sign(v);\nend M;\n";
  };
  const OptionList options{{"stop", "3"}, {"tolerance", "1e-9"}};
  const HybridRun plain = run_text(text(1), options);
  const HybridRun mirrored = run_text(text(-1), options);
  ASSERT_GE(plain.events.size(), 3U) << plain.log();
  ASSERT_EQ(plain.events.size(), mirrored.events.size()) << mirrored.log();
  for (std::size_t i = 0; i < plain.events.size(); ++i) {
    EXPECT_EQ(plain.events[i].kind, mirrored.events[i].kind);
    EXPECT_NEAR(plain.events[i].time, mirrored.events[i].time, 1e-13);
  }
  EXPECT_NEAR(plain.final("x"), -mirrored.final("x"), 1e-13);
}

TEST(EventMetamorphic, AllEventsAreFoundAtEveryTolerance) {
  // All events at every tolerance, and their times converge.
  std::size_t n_events = 0;
  double previous = 1;
  const HybridRun exact = run_text(Oscillator{}.text(), with(kOptions, "tolerance", "1e-12"));
  for (const char* tolerance : {"1e-3", "1e-5", "1e-7", "1e-9"}) {
    const HybridRun run = run_text(Oscillator{}.text(), with(kOptions, "tolerance", tolerance));
    ASSERT_EQ(run.events.size(), exact.events.size()) << tolerance << run.log();
    double error = 0;
    for (std::size_t i = 0; i < run.events.size(); ++i) {
      EXPECT_EQ(run.events[i].kind, exact.events[i].kind);
      error = std::max(error, std::abs(run.events[i].time - exact.events[i].time));
    }
    EXPECT_LT(error, 100 * std::stod(tolerance));
    EXPECT_LE(error, previous);
    previous = error;
    n_events += run.events.size();
  }
  EXPECT_GT(n_events, 0U);
}

}  // namespace
}  // namespace saltus::test
