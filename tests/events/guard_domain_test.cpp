// Guards that have no value beyond another event which the same step reaches: what crosses before is found all the same.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "support/hybrid_run.hpp"

namespace saltus::test {
namespace {

struct Inner {
  const char* text;  ///< true above x = 1, without a value below 0 or little more
};

// x falls with slope -1 from 4 to 1, then with -0.5, and the run ends at x = 0.25. The step that an explicit method takes goes far below.
TEST(GuardsBeyondTheirDomain, WhatCrossesBeforeIsFound) {
  const std::vector<Inner> inner = {
      {"sqrt(x) > 1"},         {"1 < sqrt(x)"},      {"log(x) > 0"},
      {"log10(x) > 0"},        {"x^1.5 > 1"},        {"sqrt(x)*x - 1 > 0"},
      {"sqrt(sqrt(x)) > 1"},   {"not sqrt(x) <= 1"}, {"sqrt(x) + log(x + 1e-3) > 1 + log(1.001)"},
      {"sqrt(x) > 1 or x > 3"}};
  for (const Inner& law : inner) {
    for (const char* method :
         {"dopri5", "rk23", "fehlberg45", "fehlberg78", "radau5", "sdirk4", "bdf", "auto"}) {
      for (const double max_step : {0.0, 0.7}) {
        const std::string text =
            std::string(
                "model M\n Real x(start = 4, fixed = true);\nequation\n der(x) = if x > 0.25 then (if ") +
            law.text +
            " then -1 else -0.5) else -2;\n when x <= 0.25 then terminate(\"empty\"); end when;\nend M;\n";
        SimulationOptions options{.stop = 100.0, .tolerance = 1e-8, .method = method};
        if (max_step > 0.0) {
          options.max_step = max_step;
        }
        const Result<Model> model = Model::from_text("m.mo", text);
        ASSERT_TRUE(model) << law.text << render_text(model.error());
        const Result<SimulationResult> run = simulate(*model, options);
        ASSERT_TRUE(run) << law.text;
        EXPECT_EQ(run->status, SimulationStatus::terminated)
            << law.text << ' ' << method << ' ' << max_step << ' ' << run->message;
        EXPECT_NEAR(run->end, 4.5, 1e-6) << law.text << ' ' << method << ' ' << max_step;
      }
    }
  }
}

}  // namespace
}  // namespace saltus::test
