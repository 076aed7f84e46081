// Guards that the instants of others bring to zero, or off it (docs/semantics.md 1.5, 2, 5, 7): against fractions.
//
// SALTUS_LANDINGS: number of models (default: kModels). SALTUS_LANDING_FIRST: the first seed. SALTUS_LANDING_METHOD: the method.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#include "support/hybrid_run.hpp"
#include "support/landing/landing_model.hpp"

namespace saltus::test {
namespace {

constexpr std::uint32_t kModels = 150;
// All is piecewise linear: what is left are the locations of events.
constexpr double kMotion = 1e-6;

std::uint32_t given(const char* name, std::uint32_t otherwise) {
  const char* const text = std::getenv(name);
  return text != nullptr ? static_cast<std::uint32_t>(std::atoi(text)) : otherwise;
}

std::string differences(const HybridRun& run, const landing::Model& model) {
  if (run.result.status != SimulationStatus::success) {
    return "ended: " + run.words();
  }
  std::string text;
  for (const landing::Truth& truth : model.truths) {
    const bool holds = run.final("b" + truth.number) != 0.0;
    const double motion = run.final("z" + truth.number);
    const double rises = run.final("n" + truth.number);
    if (holds != truth.holds) {
      text += " b" + truth.number + " is " + (holds ? "true" : "false");
    }
    if (std::abs(motion - truth.motion) > kMotion) {
      text += " z" + truth.number + " is " + std::to_string(motion) + ", not " + std::to_string(truth.motion);
    }
    if (truth.rises && rises != static_cast<double>(*truth.rises)) {
      text += " n" + truth.number + " is " + std::to_string(rises) + ", not " + std::to_string(*truth.rises);
    }
  }
  return text;
}

class Landing : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Methods, Landing, ::testing::Values("auto", "dopri5", "radau5", "sdirk4", "bdf"),
                         [](const auto& method) { return method.param; });

TEST_P(Landing, GuardsThatInstantsBringToZero) {
  // Implicit methods locate an instant, and what moves there, to more than a rounding.
  const bool is_explicit = GetParam() == "auto" || GetParam() == "dopri5";
  const landing::Causes causes = is_explicit ? landing::Causes::time_and_states : landing::Causes::time;
  const std::uint32_t first = given("SALTUS_LANDING_FIRST", 1);
  const std::uint32_t number = given("SALTUS_LANDINGS", kModels);
  for (std::uint32_t seed = first; seed < first + number; ++seed) {
    const landing::Model model = landing::landing_model(seed, causes);
    const HybridRun run =
        run_text(model.text, {{"stop", std::to_string(landing::kStop)}, {"method", GetParam()}});
    const std::string wrong = differences(run, model);
    EXPECT_EQ(wrong, "") << "seed " << seed << "\n" << (number == 1 ? model.text + run.log() : "");
  }
}

}  // namespace
}  // namespace saltus::test
