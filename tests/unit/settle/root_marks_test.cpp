// How the run came to a surface is remembered, whatever the rounded value of the guard.
#include "settle/state/root_marks.hpp"

#include <gtest/gtest.h>

namespace saltus::settle {
namespace {

TEST(RootMarks, LevelsOutlastTheMark) {
  RootMarks marks(2);
  EXPECT_FALSE(marks.is_at(1));
  marks.put(1, 3.0);
  EXPECT_TRUE(marks.is_at(1));
  EXPECT_FALSE(marks.is_at(0));
  marks.clear();
  EXPECT_FALSE(marks.is_at(1));
  EXPECT_EQ(marks.level(1), 3.0);
  marks.put(1);
  EXPECT_EQ(marks.level(1), 3.0);
}

TEST(RootMarks, ATimeThatHasComeIsMoreThanALevelThatIsReached) {
  RootMarks marks(1);
  marks.put(0, 0.0);
  EXPECT_FALSE(marks.has_come(0));
  marks.come(0, 0.0);
  marks.set(0, true);
  EXPECT_TRUE(marks.has_come(0));
  marks.set(0, false);
  marks.put(0);
  EXPECT_FALSE(marks.has_come(0)) << "it has left its level since";
  marks.come(0, 0.0);
  marks.clear();
  EXPECT_FALSE(marks.has_come(0));
}

TEST(RootMarks, AGuardThatIsAwayHasNoSideOfDeparture) {
  RootMarks marks(1);
  marks.note_departure(0, {.is_leaving = true}, -1.0);
  EXPECT_TRUE(marks.departure(0).is_leaving);
  EXPECT_EQ(marks.departing_side(0), -1.0);
  marks.note_departure(0, {.is_leaving = false}, -1.0);
  EXPECT_EQ(marks.departing_side(0), 0.0);
}

}  // namespace
}  // namespace saltus::settle
