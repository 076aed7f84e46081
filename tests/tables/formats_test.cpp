// Files of results in every format: what is written is read again; what is damaged is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <sstream>

#include "saltus/saltus.hpp"
#include "support/temporary_folder.hpp"

namespace saltus {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

ResultTable small_table() {
  ResultTable table;
  table.times = {0.0, 0.1, 0.1, 1.0 / 3.0};
  table.segments = {0, 0, 1, 1};
  table.mode_names = {"main", "sliding on \"h\", ä"};
  table.modes = {0, 0, 1, 1};
  table.columns = {{"x", "m", "place", {1.0, -0.0, 1e-300, 0.1}},
                   {"a[1,2]", "", "", {kNone, 2.0, std::numeric_limits<double>::infinity(), -1e300}},
                   {"größe", "rad", "", {1.0, 2.0, 3.0, 4.0}}};
  table.parameters = {{"k", 0.1}, {"c", -2.0}};
  return table;
}

// NaN is the same as NaN, whatever its bits.
void expect_same(const std::vector<double>& a, const std::vector<double>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_TRUE((std::isnan(a[i]) && std::isnan(b[i])) ||
                (a[i] == b[i] && std::signbit(a[i]) == std::signbit(b[i])))
        << a[i] << " " << b[i];
  }
}

void expect_rows(const ResultTable& table, const ResultTable& other) {
  expect_same(table.times, other.times);
  ASSERT_EQ(table.columns.size(), other.columns.size());
  for (std::size_t k = 0; k < table.columns.size(); ++k) {
    EXPECT_EQ(table.columns[k].name, other.columns[k].name);
    expect_same(table.columns[k].values, other.columns[k].values);
  }
}

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

// A MAT file knows no segments: that row 3 is of segment 0 would be made up.
TEST(ResultTables, WhatIsNotKnownIsNotWritten) {
  const test::TemporaryFolder folder;
  ResultTable table = small_table();
  table.columns.resize(1);
  ASSERT_FALSE(write_result_table(table, folder.file("a.mat")).has_errors());
  ASSERT_FALSE(
      write_result_table(*read_result_table(folder.file("a.mat")), folder.file("a.csv")).has_errors());
  EXPECT_EQ(bytes_of(folder.file("a.csv")), "time,x\n0,1\n0.1,-0\n0.1,1e-300\n0.3333333333333333,0.1\n");
  const Result<ResultTable> read = read_result_table(folder.file("a.csv"));
  ASSERT_TRUE(read) << render_text(read.error());
  expect_rows(table, *read);
  EXPECT_TRUE(read->segments.empty());
}

TEST(ResultTables, OfRunsStayTablesOfRuns) {
  const test::TemporaryFolder folder;
  ResultTable table;
  table.abscissa = "run";
  table.times = {1.0, 2.0};
  table.columns = {{"k", "", "", {0.5, kNone}}};
  for (const char* name : {"a.csv", "a.mat", "a.npz"}) {
    ASSERT_FALSE(write_result_table(table, folder.file(name)).has_errors()) << name;
    const Result<ResultTable> read = read_result_table(folder.file(name));
    ASSERT_TRUE(read) << render_text(read.error());
    EXPECT_EQ(read->abscissa, "run");
    expect_rows(table, *read);
  }
}

// Readers rely on names that are different and on times that go one way, whatever the format.
TEST(ResultTables, ThatCannotBeReadByNameAndTimeAreRefused) {
  const test::TemporaryFolder folder;
  const auto error = [&](const ResultTable& table, const char* name) {
    EXPECT_FALSE(write_result_table(table, folder.file(name)).has_errors()) << name;
    const Result<ResultTable> read = read_result_table(folder.file(name));
    return read ? "" : render_text(read.error());
  };
  for (const char* name : {"a.csv", "a.mat", "a.npz"}) {
    ResultTable twice = small_table();
    twice.columns[2].name = "x";
    EXPECT_THAT(error(twice, name), HasSubstr("two columns are named 'x' [wrong-result-file]")) << name;
    ResultTable back = small_table();
    back.times = {0.0, 2.0, 1.0, 3.0};
    EXPECT_THAT(error(back, name), HasSubstr("row 3 is of time 1 and the one before of 2")) << name;
    back.times = {3.0, 2.0, 2.0, -1.0};
    EXPECT_EQ(error(back, name), "") << name;
  }
}

