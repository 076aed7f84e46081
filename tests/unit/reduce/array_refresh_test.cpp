#include "reduce/ranks/array_refresh.hpp"

#include <gtest/gtest.h>

namespace saltus::reduce {
namespace {

using Advice = ArrayRefreshPolicy::Advice;

TEST(ArrayRefreshPolicy, MatrixIsKeptWhileItContracts) {
  ArrayRefreshPolicy policy;
  EXPECT_FALSE(policy.has_matrix());
  policy.made();
  EXPECT_TRUE(policy.is_fresh());
  EXPECT_EQ(policy.after_iteration(0.01), Advice::keep);
  EXPECT_EQ(policy.after_iteration(0.3), Advice::keep);
  EXPECT_EQ(policy.after_iteration(0.6), Advice::refresh);
  policy.moved();
  EXPECT_TRUE(policy.has_matrix());
  EXPECT_FALSE(policy.is_fresh());
}

TEST(ArrayRefreshPolicy, StaleMatricesAreReplacedBetweenSteps) {
  ArrayRefreshPolicy policy;
  policy.made();
  EXPECT_EQ(policy.after_iteration(0.01), Advice::keep);
  policy.next_step();
  EXPECT_TRUE(policy.has_matrix());
  EXPECT_EQ(policy.after_iteration(0.3), Advice::keep);
  EXPECT_TRUE(policy.has_matrix());
  policy.next_step();
  EXPECT_FALSE(policy.has_matrix());
  policy.made();
  policy.next_step();
  EXPECT_TRUE(policy.has_matrix());
}

TEST(ArrayRefreshPolicy, FailureOfAnOldMatrixIsNoFailureOfTheIteration) {
  ArrayRefreshPolicy policy;
  policy.made();
  EXPECT_EQ(policy.after_failure(), Advice::keep);
  policy.moved();
  EXPECT_EQ(policy.after_failure(), Advice::refresh);
  policy.forget();
  EXPECT_FALSE(policy.has_matrix());
}

}  // namespace
}  // namespace saltus::reduce
