// Events at the stop of a run, or so close to it that a small change of a parameter takes them beyond it.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "saltus/gradient.hpp"
#include "saltus/saltus.hpp"
#include "sided_runs.hpp"

namespace saltus::test {
namespace {

// The last variable but those that are not concerned has a kink or a jump there.
const std::vector<std::string>& texts() {
  static const std::vector<std::string> all = {
      "model M parameter Real p = 1; Real x(start = 0, fixed = true), y(start = 0, fixed = true); equation "
      "der(x) "
      "= 1; der(y) = if x > p then 5 else 1; end M;",
      "model M parameter Real p = 1; Real x(start = 0, fixed = true), y(start = 0, fixed = true); equation "
      "der(x) "
      "= 1; der(y) = if time > p then 5 else 1; end M;",
      "model M parameter Real p = 1; Real x(start = 0, fixed = true), y(start = 0, fixed = true); equation "
      "der(x) "
      "= 1; der(y) = 1; when x > p then reinit(y, 2*pre(y) + 1); end when; end M;",
      "model M parameter Real p = 1; Real x(start = 0, fixed = true), y(start = 1, fixed = true); discrete "
      "Real "
      "u(start = 0, fixed = true); equation der(x) = 1; der(y) = u; when sample(p, 0.25) then u = y + 1; end "
      "when; "
      "end M;"};
  return all;
}

std::vector<double> final_of(const Model& model, double p, const char* method, SensitivitySide side) {
  SimulationOptions options{.stop = 1.0, .sensitivities = {"p"}};
  options.set = {{"p", p}};
  options.method = method;
  options.sensitivity_side = side;
  return run(model, options).sensitivities->final_values;
}

TEST(SensitivitiesAtTheStop, AreUndefinedWhereAnEventMayLieBeyondIt) {
  for (const std::string& text : texts()) {
    const Model model = model_of(text);
    for (const char* method : kMethods) {
      for (const double offset : {0.0, 4e-16, -4e-16, 1e-14, -1e-14, 1e-12, -1e-12, 1e-10, -1e-10}) {
        EXPECT_TRUE(std::isnan(final_of(model, 1.0 + offset, method, SensitivitySide::both)[1]))
            << text << method << ' ' << offset;
      }
    }
  }
}

TEST(SensitivitiesAtTheStop, AreThereWhereTheEventIsFurtherFromIt) {
  const Model model = model_of(texts()[0]);
  for (const char* method : kMethods) {
    EXPECT_NEAR(final_of(model, 1.0 - 1e-8, method, SensitivitySide::both)[1], -4.0, 1e-6) << method;
    EXPECT_NEAR(final_of(model, 1.0 + 1e-8, method, SensitivitySide::both)[1], 0.0, 1e-6) << method;
  }
}

// Larger p: the event is not part of the run.
TEST(SensitivitiesAtTheStop, ToOneSide) {
  const Model model = model_of(texts()[0]);
  for (const char* method : kMethods) {
    EXPECT_NEAR(final_of(model, 1.0, method, SensitivitySide::plus)[1], 0.0, 1e-6) << method;
    EXPECT_NEAR(final_of(model, 1.0, method, SensitivitySide::minus)[1], -4.0, 1e-6) << method;
  }
  // A jump has a derivative to the side of the event alone.
  const Model jumping = model_of(texts()[2]);
  EXPECT_TRUE(std::isnan(final_of(jumping, 1.0, "dopri5", SensitivitySide::plus)[1]));
  EXPECT_NEAR(final_of(jumping, 1.0, "dopri5", SensitivitySide::minus)[1], 1.0, 1e-6);
}

// What the event does not touch has its derivatives: x in all, y where only a clock of fixed times ticks at the stop.
TEST(SensitivitiesAtTheStop, OfWhatTheEventDoesNotMove) {
  EXPECT_NEAR(final_of(model_of(texts()[0]), 1.0, "dopri5", SensitivitySide::both)[0], 0.0, 1e-12);
  const Model model = model_of(
      "model M parameter Real p = 1; Real y(start = p, fixed = true); discrete Real u(start = 0, fixed = "
      "true); "
      "equation der(y) = -y + u; when sample(0, 0.25) then u = y; end when; end M;");
  EXPECT_FALSE(std::isnan(final_of(model, 1.0, "dopri5", SensitivitySide::both)[0]));
}

TEST(SensitivitiesAtTheStop, GradientsAreUndefinedToo) {
  for (const char* by : {"forward", "adjoint"}) {
    for (const double offset : {0.0, 1e-13, -1e-13, 1e-11, -1e-11}) {
      const Model model = model_of(texts()[0]);
      GradientOptions options{.with = {"p"}, .by = by};
      options.simulation = {.stop = 1.0, .tolerance = 1e-10};
      options.simulation.set = {{"p", 1.0 + offset}};
      const Result<GradientResult> found = gradient(model, "final(y)", options);
      ASSERT_TRUE(found) << render_text(found.error());
      EXPECT_TRUE(std::isnan(found->derivative("p"))) << by << ' ' << offset;
    }
  }
}

}  // namespace
}  // namespace saltus::test
