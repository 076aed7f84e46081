#include "record/whole_file.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "record/output_file.hpp"
#include "support/temporary_folder.hpp"

namespace saltus::record {
namespace {

std::string text_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

std::size_t n_files(const std::string& folder) {
  std::size_t n = 0;
  for ([[maybe_unused]] const auto& item : std::filesystem::directory_iterator(folder)) {
    ++n;
  }
  return n;
}

TEST(WholeFile, IsReplacedAndLeavesNothingBeside) {
  const test::TemporaryFolder folder;
  const std::string path = folder.file("state");
  EXPECT_TRUE(replace_file(path, "one").empty());
  EXPECT_TRUE(replace_file(path, std::string(1 << 20, 'x')).empty());
  EXPECT_EQ(text_of(path), std::string(1 << 20, 'x'));
  EXPECT_EQ(n_files(folder.path()), 1U);
}

TEST(WholeFile, WhatFailsLeavesTheOneBefore) {
  const test::TemporaryFolder folder;
  std::filesystem::create_directory(folder.file("taken"));
  std::ofstream(folder.file("taken/inside")) << "x";
  const Diagnostics problems = replace_file(folder.file("taken"), "new");
  ASSERT_TRUE(problems.has_errors());
  EXPECT_EQ(problems.items()[0].code, "cannot-write-file");
  EXPECT_EQ(n_files(folder.path()), 1U);
  EXPECT_TRUE(replace_file(folder.file("missing/state"), "new").has_errors());
}

TEST(KeptOutput, GoesOnBehindWhatWasKept) {
  const test::TemporaryFolder folder;
  const std::string path = folder.file("rows.csv");
  OutputFile::Place place;
  {
    OutputFile file = OutputFile::create(path).value();
    file.write("first\n");
    place = file.keep().value();
    file.write("lost\n");
  }
  EXPECT_FALSE(std::filesystem::exists(path));
  for (int k = 0; k < 2; ++k) {  // killed once more before the next checkpoint
    OutputFile file = OutputFile::go_on(path, place).value();
    file.write("second\n");
    if (k == 1) {
      EXPECT_TRUE(file.commit().empty());
    }
  }
  EXPECT_EQ(text_of(path), "first\nsecond\n");
  EXPECT_EQ(n_files(folder.path()), 1U);
}

// A run that ended by itself has completed its file, with rows that do not count.
TEST(KeptOutput, GoesOnFromTheFinishedFile) {
  const test::TemporaryFolder folder;
  const std::string path = folder.file("rows.csv");
  OutputFile first = OutputFile::create(path).value();
  first.write("first\n");
  const OutputFile::Place place = first.keep().value();
  first.write("the end\n");
  EXPECT_TRUE(first.commit().empty());
  OutputFile second = OutputFile::go_on(path, place).value();
  second.write("second\n");
  const OutputFile::Place later = second.keep().value();
  EXPECT_EQ(later.size, 13U);
  EXPECT_TRUE(second.commit().empty());
  EXPECT_EQ(text_of(path), "first\nsecond\n");
}

TEST(KeptOutput, WhatIsMissingOrChangedIsRefused) {
  const test::TemporaryFolder folder;
  const std::string path = folder.file("rows.csv");
  OutputFile::Place place;
  {
    OutputFile file = OutputFile::create(path).value();
    file.write("first\n");
    place = file.keep().value();
  }
  EXPECT_TRUE(OutputFile::go_on(path, place).has_value());
  std::ofstream(path + ".kept.partial") << "fIrst\nmore";
  const auto changed = OutputFile::go_on(path, place);
  ASSERT_FALSE(changed.has_value());
  EXPECT_EQ(changed.error().items()[0].code, "cannot-go-on-with-file");
  EXPECT_EQ(text_of(path + ".kept.partial"), "fIrst\nmore");
  std::ofstream(path + ".kept.partial") << "fi";
  EXPECT_FALSE(OutputFile::go_on(path, place).has_value());
  std::filesystem::remove(path + ".kept.partial");
  EXPECT_FALSE(OutputFile::go_on(path, place).has_value());
}

TEST(KeptOutput, IsNotSharedByTwo) {
  const test::TemporaryFolder folder;
  const std::string path = folder.file("rows.csv");
  OutputFile file = OutputFile::create(path).value();
  file.write("first\n");
  const OutputFile::Place place = file.keep().value();
  EXPECT_FALSE(OutputFile::go_on(path, place).has_value());
}

}  // namespace
}  // namespace saltus::record
