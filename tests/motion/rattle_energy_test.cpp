// RATTLE over many periods: energy and momentum stay where they are, others drift.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "motion/motions.hpp"
#include "support/hybrid_run.hpp"

namespace saltus::test {
namespace {

// Largest change of an invariant over the rows of [from, to].
double change(const HybridRun& run, const std::string& name, double from, double to) {
  const double first = run.value(run.rows.front(), name);
  double largest = 0.0;
  for (const RowRecord& row : run.rows) {
    if (row.time >= from && row.time <= to) {
      largest = std::max(largest, std::abs(run.value(row, name) - first));
    }
  }
  return largest;
}

struct EnergyCase {
  const char* text;
  const char* method;
  const char* step;
  double bound;
};

// The second half of a long run is no worse than the first.
TEST(RattleEnergy, IsBounded) {
  constexpr EnergyCase kCases[] = {{kRod, "rattle", "0.05", 5e-3},    {kRod, "rattle4", "0.1", 1e-4},
                                   {kTwoRods, "rattle", "0.05", 0.5}, {kTwoRods, "rattle4", "0.05", 0.03},
                                   {kOrbit, "rattle", "0.02", 5e-2},  {kOrbit, "rattle4", "0.02", 1e-4}};
  for (const EnergyCase& item : kCases) {
    const HybridRun run = run_text(item.text, {{"method", item.method},
                                               {"step", item.step},
                                               {"stop", "1000"},
                                               {"interval", "steps"},
                                               {"verify", "full"}});
    ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
    const double early = change(run, "E", 0.0, 500.0);
    const double late = change(run, "E", 500.0, 1000.0);
    EXPECT_LT(early, item.bound) << item.method << " " << item.step;
    EXPECT_LT(late, 1.5 * early) << item.method << " " << item.step;
  }
}

// What symmetries keep is kept to rounding errors.
TEST(RattleEnergy, AngularMomentum) {
  for (const char* method : {"rattle", "rattle4"}) {
    const HybridRun run =
        run_text(kOrbit, {{"method", method}, {"step", "0.02"}, {"stop", "200"}, {"interval", "steps"}});
    EXPECT_LT(change(run, "L", 0.0, 200.0), 1e-13) << method;
  }
}

}  // namespace
}  // namespace saltus::test
