#include "saltus/result.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "saltus/contract.hpp"

namespace saltus {
namespace {

Result<int> half(int value) {
  if (value % 2 != 0) {
    Diagnostics problems;
    problems.error(DiagnosticCode{"odd"}, "3 is odd");
    return Unexpected(std::move(problems));
  }
  return value / 2;
}

TEST(Result, HoldsAValueOrTheReason) {
  EXPECT_TRUE(half(4).has_value());
  EXPECT_EQ(*half(4), 2);
  const Result<int> failed = half(3);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().items().at(0).code, "odd");
}

TEST(Result, ValueOfAFailureThrowsItsText) {
  try {
    static_cast<void>(half(3).value());
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("3 is odd [odd]"), std::string::npos);
  }
}

TEST(Result, MovesValuesThatCannotBeCopied) {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(5);
  const std::unique_ptr<int> taken = std::move(result).value();
  EXPECT_EQ(*taken, 5);
}

TEST(Result, ErrorTypesOfOtherLayersWork) {
  enum class Reason { singular };
  const Result<int, Reason> failed = Unexpected(Reason::singular);
  EXPECT_EQ(failed.error(), Reason::singular);
  EXPECT_THROW(static_cast<void>(failed.value()), Error);
}

TEST(Contract, MisuseThrowsWithConditionAndReason) {
  const int size = -1;
  try {
    SALTUS_EXPECT(size >= 0, "size of the span");
    FAIL();
  } catch (const ContractViolation& violation) {
    EXPECT_NE(std::string(violation.what()).find("'size >= 0' does not hold: size of the span"),
              std::string::npos);
  }
}

}  // namespace
}  // namespace saltus
