// Booleans that are given by a relation slid on have its truth as written at zero (docs/semantics.md 7.6).
#include <gtest/gtest.h>

#include <string>

#include "support/hybrid_run.hpp"

namespace saltus::test {
namespace {

TEST(SlidingBooleans, HaveTheTruthAsWrittenAtZero) {
  for (const std::string relation : {"T < 295", "T <= 295", "295 > T", "not T >= 295"}) {
    const bool is_true = relation == "T <= 295";
    for (const std::string start : {"290", "300", "295"}) {
      for (const std::string method : {"dopri5", "radau5", "bdf"}) {
        const HybridRun run = run_text("model M\n Real T(start = " + start +
                                           ", fixed = true), q;\n Boolean heat, cool;\n Integer n(start = 0, "
                                           "fixed = true);\nequation\n heat = " +
                                           relation +
                                           ";\n cool = not heat;\n q = if heat then 10 else 0;\n der(T) = q "
                                           "- 8*T/295;\n when heat then\n  n = pre(n) + 1;\n end "
                                           "when;\nend M;\n",
                                       {{"stop", "6"}, {"interval", "0.5"}, {"method", method}});
        const std::string what = relation + " from " + start + ", " + method;
        ASSERT_TRUE((run.result.status == SimulationStatus::success)) << what << run.log();
        EXPECT_NEAR(run.final("T"), 295, 1e-6) << what;
        EXPECT_NEAR(run.final("q"), 8, 1e-6) << what;
        EXPECT_EQ(run.final("heat"), is_true ? 1 : 0) << what;
        EXPECT_EQ(run.final("cool"), is_true ? 0 : 1) << what;
        EXPECT_EQ(run.final("n"), is_true && start == "300" ? 1 : 0) << what;
      }
    }
  }
}

}  // namespace
}  // namespace saltus::test
