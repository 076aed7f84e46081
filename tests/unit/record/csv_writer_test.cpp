#include "record/csv_writer.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <limits>
#include <sstream>

#include "support/temporary_folder.hpp"

namespace saltus::record {
namespace {

std::string read_all(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

TEST(CsvField, QuotesOnlyWhatMustBeQuoted) {
  EXPECT_EQ(csv_field("x[1]"), "x[1]");
  EXPECT_EQ(csv_field("A[1,2]"), "\"A[1,2]\"");
  EXPECT_EQ(csv_field("'say \"a\"'"), "\"'say \"\"a\"\"'\"");
  EXPECT_EQ(csv_field("a\nb"), "\"a\nb\"");
}

TEST(CsvWriter, WritesHeaderAndRowsFromVariableMajorBlocks) {
  const test::TemporaryFolder folder;
  const std::vector<Column> columns{{"x", "", ""}, {"A[1,2]", "", ""}};
  Result<CsvWriter> writer = CsvWriter::create(folder.file("t.csv"));
  ASSERT_TRUE(writer);
  writer->write_header(columns);
  const std::vector<double> times{0.0, 0.1};
  const std::vector<double> values{1, 2, 99, 0.1, -0.0, 99};  // stride 3, two rows used
  writer->write({times, values, 3, 0, "main"});
  writer->write({std::span(times).first(1), values, 3, 7, "main sliding on a, b"});
  EXPECT_TRUE(writer->commit().empty());
  EXPECT_EQ(read_all(folder.file("t.csv")),
            "time,segment,mode,x,\"A[1,2]\"\n"
            "0,0,main,1,0.1\n"
            "0.1,0,main,2,-0\n"
            "0,7,\"main sliding on a, b\",1,0.1\n");
}

TEST(CsvWriter, NumbersReadBackAsTheSameBits) {
  const test::TemporaryFolder folder;
  const std::vector<Column> columns{{"x", "", ""}};
  using Limits = std::numeric_limits<double>;
  const std::vector<double> values{
      0.1 + 0.2, 1.0 / 3.0, Limits::denorm_min(), Limits::max(), -Limits::min(),    1e22,
      123456789, 5e-324,    1e9 + 0.001,          -0.0,          Limits::infinity()};
  Result<CsvWriter> writer = CsvWriter::create(folder.file("t.csv"));
  ASSERT_TRUE(writer);
  writer->write_header(columns);
  writer->write({values, values, values.size(), 0, "main"});
  ASSERT_TRUE(writer->commit().empty());
  std::ifstream in(folder.file("t.csv"));
  std::string line;
  std::getline(in, line);
  for (const double expected : values) {
    ASSERT_TRUE(std::getline(in, line));
    const double time = std::strtod(line.c_str(), nullptr);
    const double value = std::strtod(line.c_str() + line.rfind(',') + 1, nullptr);
    EXPECT_EQ(std::memcmp(&time, &expected, sizeof time), 0) << line;
    EXPECT_EQ(std::memcmp(&value, &expected, sizeof value), 0) << line;
  }
}

// More columns than one reservation of the buffer holds.
TEST(CsvWriter, ManyColumns) {
  const test::TemporaryFolder folder;
  constexpr std::size_t kColumns = 20'000;
  const std::vector<Column> columns(kColumns, Column{"x", "", ""});
  std::vector<double> values(kColumns);
  for (std::size_t i = 0; i < kColumns; ++i) {
    values[i] = -1.0 / static_cast<double>(i + 3);
  }
  Result<CsvWriter> writer = CsvWriter::create(folder.file("t.csv"));
  ASSERT_TRUE(writer);
  writer->write_header(columns);
  const double time = 0.5;
  writer->write({{&time, 1}, values, 1, 0, "main"});
  ASSERT_TRUE(writer->commit().empty());
  const std::string text = read_all(folder.file("t.csv"));
  const char* at = text.c_str() + text.find('\n') + 1 + std::strlen("0.5,0,main");
  for (std::size_t i = 0; i < kColumns; ++i) {
    ASSERT_EQ(*at, ',');
    char* end = nullptr;
    ASSERT_EQ(std::strtod(at + 1, &end), values[i]);
    at = end;
  }
  EXPECT_STREQ(at, "\n");
}

TEST(CsvWriter, WhatDoesNotExistIsEmpty) {
  const test::TemporaryFolder folder;
  const std::vector<Column> columns{{"x", "", ""}, {"lambda", "", ""}, {"y", "", ""}};
  Result<CsvWriter> writer = CsvWriter::create(folder.file("t.csv"));
  ASSERT_TRUE(writer);
  writer->write_header(columns);
  const double time = 0.5;
  const std::vector<double> values{1, std::numeric_limits<double>::quiet_NaN(), 2};
  writer->write({{&time, 1}, values, 1, 3, "flight"});
  ASSERT_TRUE(writer->commit().empty());
  EXPECT_EQ(read_all(folder.file("t.csv")), "time,segment,mode,x,lambda,y\n0.5,3,flight,1,,2\n");
}

}  // namespace
}  // namespace saltus::record
