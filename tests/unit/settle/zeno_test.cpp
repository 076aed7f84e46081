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
      return found->time;
    }
  }
  return std::nullopt;
}

TEST(ZenoMonitor, FindsTheLimitOfAGeometricSeries) {
  for (const double ratio : {1e-4, 0.001, 0.01, 0.03, 0.1, 0.5, 0.9, 0.99}) {
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
    if (const auto estimate = monitor.fired(0, -1.0 + std::pow(0.5, k))) {
      found = estimate->time;
    }
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

TEST(ZenoMonitor, SaysSoUntilItIsReportedAndBeginsAnewWhereItIsForgotten) {
  ZenoMonitor monitor(2);
  int n_found[2] = {0, 0};
  for (int k = 0; k < 45; ++k) {
    for (const std::size_t action : {0U, 1U}) {
      if (monitor.fired(action, 1.0 - std::pow(0.5, k))) {
        ++n_found[action];
        action == 0 ? monitor.report(action) : monitor.forget(action);
      }
    }
  }
  EXPECT_EQ(n_found[0], 1);
  EXPECT_EQ(n_found[1], 2) << "2^-22 after 22 firings, and as much less after 22 more";
}

// Firings at 1 - 2⁻ᵏ: the one that should come after the twelfth comes late.
TEST(ZenoMonitor, ALateFiringAfterAShrinkingSequenceMayBeBehindItsEnd) {
  ZenoMonitor monitor(1);
  for (int k = 0; k < 12; ++k) {
    EXPECT_FALSE(monitor.fired(0, 1.0 - std::pow(0.5, k)).has_value()) << k;
  }
  const auto over = monitor.fired(0, 1.01);
  ASSERT_TRUE(over.has_value());
  EXPECT_TRUE(over->is_over);
  EXPECT_NEAR(over->time, 1.0, 1e-12);
  EXPECT_FALSE(monitor.fired(0, 1.02).has_value()) << "that is another sequence";
}

// One short interval after a long one is no sequence, unless nothing of it would be left.
TEST(ZenoMonitor, FewFiringsThatComeCloserDoNotAccumulate) {
  ZenoMonitor monitor(1);
  for (const double t : {0.0, 1.0, 1.0005, 1.0005004, 2.0, 2.0002, 3.0, 3.01, 3.0104}) {
    EXPECT_FALSE(monitor.fired(0, t).has_value()) << t;
  }
}

}  // namespace
}  // namespace saltus::settle
