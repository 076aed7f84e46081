#include "linalg/time_units.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace saltus::linalg {
namespace {

using Entries = std::vector<TimedEntry>;

// C·v' = i, R·i = -v
Entries circuit(double resistance, double capacitance) {
  return {{0, 0, 1, capacitance}, {0, 1, 0, 1.0}, {1, 1, 0, resistance}, {1, 0, 0, 1.0}};
}

TEST(TimeUnits, OfOneClosedPathIsItsTime) {
  for (const double time : {1e-9, 1e-6, 1e-3, 1.0, 1e3, 1e6}) {
    for (const double resistance : {1e-4, 1.0, 1e7}) {
      const std::vector<double> units = time_units(2, 2, circuit(resistance, time / resistance));
      EXPECT_NEAR(units[0] / time, 1.0, 1e-12) << resistance;
      EXPECT_EQ(units[0], units[1]);
    }
  }
}

TEST(TimeUnits, OfASecondOrderIsTheSquareRoot) {
  // m·x'' = -k·x, and the same with v = x'
  for (const double time : {1e-6, 1.0, 1e3}) {
    const double k = 3e5;
    const double m = k * time * time;
    EXPECT_NEAR(time_units(1, 1, Entries{{0, 0, 2, m}, {0, 0, 0, k}})[0] / time, 1.0, 1e-12);
    const Entries two{{0, 0, 1, 1.0}, {0, 1, 0, 1.0}, {1, 1, 1, m}, {1, 0, 0, k}};
    EXPECT_NEAR(time_units(2, 2, two)[1] / time, 1.0, 1e-12);
  }
}

TEST(TimeUnits, ScalesOfRowsAndColumnsDoNotMatter) {
  Entries entries = circuit(2e3, 1e-9);
  const std::vector<double> before = time_units(2, 2, entries);
  const double rows[] = {1e-8, 1e5};
  const double columns[] = {1e6, 1e-11};
  for (TimedEntry& entry : entries) {
    entry.size *= rows[entry.row] * columns[entry.column];
  }
  EXPECT_EQ(before, time_units(2, 2, entries));
}

TEST(TimeUnits, WithoutAClosedPathASecond) {
  // A free mass of 400 t: x' = v, m·v' = f, f given.
  const Entries entries{{0, 0, 1, 1.0}, {0, 1, 0, 1.0}, {1, 1, 1, 4e5}, {1, 2, 0, 1.0}, {2, 2, 0, 1.0}};
  for (const double unit : time_units(3, 3, entries)) {
    EXPECT_EQ(unit, 1.0);
  }
}

TEST(TimeUnits, PartsHaveTheirOwnWhateverStandsBesideThem) {
  Entries entries = circuit(1e3, 1e-9);
  for (TimedEntry entry : circuit(1e3, 1.0)) {
    entries.push_back({entry.row + 2, entry.column + 2, entry.order, entry.size});
  }
  const std::vector<double> units = time_units(4, 5, entries);
  EXPECT_NEAR(units[0], 1e-6, 1e-18);
  EXPECT_NEAR(units[2], 1e3, 1e-9);
  EXPECT_EQ(units[4], 1.0);  // in no equation
}

TEST(TimeUnits, OrdinaryModelsKeepTheirSeconds) {
  for (const double time : {0.05, 0.5, 3.0, 25.0}) {
    EXPECT_EQ(time_units(2, 2, circuit(1.0, time))[0], 1.0) << time;
  }
}

}  // namespace
}  // namespace saltus::linalg
