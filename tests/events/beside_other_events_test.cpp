// Events beside the times of clauses that have nothing to do with them: at the same instant, a few roundings beside it, a little before and
// after (docs/semantics.md 1.2, 5.3). Reference: the run without those clauses.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "support/hybrid_run.hpp"

namespace saltus::test {
namespace {

struct Disturbed {
  const char* name;
  const char* text;  // %D: declarations, %E: equations
  const char* watched;
};

constexpr std::array kModels{
    Disturbed{"Rim",
              "model Rim\n parameter Real k = 0.5;\n Real h(start = 0.5, fixed = true), inflow = 0.5 + "
              "0.4*sin(time), outflow, over;\n%D\nequation\n der(h) = inflow - outflow - over;\n outflow = "
              "k*sqrt(h);\n%E\ninitial mode below\n equation\n  over = 0;\n transition to full when h > "
              "1;\nend below;\nmode full\n equation\n  h = 1;\n transition to below when over < 0;\nend "
              "full;\n annotation(experiment(StopTime = 20, Tolerance = 1e-8));\nend Rim;\n",
              "h"},
    Disturbed{"Peak",
              "model Peak\n Real v(start = 0), vd, i;\n%D\nequation\n 10*sin(50*time) = vd + v;\n "
              "1e-3*der(v) = i - v/100;\n%E\ninitial mode conducting\n equation\n  vd = 0;\n transition to "
              "blocking when i < 0;\nend conducting;\nmode blocking\n equation\n  i = 0;\n transition to "
              "conducting when vd > 0;\nend blocking;\n annotation(experiment(StopTime = 0.5, Tolerance = "
              "1e-8));\nend Peak;\n",
              "v"},
    Disturbed{"Complementarity",
              "model Complementarity\n Real v(start = 0, fixed = true), vd, i;\n%D\nequation\n "
              "10*sin(50*time) = vd + v;\n 1e-3*der(v) = i - v/100;\n 0 = min(i, -vd);\n%E\n "
              "annotation(experiment(StopTime = 0.5, Tolerance = 1e-8));\nend Complementarity;\n",
              "v"},
    Disturbed{"Clutch",
              "model Clutch\n Real w1(start = 100, fixed = true), w2(start = 0, fixed = true), torque, "
              "press;\n Real load = if time > 6 and time < 7 then 60 else 2;\n%D\nequation\n press = "
              "min(time, 1);\n 0.2*der(w1) = 5 + 10*sin(2*time) - torque;\n 0.5*der(w2) = torque - load - "
              "0.1*w2;\n%E\ninitial mode faster\n equation\n  torque = 20*press;\n transition to locked "
              "when w1 < w2;\nend faster;\nmode locked\n equation\n  w1 = w2;\n transition to faster when "
              "torque > 24*press;\n transition to slower when torque < -24*press;\nend locked;\nmode "
              "slower\n equation\n  torque = -20*press;\n transition to locked when w1 > w2;\nend "
              "slower;\n annotation(experiment(StopTime = 10, Tolerance = 1e-8));\nend Clutch;\n",
              "w1"},
    // Neither side is defined beyond its surface.
    Disturbed{"Surface",
              "model Surface\n Real y1(start = -0.75, fixed = true), y2(start = -1 - sin(1.5), fixed = "
              "true);\n Real g = y2 - 0.2 - sin(2*y1), u = -sign(g)/(1 + abs(g)^1.5);\n%D\nequation\n "
              "der(y1) = y2 - sin(2*y1);\n der(y2) = 2*cos(2*y1)*(y2 - sin(2*y1)) - y1 + u;\n%E\n "
              "annotation(experiment(StopTime = 30, Tolerance = 1e-8));\nend Surface;\n",
              "y1"},
    Disturbed{"Ball",
              "model Ball\n Real h(start = 1, fixed = true), v(start = 0, fixed = true);\n%D\nequation\n "
              "der(h) = v;\n der(v) = -9.81;\n when h <= 0 and v < 0 then\n  reinit(v, -0.8*pre(v));\n end "
              "when;\n%E\n annotation(experiment(StopTime = 2.5, Tolerance = 1e-8));\nend Ball;\n",
              "h"},
};

constexpr double kTolerance = 1e-8;
// Steps end elsewhere, so that errors are others.
constexpr double kMostTolerances = 100.0;
constexpr std::size_t kMostTimes = 5;
// Beside an event, in parts of its time: one and the same, roundings, what location leaves, and beyond.
constexpr std::array kBeside{0.0, 2e-16, 1e-15, 1e-14, 1e-13, 1e-12, 1e-10, 1e-8};

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  return text.replace(text.find(what), what.size(), by);
}

std::string disturbed(const Disturbed& model, const std::string& declarations, const std::string& equations) {
  return replaced(replaced(model.text, "%D", declarations), "%E", equations);
}

// Times of clauses apart, and kinks that return, which share their instants with others.
std::map<std::string, int> counts(const HybridRun& run) {
  std::map<std::string, int> found;
  for (const EventRecord& event : run.events) {
    if (event.kind != "time" && event.detail.find("returned") == std::string::npos) {
      ++found[event.kind + " " + event.guard + " " + event.from + "-" + event.to];
    }
  }
  return found;
}

class BesideOtherEvents : public ::testing::TestWithParam<Disturbed> {};
INSTANTIATE_TEST_SUITE_P(Models, BesideOtherEvents, ::testing::ValuesIn(kModels),
                         [](const auto& model) { return std::string(model.param.name); });

TEST_P(BesideOtherEvents, TimesOfClausesChangeNothing) {
  for (const char* const method : {"auto", "dopri5", "radau5", "sdirk4", "bdf"}) {
    const OptionList options{{"method", method}};
    const HybridRun alone = run_text(disturbed(GetParam(), "", ""), options);
    ASSERT_EQ(alone.result.status, SimulationStatus::success) << method << alone.log();
    std::vector<double> times;
    for (const EventRecord& event : alone.events) {
      if (event.time > 0.0 && times.size() < kMostTimes && (times.empty() || event.time > times.back())) {
        times.push_back(event.time);
      }
    }
    ASSERT_FALSE(times.empty());
    for (const double beside : kBeside) {
      std::string conditions;
      for (std::size_t k = 0; k < times.size(); ++k) {
        conditions +=
            (k == 0 ? "time >= " : ", time >= ") + number(times[k] * (1.0 + (k % 2 == 0 ? beside : -beside)));
      }
      const HybridRun run =
          run_text(disturbed(GetParam(), " Integer n(start = 0, fixed = true);",
                             " when {" + conditions + "} then\n  n = pre(n) + 1;\n end when;"),
                   options);
      const std::string label = std::string(method) + " beside by " + number(beside) + ": " + run.log();
      ASSERT_EQ(run.result.status, SimulationStatus::success) << label;
      EXPECT_EQ(run.final("n"), static_cast<double>(times.size())) << label;
      EXPECT_EQ(counts(run), counts(alone)) << label;
      const double expected = alone.final(GetParam().watched);
      EXPECT_NEAR(run.final(GetParam().watched), expected,
                  kMostTolerances * kTolerance * (1.0 + std::abs(expected)))
          << label;
    }
  }
}

}  // namespace
}  // namespace saltus::test
