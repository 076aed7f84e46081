#include "integrate/implicit/bdf_order.hpp"

#include <gtest/gtest.h>

namespace saltus::integrate::bdf {
namespace {

OrderPolicy settled(int order, const OrderPolicy::Options& options = {}) {
  OrderPolicy policy(options);
  // A rejection ends the rise at the start.
  (void)policy.after_rejected(order, 2.0, {});
  return policy;
}

TEST(BdfOrder, TermsThatDecreaseRaiseTheOrderAfterEnoughSteps) {
  OrderPolicy policy = settled(3);
  const Terms falling{0.9, 0.7, 0.5, 0.1};
  for (int step = 0; step < 3; ++step) {
    EXPECT_EQ(policy.after_accepted(3, falling).order, 3) << step;
  }
  EXPECT_EQ(policy.after_accepted(3, falling).order, 4);
  EXPECT_EQ(policy.after_accepted(4, falling).order, 4) << "counted anew";
}

TEST(BdfOrder, AtTheStartTheOrderRisesAtOnce) {
  OrderPolicy policy({});
  const Terms falling{0.9, 0.7, 0.5, 0.1};
  EXPECT_EQ(policy.after_accepted(3, falling).order, 4);
  EXPECT_EQ(policy.after_accepted(4, falling).order, 5);
  EXPECT_EQ(policy.after_accepted(5, falling).order, 5);
  OrderPolicy six({.max_order = 6});
  EXPECT_EQ(six.after_accepted(5, falling).order, 6);
}

TEST(BdfOrder, TermsThatGrowLowerTheOrder) {
  OrderPolicy policy({});
  EXPECT_EQ(policy.after_accepted(4, {0.3, 0.4, 0.5, 0.9}).order, 3);
  EXPECT_EQ(policy.after_accepted(4, {0.6, 0.4, 0.5, 0.9}).order, 4) << "not all below are smaller";
  EXPECT_EQ(policy.after_accepted(2, {-1.0, 0.3, 0.5, -1.0}).order, 2) << "half is asked for";
  EXPECT_EQ(policy.after_accepted(2, {-1.0, 0.2, 0.5, -1.0}).order, 1);
  EXPECT_EQ(policy.after_accepted(1, {-1.0, -1.0, 0.5, -1.0}).order, 1);
}

TEST(BdfOrder, SizesAreDoubledKeptOrCut) {
  OrderPolicy policy({});
  EXPECT_EQ(policy.after_accepted(2, {-1.0, 1.0, 0.1, -1.0}).factor, 2.0);
  EXPECT_EQ(policy.after_accepted(2, {-1.0, 1.0, 0.5, -1.0}).factor, 1.0);
  const double cut = policy.after_accepted(2, {-1.0, 2.9, 2.8, -1.0}).factor;
  EXPECT_GT(cut, 0.7);
  EXPECT_LE(cut, 0.9);
}

TEST(BdfOrder, FailuresInARowCutMoreAndThenBeginAnew) {
  OrderPolicy policy({});
  const OrderPolicy::Decision first = policy.after_rejected(3, 1.5, {-1.0, 9.0, 6.0, -1.0});
  EXPECT_GT(first.factor, 0.5);
  EXPECT_EQ(first.order, 3);
  EXPECT_EQ(policy.after_rejected(3, 1.5, {1.0, 2.0, 6.0, -1.0}).order, 2);
  EXPECT_TRUE(policy.after_rejected(2, 1.5, {}).begins_anew);
  EXPECT_FALSE(policy.after_failed(2).begins_anew) << "counted anew";
  (void)policy.after_accepted(2, {});
  EXPECT_EQ(policy.after_failed(2).factor, 0.25);
  EXPECT_FALSE(policy.after_failed(2).begins_anew);
  EXPECT_TRUE(policy.after_failed(2).begins_anew);
}

TEST(BdfOrder, FixedOrderIsReachedAndKept) {
  OrderPolicy policy({.max_order = 5, .fixed_order = 4});
  EXPECT_EQ(policy.highest(), 4);
  EXPECT_EQ(policy.after_accepted(3, {0.1, 0.1, 0.5, 0.9}).order, 4);
  EXPECT_EQ(policy.after_accepted(4, {0.1, 0.1, 0.5, 0.0}).order, 4);
  EXPECT_EQ(policy.after_rejected(4, 3.0, {0.1, 0.1, 0.5, 0.0}).order, 4);
}

}  // namespace
}  // namespace saltus::integrate::bdf
