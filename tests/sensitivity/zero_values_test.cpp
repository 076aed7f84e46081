// Parameters that are zero, whose terms are not in the compiled equations, and parameters that what follows from them changes fast with.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "saltus/saltus.hpp"
#include "sided_runs.hpp"

namespace saltus::test {
namespace {

double final_x(const std::string& text, const char* method, double stop = 1.0) {
  SimulationOptions options{.stop = stop, .sensitivities = {"k"}};
  options.method = method;
  return run(model_of(text), options).sensitivities->final_values[0];
}

// The size of the parameter says nothing of how far a difference may go.
TEST(ZeroValues, OfWhatChangesOverLessThanTheDistanceOfDifferences) {
  struct Case {
    const char* text;
    double right;
  };
  const double e = std::exp(-1.0);
  const std::vector<Case> cases = {
      {"model M parameter Real k = 0; Real x(start = 1, fixed = true); equation der(x) = -sin(1e4*k)*x; end "
       "M;",
       -1e4},
      {"model M parameter Real k = 0; Real x(start = 1, fixed = true); equation der(x) = -tanh(1e5*k)*x; end "
       "M;",
       -1e5},
      {"model M parameter Real k = 0; Real x(start = exp(1e4*k), fixed = true); equation der(x) = -x; end M;",
       1e4 * e},
      {"model M parameter Real k = 1; Real x(start = sin(1e4*k), fixed = true); equation der(x) = -x; end M;",
       1e4 * std::cos(1e4) * e},
      {"model M parameter Real k = 1; parameter Real m = sin(3000*k); Real x(start = 1, fixed = true); "
       "equation "
       "der(x) = -m*x; end M;",
       -3e3 * std::cos(3e3) * std::exp(-std::sin(3e3))},
      {"model M parameter Real k = 0; Real x(start = 1, fixed = true); equation der(x) = k*x; end M;", 1.0},
      {"model M parameter Real k = 0; Real x(start = 1, fixed = true); equation der(x) = -1 - k^2*x - k; end "
       "M;",
       -1.0}};
  for (const Case& item : cases) {
    for (const char* method : kMethods) {
      const double found = final_x(item.text, method);
      // A number is right, or there is none.
      EXPECT_NEAR(found, item.right, 1e-5 * std::max(1.0, std::abs(item.right))) << item.text << method;
    }
  }
}

TEST(ZeroValues, WithoutADerivative) {
  for (const char* text :
       {"model M parameter Real k = 0; Real x(start = 1, fixed = true); equation der(x) = sqrt(k)*x; end M;",
        "model M parameter Real k = 0; Real x(start = sqrt(k), fixed = true); equation der(x) = x; end M;"}) {
    for (const char* method : kMethods) {
      EXPECT_TRUE(std::isnan(final_x(text, method))) << text << method;
    }
  }
}

// Without its term the equations do not look at the condition within it: the event at which it begins is not there.
TEST(ZeroValues, OfATermWithAConditionOfItsOwn) {
  for (const char* text : {"model M parameter Real k = 0; Real x(start = 1, fixed = true); equation der(x) = "
                           "if x > 1.2 then k*x + 1 "
                           "else 1; end M;",
                           "model M parameter Real k = 0; Real x(start = 1, fixed = true); equation der(x) = "
                           "1 + k*abs(x - 1.5); end "
                           "M;"}) {
    for (const char* method : kMethods) {
      EXPECT_TRUE(std::isnan(final_x(text, method))) << text << method;
    }
  }
}

// The surface moves with the parameter, and so do the points at which the sliding field is evaluated.
TEST(ZeroValues, OfASurfaceThatIsSlidOn) {
  const Model model = model_of(
      R"(model M parameter Real k = 0; Real x(start = 0.5, fixed = true), y(start = 0, fixed = true), w;
equation der(x) = -2*sign(x - k*time) + sin(time); der(y) = sign(x - k*time)*(1 + k) + k*y + x; w = x + y; end M;)");
  for (const char* method : kMethods) {
    SimulationOptions options{.stop = 1.0};
    options.method = method;
    for (const double sign : {1.0, -1.0}) {
      expect_near(sensitivities(model, options, "k", SensitivitySide::both),
                  quotients(model, options, "k", 0.0, sign), method);
    }
  }
}

}  // namespace
}  // namespace saltus::test
