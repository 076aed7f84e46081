// What determines a start does not depend on the units of its unknowns.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "support/hybrid_run.hpp"

namespace saltus::test {
namespace {

std::size_t n_warnings(const HybridRun& run, std::string_view code) {
  std::size_t n = 0;
  for (const Diagnostic& diagnostic : run.result.diagnostics.items()) {
    n += diagnostic.code == code ? 1 : 0;
  }
  return n;
}

// A piston: V is given by time, p is the only state.
std::string piston(double bulk_modulus, double volume, bool is_fixed) {
  return fmt::format(
      "model M\n  Real V, p(start = 1e5, fixed = {}), q;\nequation\n"
      "  V = {}*(1 + 0.1*cos(time));\n  V/{}*der(p) = q - der(V);\n  q = (1e5 - p)*{};\nend M;\n",
      is_fixed ? "true" : "false", volume, bulk_modulus, volume / 1e5);
}

TEST(StartUnits, SmallCoefficientsDetermineAsWellAsLargeOnes) {
  for (const double bulk_modulus : {1.0, 1e5, 1e9, 1e12}) {
    for (const double volume : {1.0, 1e-4, 1e-9}) {
      const HybridRun run = run_text(piston(bulk_modulus, volume, true), {{"stop", "1e-6"}});
      SCOPED_TRACE(fmt::format("{} {}\n{}", bulk_modulus, volume, run.log()));
      EXPECT_EQ(n_warnings(run, "start-chosen"), 0U);
      EXPECT_EQ(n_warnings(run, "fixed-twice"), 0U);
    }
  }
}

// x is given by its constraint; of z and y there is one too few.
TEST(StartUnits, WhatIsFreeOrGivenTwiceIsStillReported) {
  for (const double unit : {1.0, 1e-6, 1e-12}) {
    const HybridRun twice =
        run_text(fmt::format("model M\n  Real x(start = {0}, fixed = true), lam;\nequation\n"
                             "  der(x) = -x + {0}*lam;\n  x = {0}*cos(time);\nend M;\n",
                             unit),
                 {{"stop", "1"}});
    EXPECT_EQ(n_warnings(twice, "fixed-twice"), 1U) << unit << "\n" << twice.log();
    const HybridRun free =
        run_text(fmt::format("model M\n  Real z, y, lam;\nequation\n  der(z) = {0}*lam - z;\n"
                             "  der(y) = lam - y;\n  z = {0}*(2*y + cos(time));\nend M;\n",
                             unit),
                 {{"stop", "1"}});
    EXPECT_EQ(n_warnings(free, "start-chosen"), 1U) << unit << "\n" << free.log();
  }
}

}  // namespace
}  // namespace saltus::test
