#include "reduce/ranks/array_layout.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "saltus/contract.hpp"
#include "support/linear_dae.hpp"

namespace saltus::reduce {
namespace {

// x₁ of second order, x₂ of first, level 1: slots x₁ x₂ | x₁' x₂' | x₁'' x₂'' | x₁'''.
TEST(ArrayLayout, SlotsOfUnlikeOrders) {
  const test::JetDae dae(test::second_order_model({{1.0, 0.0}}, {{0.0, 0.0}}, {{0.0, 1.0}}));
  const auto array = dae.derivative_array(1);
  ASSERT_TRUE(array);
  const ArrayLayout layout = make_array_layout(**array, 1);
  EXPECT_EQ(layout.n_variables, 2);
  EXPECT_EQ(layout.order, 2);
  EXPECT_EQ(layout.orders, (std::vector<int>{2, 1}));
  EXPECT_EQ(layout.state, (std::vector<Index>{0, 1, 2}));
  EXPECT_EQ(layout.rate, (std::vector<Index>{2, 3, 4}));
  EXPECT_EQ(layout.top, (std::vector<Index>{4, 3}));
  EXPECT_EQ(layout.higher, (std::vector<Index>{5, 6}));
  // All orders of x₁ below the one written are differentiated.
  EXPECT_EQ(layout.differentiated, (std::vector<Index>{0, 2}));
  EXPECT_EQ(layout.algebraic, (std::vector<Index>{1}));
  const std::vector<ArrayGroup> groups = newton_groups(layout, StateOrder::algebraic_first, true);
  ASSERT_EQ(groups.size(), 4u);
  EXPECT_TRUE(groups[2].least_value);
  EXPECT_FALSE(groups[0].least_value);
  EXPECT_EQ(newton_groups(layout, StateOrder::all_alike, true)[0].slots, layout.state);
}

TEST(ArrayLayout, StatesAreFoundByQuantity) {
  const test::JetDae dae(test::second_order_model({{1.0, 0.0}}, {{0.0, 0.0}}, {{0.0, 1.0}}));
  const auto array = dae.derivative_array(0);
  const std::vector<system::StateInfo> states = {{.name = "der(x1)", .quantity = {0, 1}},
                                                 {.name = "x1", .quantity = {0, 0}},
                                                 {.name = "x2", .quantity = {1, 0}}};
  const ArrayLayout layout = make_array_layout(**array, 0, states);
  EXPECT_EQ(layout.state, (std::vector<Index>{2, 0, 1}));
  EXPECT_EQ(layout.rate, (std::vector<Index>{4, 2, 3}));
  EXPECT_THROW((void)make_array_layout(**array, 0, std::vector<system::StateInfo>{{"y", 1.0}}),
               ContractViolation);
}

}  // namespace
}  // namespace saltus::reduce
