#include "saltus/source_text.hpp"

#include <gtest/gtest.h>

#include "saltus/contract.hpp"

namespace saltus {
namespace {

TEST(SourceText, FindsLinesAndColumns) {
  const SourceText source("m", "ab\ncd\n\nlast");
  EXPECT_EQ(source.position(0).line, 1);
  EXPECT_EQ(source.position(4).line, 2);
  EXPECT_EQ(source.position(4).column, 2);
  EXPECT_EQ(source.position(6).line, 3);
  EXPECT_EQ(source.position(11).column, 5);
  EXPECT_EQ(source.line(2), "cd");
  EXPECT_EQ(source.line(3), "");
  EXPECT_EQ(source.line(4), "last");
  EXPECT_THROW(static_cast<void>(source.line(5)), ContractViolation);
  EXPECT_THROW(static_cast<void>(source.line(0)), ContractViolation);
}

TEST(SourceText, EmptyTextHasOneEmptyLine) {
  const SourceText source("m", "");
  EXPECT_EQ(source.position(0).line, 1);
  EXPECT_EQ(source.position(0).column, 1);
  EXPECT_EQ(source.line(1), "");
}

TEST(SourceText, SpansAreCutAtTheEnd) {
  const SourceText source("m", "abc");
  EXPECT_EQ(source.text(SourceSpan{1, 2}), "bc");
  EXPECT_EQ(source.text(SourceSpan{2, 100}), "c");
  EXPECT_EQ(source.text(SourceSpan{9, 1}), "");
}

TEST(SourceSpan, CoverIsTheSmallestSpanOverBoth) {
  EXPECT_EQ(cover({2, 3}, {10, 1}), (SourceSpan{2, 9}));
  EXPECT_EQ(cover({10, 1}, {2, 3}), (SourceSpan{2, 9}));
}

}  // namespace
}  // namespace saltus
