#include "reduce/nonlinear/projector_policy.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace saltus::reduce {
namespace {

TEST(ProjectorPolicy, AsksForProjectorsWhenTheMatrixHasMoved) {
  const std::vector<Index> rows = {0, 1, 0};
  std::vector<double> entries = {100.0, 1.0, 50.0};
  ProjectorPolicy policy;
  EXPECT_TRUE(policy.needs_projectors(entries, rows)) << "none were made";
  policy.made(entries, rows, 2, 1.0);
  EXPECT_FALSE(policy.needs_projectors(entries, rows));
  entries[2] = 59.0;
  EXPECT_FALSE(policy.needs_projectors(entries, rows)) << "0.09 of the largest entry of its row";
  entries[2] = 61.0;
  EXPECT_TRUE(policy.needs_projectors(entries, rows));
  entries = {100.0, 1.2, 50.0};
  EXPECT_TRUE(policy.needs_projectors(entries, rows)) << "rows are measured by themselves";
  policy.forget();
  EXPECT_TRUE(policy.needs_projectors(std::vector<double>{100.0, 1.0, 50.0}, rows));
}

TEST(ProjectorPolicy, LargeConditionsAllowLessMotion) {
  const std::vector<Index> rows = {0};
  ProjectorPolicy policy;
  policy.made(std::vector<double>{1.0}, rows, 1, 100.0);
  EXPECT_FALSE(policy.needs_projectors(std::vector<double>{1.0009}, rows));
  EXPECT_TRUE(policy.needs_projectors(std::vector<double>{1.0011}, rows));
}

TEST(ProjectorPolicy, EntriesInRowsOfZerosCount) {
  const std::vector<Index> rows = {0};
  ProjectorPolicy policy;
  policy.made(std::vector<double>{0.0}, rows, 1, 1.0);
  EXPECT_FALSE(policy.needs_projectors(std::vector<double>{0.0}, rows));
  EXPECT_TRUE(policy.needs_projectors(std::vector<double>{1e-30}, rows));
}

}  // namespace
}  // namespace saltus::reduce
