// CSV as files really have it: quotes, line ends of three systems, blanks, and what is wrong with it.
#include "base/csv_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace saltus {
namespace {

using ::testing::ElementsAre;

std::vector<CsvRow> rows_of(std::string_view text) {
  const auto read = read_csv(text);
  return std::holds_alternative<std::vector<CsvRow>>(read) ? std::get<std::vector<CsvRow>>(read)
                                                           : std::vector<CsvRow>();
}

TEST(CsvText, RowsAndCells) {
  for (const char* const end : {"\n", "\r\n", "\n\n"}) {
    const std::string text = std::string("time, u\t,v") + end + "0,1 ,-2e3" + end + "1,,3";
    const std::vector<CsvRow> rows = rows_of(text);
    ASSERT_EQ(rows.size(), 3U) << end;
    EXPECT_THAT(rows[0].cells, ElementsAre("time", "u", "v"));
    EXPECT_THAT(rows[1].cells, ElementsAre("0", "1", "-2e3"));
    EXPECT_THAT(rows[2].cells, ElementsAre("1", "", "3"));
  }
  EXPECT_TRUE(rows_of("").empty());
  EXPECT_TRUE(rows_of("\n \n\r\n").empty());
}

TEST(CsvText, QuotesHoldCommasLineEndsAndQuotes) {
  const std::vector<CsvRow> rows =
      rows_of("\xEF\xBB\xBF\"a[1,2]\" , \"say \"\"x\"\"\"\n\"two\nlines\",3\n4,5\n");
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_THAT(rows[0].cells, ElementsAre("a[1,2]", "say \"x\""));
  EXPECT_THAT(rows[1].cells, ElementsAre("two\nlines", "3"));
  EXPECT_EQ(rows[1].line, 2);
  EXPECT_EQ(rows[2].line, 4);
}

TEST(CsvText, WhatIsWrongHasItsLine) {
  const auto open = read_csv("a,b\n1,\"2\n3,4\n");
  ASSERT_TRUE(std::holds_alternative<CsvProblem>(open));
  EXPECT_EQ(std::get<CsvProblem>(open).line, 2);
  const auto after = read_csv("a,b\n1,2\n\"3\"4,5\n");
  ASSERT_TRUE(std::holds_alternative<CsvProblem>(after));
  EXPECT_EQ(std::get<CsvProblem>(after).line, 3);
}

}  // namespace
}  // namespace saltus
