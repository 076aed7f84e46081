// Firings that accumulate are told from firings that only come closer.
#include "settle/rounds/zeno.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace saltus::settle {
namespace {

// Firings at t_k = limit - first·ratio^k / (1 - ratio): the accumulation that is found, or none within n.
std::optional<double> accumulation(double first, double ratio, double limit, int n) {
  ZenoMonitor monitor(1);
  for (int k = 0; k < n; ++k) {
    if (const auto found = monitor.fired(0, limit - first * std::pow(ratio, k) / (1.0 - ratio))) {
      return found;
    }
  }
  return std::nullopt;
}

TEST(ZenoMonitor, FindsTheLimitOfAGeometricSeries) {
  for (const double ratio : {0.1, 0.5, 0.9, 0.99}) {
    for (const double first : {1e-6, 1.0, 1e3}) {
      const auto found = accumulation(first, ratio, 7.0 * first, 5000);
      ASSERT_TRUE(found.has_value()) << ratio;
      EXPECT_NEAR(*found, 7.0 * first, 1e-6 * first) << ratio;
    }
  }
}

TEST(ZenoMonitor, BackwardInTimeToo) {
  ZenoMonitor monitor(1);
  std::optional<double> found;
  for (int k = 0; k < 60 && !found; ++k) {
    found = monitor.fired(0, -1.0 + std::pow(0.5, k));
  }
  ASSERT_TRUE(found.has_value());
  EXPECT_NEAR(*found, -1.0, 1e-6);
}

TEST(ZenoMonitor, PeriodicAndHarmonicFiringsDoNotAccumulate) {
  ZenoMonitor monitor(2);
  double harmonic = 0.0;
  for (int k = 1; k < 2000; ++k) {
    EXPECT_FALSE(monitor.fired(0, 0.1 * k).has_value());
    harmonic += 1.0 / k;
    EXPECT_FALSE(monitor.fired(1, harmonic).has_value()) << k;
  }
}

TEST(ZenoMonitor, AnAccumulationIsReportedOnce) {
  ZenoMonitor monitor(1);
  int n_found = 0;
  for (int k = 0; k < 45; ++k) {
    n_found += monitor.fired(0, 1.0 - std::pow(0.5, k)).has_value() ? 1 : 0;
  }
  EXPECT_EQ(n_found, 1);
}

}  // namespace
}  // namespace saltus::settle
