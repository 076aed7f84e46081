#include "base/ids.hpp"

#include <gtest/gtest.h>

#include <type_traits>

namespace saltus {
namespace {

static_assert(!std::is_convertible_v<NodeId, VariableId>);
static_assert(!std::is_constructible_v<NodeId, VariableId>);
static_assert(!std::is_convertible_v<std::uint32_t, NodeId>);
static_assert(sizeof(NodeId) == 4);

TEST(Id, IsInvalidUntilItIsSet) {
  EXPECT_FALSE(NodeId().valid());
  EXPECT_TRUE(NodeId(std::uint32_t{0}).valid());
  EXPECT_LT(NodeId(std::uint32_t{1}), NodeId(std::uint32_t{2}));
  EXPECT_EQ(NodeId(std::size_t{7}).index(), 7U);
}

}  // namespace
}  // namespace saltus