TEST(ResultTables, AreReadAsTheyWereWritten) {
  const test::TemporaryFolder folder;
  const ResultTable table = small_table();
  for (const char* name : {"a.csv", "a.mat", "a.npz"}) {
    ASSERT_FALSE(write_result_table(table, folder.file(name)).has_errors()) << name;
    const Result<ResultTable> read = read_result_table(folder.file(name));
    ASSERT_TRUE(read) << render_text(read.error());
    expect_rows(table, *read);
    const bool is_mat = std::string(name) == "a.mat";
    EXPECT_EQ(read->segments, is_mat ? std::vector<std::int64_t>() : table.segments) << name;
    EXPECT_EQ(read->modes, is_mat ? std::vector<std::size_t>() : table.modes) << name;
    if (is_mat) {
      EXPECT_EQ(read->columns[0].unit, "m");
      EXPECT_EQ(read->columns[0].description, "place");
      EXPECT_EQ(read->columns[2].unit, "rad");
      ASSERT_EQ(read->parameters.size(), 2U);
      EXPECT_EQ(read->parameters[0].name, "k");
      EXPECT_EQ(read->parameters[1].value, -2.0);
    } else {
      EXPECT_EQ(read->mode_names, table.mode_names) << name;
    }
  }
}

TEST(ResultTables, CutOrDamagedFilesAreRefusedOrTheSame) {
  const test::TemporaryFolder folder;
  const ResultTable table = small_table();
  for (const char* name : {"a.mat", "a.npz"}) {
    ASSERT_FALSE(write_result_table(table, folder.file(name)).has_errors());
    const std::string bytes = bytes_of(folder.file(name));
    const std::string other = folder.file(std::string("b") + name);
    for (std::size_t n = 0; n < bytes.size(); n += 13) {
      std::ofstream(other, std::ios::binary) << bytes.substr(0, n);
      EXPECT_FALSE(read_result_table(other)) << name << " " << n;
    }
    for (std::size_t n = 0; n < bytes.size(); n += 5) {
      std::string damaged = bytes;
      damaged[n] = static_cast<char>(damaged[n] ^ 0x41);
      std::ofstream(other, std::ios::binary) << damaged;
      (void)read_result_table(other);  // it is refused or read; nothing else happens
    }
  }
}

TEST(ResultTables, OtherFilesAreNamed) {
  const test::TemporaryFolder folder;
  const auto error = [&](const std::string& name, const std::string& text) {
    std::ofstream(folder.file(name), std::ios::binary) << text;
    const Result<ResultTable> read = read_result_table(folder.file(name));
    return read ? std::string() : render_text(read.error());
  };
  EXPECT_THAT(error("a.csv", "x,y\n1,2\n"),
              HasSubstr("the first column is 'x' and not 'time' [wrong-result-file]"));
  EXPECT_THAT(error("a.csv", "time,y\n1,b\n"), HasSubstr("a.csv:2: 'b' of 'y' is not a number"));
  EXPECT_THAT(error("a.csv", "time,y\n1\n"), HasSubstr("the row has 1 cells, and there are 2 columns"));
  EXPECT_THAT(error("a.mat", "MATLAB 5.0 MAT-file and so on"), HasSubstr("not a MATLAB file of format 4"));
  EXPECT_THAT(error("a.npz", "nothing"), HasSubstr("it is not a zip archive"));
  EXPECT_THAT(error("a.txt", ""), HasSubstr("[unknown-result-format]"));
  EXPECT_FALSE(read_result_table(folder.file("none.csv")));
  EXPECT_THAT(render_text(write_result_table(small_table(), folder.file("a.xls"))),
              HasSubstr("ends in none of .csv, .mat and .npz [unknown-result-format]"));
  EXPECT_EQ(error("a.csv", "time,y,on\n0,1,true\n1,inf,false\n"), "");
}

