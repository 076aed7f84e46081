// Under which outcomes a comparison is asked.
#include "trace/needed_outcomes.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "unit/trace/traced_function.hpp"

namespace saltus::trace {
namespace {

// "c0, not c1" with the texts of the decisions.
std::string within_of(const PlainFunction& f, std::string_view decision, std::uint32_t n_variables = 6) {
  Exploration exploration = explorer_of(f, 1, n_variables);
  EXPECT_FALSE(exploration.begin());
  for (const KnownDecision& known : exploration.residuals().decisions) {
    if (exploration.text_of(known.less) == decision) {
      return exploration.text_of(known.within);
    }
  }
  return "no such decision";
}

TEST(NeededOutcomes, ARootIsGuardedByWhatGuardsIt) {
  const PlainFunction f = [](const std::vector<Real>& x, std::span<Real> r) {
    r[0] = x[5] - (x[4] > 1 ? 1 : 2);
    if (x[0] > 0) {
      if (sqrt(x[0]) > 1) {
        r[0] = x[5] + 3;
      }
    }
  };
  EXPECT_EQ(within_of(f, "sqrt(x0) > 1"), "'x0 > 0' is true");
  EXPECT_EQ(within_of(f, "x4 > 1"), "");
}

TEST(NeededOutcomes, WhatHasAValueEverywhereNeedsNothing) {
  EXPECT_EQ(within_of([](const std::vector<Real>& x,
                         std::span<Real> r) { r[0] = x[0] > 0 && x[1] / 2 > 1 ? x[2] : x[3]; },
                      "x1/2 > 1"),
            "");
}

TEST(NeededOutcomes, AllThatIsAskedBeforeCounts) {
  EXPECT_EQ(
      within_of([](const std::vector<Real>& x,
                   std::span<Real> r) { r[0] = x[0] > 0 && x[1] > 0 && log(x[0] * x[1]) > 1 ? x[2] : x[3]; },
                "log(x0*x1) > 1"),
      "'x0 > 0' is true and 'x1 > 0' is true");
}

// 299 other comparisons come before: so many that none of their other outcomes was traced together with the one that matters.
TEST(NeededOutcomes, WhatWasNotTracedIsNoReason) {
  EXPECT_EQ(within_of(
                [](const std::vector<Real>& x, std::span<Real> r) {
                  r[0] = x[0];
                  for (std::size_t i = 1; i < 300; ++i) {
                    r[0] += x[i] > 0.5 ? x[i] : x[0];
                  }
                  if (x[0] < -1 && sqrt(-x[0]) > 3) {
                    r[0] += 1;
                  }
                },
                "sqrt(-x0) > 3", 300),
            "'x0 < -1' is true");
}

TEST(NeededOutcomes, AFailureIsDescribedByWhatItTakes) {
  Exploration exploration = explorer_of([](const std::vector<Real>& x, std::span<Real> r) {
    r[0] = x[1] > 0 ? x[2] : x[3];
    if (x[0] < 0) {
      throw std::domain_error("below");
    }
  });
  ASSERT_FALSE(exploration.begin());
  const Residuals residuals = exploration.residuals();
  EXPECT_TRUE(residuals.is_complete);
  ASSERT_EQ(residuals.failures.size(), 1u);
  EXPECT_EQ(exploration.text_of(residuals.failures[0].outcomes), "'x0 < 0' is true");
  EXPECT_EQ(residuals.failures[0].message, "below");
}

}  // namespace
}  // namespace saltus::trace
