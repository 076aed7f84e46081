// The cases of [Wun08] Table 5.1.
#include "reduce/consistent/transfer_case.hpp"

#include <gtest/gtest.h>

#include <set>
#include <tuple>

namespace saltus::reduce {
namespace {

int number(const ComponentCounts& before, const ComponentCounts& after) {
  return transfer_case(before, after).number;
}

TEST(TransferCase, NumbersThatTheSourceQuotes) {
  const ComponentCounts before{2, 3, 1};
  EXPECT_EQ(number(before, before), 1);
  EXPECT_EQ(number(before, {1, 4, 1}), 4) << "a diode opens: the current of the inductor becomes algebraic";
  EXPECT_EQ(number(before, {3, 2, 1}), 9);
  EXPECT_EQ(number(before, {2, 4, 0}), 2);
  EXPECT_EQ(number(before, {2, 2, 2}), 3);
  EXPECT_EQ(number(before, {1, 3, 2}), 5);
  EXPECT_EQ(number(before, {0, 4, 2}), 6);
  EXPECT_EQ(number(before, {1, 2, 3}), 7);
  EXPECT_EQ(number(before, {1, 5, 0}), 8);
  EXPECT_EQ(number(before, {3, 3, 0}), 10);
  EXPECT_EQ(number(before, {4, 2, 0}), 11);
  EXPECT_EQ(number(before, {3, 1, 2}), 12);
  EXPECT_EQ(number({2, 3, 2}, {3, 4, 0}), 13);
}

TEST(TransferCase, EveryPairOfCountsHasOneCaseAndAllThirteenOccur) {
  constexpr Index n = 4;
  std::set<int> seen;
  for (Index d0 = 0; d0 <= n; ++d0) {
    for (Index a0 = 0; d0 + a0 <= n; ++a0) {
      for (Index d1 = 0; d1 <= n; ++d1) {
        for (Index a1 = 0; d1 + a1 <= n; ++a1) {
          const ComponentCounts before{d0, a0, n - d0 - a0};
          const ComponentCounts after{d1, a1, n - d1 - a1};
          const TransferCase found = transfer_case(before, after);
          const TransferCase back = transfer_case(after, before);
          seen.insert(found.number);
          EXPECT_EQ(found.differential, -back.differential);
          EXPECT_EQ(found.algebraic, -back.algebraic);
          EXPECT_EQ(found.undetermined, -back.undetermined);
        }
      }
    }
  }
  EXPECT_EQ(seen.size(), 13U);
}

TEST(TransferCase, ListIsInOrderWithoutRepetition) {
  std::set<std::tuple<int, int, int>> signs;
  int expected = 1;
  for (const TransferCase& item : transfer_cases()) {
    EXPECT_EQ(item.number, expected++);
    EXPECT_TRUE(signs.emplace(item.differential, item.algebraic, item.undetermined).second);
  }
  EXPECT_EQ(expected, 14);
}

TEST(TransferCase, ModesOfDifferentSizeAreFilledUpWithUndeterminedComponents) {
  // A component disappears: it was differential, and is frozen.
  EXPECT_EQ(number({2, 1, 0}, {1, 1, 0}), 5);
  // It comes back.
  EXPECT_EQ(number({1, 1, 0}, {2, 1, 0}), 10);
}

TEST(TransferCase, Consequences) {
  EXPECT_TRUE(transfer_case({2, 1, 0}, {1, 2, 0}).may_jump());
  EXPECT_FALSE(transfer_case({1, 2, 0}, {2, 1, 0}).may_jump());
  EXPECT_TRUE(transfer_case({1, 2, 0}, {1, 1, 1}).is_ambiguous());
  EXPECT_EQ(text_of(transfer_case({1, 1, 0}, {1, 1, 0})), "case 1: as many components of each kind");
  EXPECT_EQ(text_of(transfer_case({2, 1, 0}, {1, 2, 0})),
            "case 4: fewer differential, more algebraic components; values may jump");
  EXPECT_EQ(
      text_of(transfer_case({3, 1, 0}, {1, 2, 1})),
      "case 6: fewer differential, more algebraic and undetermined components; values may jump; undetermined "
      "components are frozen");
}

}  // namespace
}  // namespace saltus::reduce
