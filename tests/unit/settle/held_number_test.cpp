// Whole numbers between events: where they change, and to what.
#include "settle/state/held_number.hpp"

#include <gtest/gtest.h>

namespace saltus::settle {
namespace {

using Kind = system::GuardInfo::Kind;

TEST(HeldNumber, RangesMeetWithoutGaps) {
  for (const Kind kind : {Kind::floor, Kind::ceil, Kind::truncate}) {
    for (double number = -3.0; number <= 3.0; number += 1.0) {
      const HeldRange range = held_range(kind, number);
      const double inside = 0.5 * (range.lower + range.upper);
      EXPECT_EQ(number_at(kind, inside), number);
      EXPECT_NE(number_beyond(kind, range.upper, 1.0), number);
      EXPECT_NE(number_beyond(kind, range.lower, -1.0), number);
      EXPECT_EQ(number_beyond(kind, range.upper, -1.0), number);
      EXPECT_EQ(number_beyond(kind, range.lower, 1.0), number);
    }
  }
}

TEST(HeldNumber, TruncationHasAWideZero) {
  EXPECT_EQ(held_range(Kind::truncate, 0.0).lower, -1.0);
  EXPECT_EQ(held_range(Kind::truncate, 0.0).upper, 1.0);
  EXPECT_EQ(number_beyond(Kind::truncate, -1.0, -1.0), -1.0);
  EXPECT_EQ(number_beyond(Kind::truncate, -1.0, 1.0), 0.0);
}

}  // namespace
}  // namespace saltus::settle
