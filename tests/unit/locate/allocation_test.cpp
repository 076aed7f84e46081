#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "support/allocation_guard.hpp"
#include "support/guard_fixture.hpp"

namespace saltus::locate {
namespace {

TEST(EventSearchMemory, NothingIsAllocatedAfterTheFirstUse) {
  test::StepWithGuards step(
      {{{0.0, 1.0}, {1.0, -0.3}}},
      {test::affine_guard({1.0, 0.0}, -0.4), test::affine_guard({1.0, -1.0}, -3.0),
       test::polynomial_guard(3, [](double, auto x) { return x[0] * x[0] * x[1] - 0.3; }),
       test::opaque_guard([](double, auto x) { return std::exp(x[0]) - 2.0; })});
  const std::vector<Watch> watches = step.watches();
  ASSERT_TRUE(step.step(1.0, watches).found());
  const test::AllocationGuard guard;
  for (int k = 0; k < 3; ++k) {
    const SearchResult result = step.step(1.0, watches);
    static_cast<void>(step.search.concurrent(result, 0.5, 1.0));
    static_cast<void>(step.search.shifted(0, result.theta, 1e-6, true));
  }
  EXPECT_EQ(guard.count(), 0);
}

}  // namespace
}  // namespace saltus::locate
