#include "base/number_text.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <random>

namespace saltus {
namespace {

TEST(NumberText, IsTheShortestFormThatReadsBack) {
  EXPECT_EQ(number_text(0.1), "0.1");
  EXPECT_EQ(number_text(1.0), "1");
  EXPECT_EQ(number_text(-0.0), "-0");
  EXPECT_EQ(number_text(1e300), "1e+300");
  EXPECT_EQ(number_text(std::numeric_limits<double>::denorm_min()), "5e-324");
  EXPECT_EQ(number_text(std::numeric_limits<double>::infinity()), "inf");
}

TEST(NumberText, EveryBitPatternReadsBack) {
  constexpr unsigned kSeed = 20011;
  std::mt19937_64 random(kSeed);
  for (int i = 0; i < 100000; ++i) {
    const double value = std::bit_cast<double>(random());
    if (!std::isfinite(value)) {
      continue;
    }
    const std::string text = number_text(value);
    ASSERT_LE(text.size(), static_cast<std::size_t>(kMaxNumberLength));
    double back = 0.0;
    std::from_chars(text.data(), text.data() + text.size(), back);
    ASSERT_EQ(std::bit_cast<std::uint64_t>(back), std::bit_cast<std::uint64_t>(value))
        << text << " seed " << kSeed;
  }
}

}  // namespace
}  // namespace saltus
