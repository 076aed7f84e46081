// Numbers that are held between events: where they change, and to what.
#include "settle/state/held_number.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace saltus::settle {
namespace {

using system::GuardInfo;
using Kind = GuardInfo::Kind;

GuardInfo guard_of(Kind kind, Numbers knots = {}) {
  GuardInfo guard;
  guard.kind = kind;
  guard.knots = std::make_shared<const Numbers>(std::move(knots));
  return guard;
}

void expect_no_gaps(const GuardInfo& guard, double first, double last) {
  for (double number = first; number <= last; number += 1.0) {
    const HeldRange range = held_range(guard, number);
    const double inside = 0.5 * (range.lower + range.upper);
    EXPECT_EQ(number_at(guard, inside), number);
    EXPECT_NE(number_beyond(guard, range.upper, 1.0), number);
    EXPECT_NE(number_beyond(guard, range.lower, -1.0), number);
    EXPECT_EQ(number_beyond(guard, range.upper, -1.0), number);
    EXPECT_EQ(number_beyond(guard, range.lower, 1.0), number);
    EXPECT_EQ(nearest_level(guard, std::nextafter(range.upper, range.lower)), range.upper);
    EXPECT_EQ(nearest_level(guard, std::nextafter(range.lower, range.upper)), range.lower);
  }
}

TEST(HeldNumber, RangesMeetWithoutGaps) {
  for (const Kind kind : {Kind::floor, Kind::ceil, Kind::truncate}) {
    expect_no_gaps(guard_of(kind), -3.0, 3.0);
  }
  expect_no_gaps(guard_of(Kind::segment, {-1.5, 0.25, 0.5, 7.0, 1e6}), 1.0, 4.0);
}

TEST(HeldNumber, TruncationHasAWideZero) {
  const GuardInfo truncate = guard_of(Kind::truncate);
  EXPECT_EQ(held_range(truncate, 0.0).lower, -1.0);
  EXPECT_EQ(held_range(truncate, 0.0).upper, 1.0);
  EXPECT_EQ(number_beyond(truncate, -1.0, -1.0), -1.0);
  EXPECT_EQ(number_beyond(truncate, -1.0, 1.0), 0.0);
}

TEST(HeldNumber, OuterSegmentsHaveNoEnd) {
  const GuardInfo table = guard_of(Kind::segment, {2.0, 3.0});
  EXPECT_EQ(held_range(table, 0.0).lower, -HUGE_VAL);
  EXPECT_EQ(held_range(table, 0.0).upper, 2.0);
  EXPECT_EQ(held_range(table, 2.0).lower, 3.0);
  EXPECT_EQ(held_range(table, 2.0).upper, HUGE_VAL);
  EXPECT_EQ(number_at(table, 2.0), 1.0);  // a knot belongs to what follows it
  EXPECT_EQ(number_beyond(table, 2.0, -1.0), 0.0);
  EXPECT_TRUE(std::isnan(number_of_segment({1.0, 2.0, 3.0}, std::nan(""))));
  EXPECT_TRUE(std::isnan(number_of_segment({1.0, 2.0, 3.0}, 3.0)));
}

}  // namespace
}  // namespace saltus::settle
