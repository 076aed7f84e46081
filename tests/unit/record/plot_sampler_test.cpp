#include "record/plot_sampler.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace saltus::record {
namespace {

void add_row(PlotSampler& sampler, double t, std::vector<double> values) {
  sampler.add({{&t, 1}, values, 1, 0, "main"});
}

TEST(PlotSampler, KeepsFewRowsAsTheyAre) {
  PlotSampler sampler(2, 8);
  for (int k = 0; k < 8; ++k) {
    add_row(sampler, k, {k * 1.0, -k * 2.0});
  }
  EXPECT_EQ(sampler.stride(), 1);
  ASSERT_EQ(sampler.n_buckets(), 8U);
  for (std::size_t b = 0; b < 8; ++b) {
    EXPECT_EQ(sampler.first(b, 1), -2.0 * static_cast<double>(b));
    EXPECT_EQ(sampler.smallest(b, 1), sampler.largest(b, 1));
  }
}

TEST(PlotSampler, ThinsWithoutLosingAPeak) {
  PlotSampler sampler(1, 8);
  constexpr int kRows = 1000;
  for (int k = 0; k < kRows; ++k) {
    add_row(sampler, k, {k == 617 ? 50.0 : k == 3 ? -50.0 : 0.0});
  }
  EXPECT_EQ(sampler.n_rows(), kRows);
  EXPECT_EQ(sampler.stride(), 128);
  EXPECT_EQ(sampler.n_buckets(), 8U);
  EXPECT_EQ(sampler.largest(617 / 128, 0), 50.0);
  EXPECT_EQ(sampler.smallest(0, 0), -50.0);
  EXPECT_EQ(sampler.time(617 / 128), 512.0);
  EXPECT_EQ(sampler.last_time(), kRows - 1);
  for (std::size_t b = 0; b < 8; ++b) {
    EXPECT_EQ(sampler.largest(b, 0), b == 617 / 128 ? 50.0 : 0.0);
  }
}

TEST(PlotSampler, KnowsSegmentAndModeOfEachBucket) {
  PlotSampler sampler(1, 4);
  for (int k = 0; k < 8; ++k) {
    const double t = k;
    sampler.add({{&t, 1}, {&t, 1}, 1, k / 3, k < 4 ? "fly" : "rest"});
  }
  ASSERT_EQ(sampler.n_buckets(), 4U);  // of two rows
  EXPECT_EQ(sampler.mode_names(), (std::vector<std::string>{"fly", "rest"}));
  for (std::size_t b = 0; b < 4; ++b) {
    EXPECT_EQ(sampler.segment(b), static_cast<std::int64_t>(2 * b / 3));
    EXPECT_EQ(sampler.mode(b), b < 2 ? 0U : 1U);
  }
}

TEST(PlotSampler, LeavesOutWhatIsNotFinite) {
  PlotSampler sampler(1, 2);
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double value : {std::nan(""), 1.0, infinity, 2.0}) {
    add_row(sampler, 0, {value});
  }
  EXPECT_EQ(sampler.smallest(0, 0), 1.0);
  EXPECT_EQ(sampler.largest(1, 0), 2.0);
}

}  // namespace
}  // namespace saltus::record
