#include "base/time_tolerance.hpp"

#include <gtest/gtest.h>

namespace saltus {
namespace {

TEST(TimeTolerance, IsRelativeToTheLargestTime) {
  EXPECT_TRUE(same_instant(1e9, 1e9 * (1 + 4e-16), 1e9));
  EXPECT_FALSE(same_instant(1e9, 1e9 + 1e-5, 1e9));
  EXPECT_FALSE(same_instant(1e-300, 2e-300, 1e-300));
  EXPECT_TRUE(same_instant(0.0, 1e-16, 1.0));
}

}  // namespace
}  // namespace saltus