// A file as other tools write it: by rows, in single precision, with an alias of the other sign.
TEST(ResultTables, FilesOfOtherToolsAreRead) {
  const test::TemporaryFolder folder;
  std::string bytes;
  const auto number = [&](auto value) { bytes.append(reinterpret_cast<const char*>(&value), sizeof value); };
  const auto head = [&](std::int32_t type, std::int32_t rows, std::int32_t columns, const std::string& name) {
    for (const std::int32_t item : {type, rows, columns, 0, static_cast<std::int32_t>(name.size()) + 1}) {
      number(item);
    }
    bytes += name + '\0';
  };
  head(51, 4, 9, "Aclass");
  const std::string lines[] = {"Atraject ", "1.1      ", "         ", "binNormal"};
  for (std::size_t k = 0; k < 9; ++k) {
    for (const std::string& line : lines) {
      bytes += line[k];
    }
  }
  head(51, 3, 4, "name");
  const std::string names[] = {"Time", "x   ", "y   "};
  for (std::size_t k = 0; k < 4; ++k) {
    for (const std::string& name : names) {
      bytes += name[k];
    }
  }
  head(20, 3, 4, "dataInfo");
  for (const std::int32_t item : {0, 2, 2, 1, 2, -2, 0, 0, 0, -1, -1, -1}) {
    number(item);
  }
  head(10, 2, 2, "data_2");
  for (const float item : {0.0F, 1.0F, 5.0F, 6.0F}) {
    number(item);
  }
  std::ofstream(folder.file("o.mat"), std::ios::binary) << bytes;
  const Result<ResultTable> read = read_result_table(folder.file("o.mat"));
  ASSERT_TRUE(read) << render_text(read.error());
  EXPECT_THAT(read->times, ElementsAre(0, 1));
  EXPECT_THAT(read->find("x")->values, ElementsAre(5, 6));
  EXPECT_THAT(read->find("y")->values, ElementsAre(-5, -6));
}

TEST(ResultTables, OfARun) {
  const test::TemporaryFolder folder;
  const Result<Model> model =
      Model::from_text("b.mo", R"(model B parameter Real e = 0.8; parameter String s = "a";
  Real h(start = 1, fixed = true, unit = "m") "height"; Real v(start = 0, fixed = true);
equation der(h) = v; der(v) = -10; when h <= 0 then reinit(v, -e*pre(v)); end when; end B;)");
  ASSERT_TRUE(model);
  ResultFiles files(
      *model,
      {.folder = folder.path(), .csv = false, .json = false, .html = false, .mat = true, .npz = true});
  SimulationOptions options;
  options.sink = &files;
  const Result<SimulationResult> result = simulate(*model, options);
  ASSERT_TRUE(result);
  ASSERT_FALSE(files.finish(*result).has_errors());
  for (const char* name : {"trajectory.csv", "trajectory.mat", "trajectory.npz", ""}) {
    const Result<ResultTable> table = read_result_table(folder.file(name));
    ASSERT_TRUE(table) << name;
    ASSERT_EQ(table->times.size(), result->trajectory.n_rows());
    for (std::size_t i = 0; i < table->times.size(); ++i) {
      EXPECT_EQ(table->times[i], result->trajectory.times()[i]);
      EXPECT_EQ(table->find("h")->values[i], result->trajectory.row(i)[0]);
    }
  }
  const Result<ResultTable> mat = read_result_table(folder.file("trajectory.mat"));
  EXPECT_EQ(mat->find("h")->unit, "m");
  EXPECT_EQ(mat->find("h")->description, "height");
  ASSERT_EQ(mat->parameters.size(), 1U);
  EXPECT_EQ(mat->parameters[0].value, 0.8);
}

}  // namespace
}  // namespace saltus
