#include "record/output_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "support/temporary_folder.hpp"

namespace saltus::record {
namespace {

std::size_t n_files(const std::string& folder) {
  std::size_t n = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder)) {
    ++n;
  }
  return n;
}

TEST(OutputFile, AppearsOnlyWhenWhole) {
  const test::TemporaryFolder folder;
  const std::string path = folder.file("a.txt");
  Result<OutputFile> file = OutputFile::create(path);
  ASSERT_TRUE(file);
  file->write("abc");
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_EQ(n_files(folder.path()), 1U);
  EXPECT_TRUE(file->commit().empty());
  EXPECT_TRUE(std::filesystem::exists(path));
  EXPECT_EQ(n_files(folder.path()), 1U);
}

TEST(OutputFile, LeavesTheOldFileAndNothingElseWhenAbandoned) {
  const test::TemporaryFolder folder;
  const std::string path = folder.file("a.txt");
  std::ofstream(path) << "old";
  {
    Result<OutputFile> file = OutputFile::create(path);
    ASSERT_TRUE(file);
    file->write("new");
  }
  EXPECT_EQ(n_files(folder.path()), 1U);
  EXPECT_EQ(std::filesystem::file_size(path), 3U);
}

TEST(OutputFile, TextLongerThanTheBuffer) {
  const test::TemporaryFolder folder;
  Result<OutputFile> file = OutputFile::create(folder.file("a.txt"));
  ASSERT_TRUE(file);
  const std::string text(3'000'000, 'x');
  file->write("head");
  file->write(text);
  file->write("tail");
  EXPECT_TRUE(file->commit().empty());
  EXPECT_EQ(std::filesystem::file_size(folder.file("a.txt")), text.size() + 8);
}

// Writing through the temporary name into /dev/full is what a full disk looks like.
TEST(OutputFile, ReportsAFullDisk) {
  const test::TemporaryFolder folder;
  const std::string path = folder.file("a.txt");
  const std::string temporary = path + "." + std::to_string(::getpid()) + ".partial";
  std::filesystem::create_symlink("/dev/full", temporary);
  Result<OutputFile> file = OutputFile::create(path);
  ASSERT_TRUE(file);
  file->write(std::string(1'000'000, 'x'));
  EXPECT_FALSE(file->ok());
  const Diagnostics diagnostics = file->commit();
  ASSERT_EQ(diagnostics.n_errors(), 1U);
  EXPECT_EQ(diagnostics.items()[0].code, "cannot-write-file");
  EXPECT_NE(diagnostics.items()[0].message.find(path), std::string::npos);
  EXPECT_NE(diagnostics.items()[0].hint.find("disk is full"), std::string::npos);
  EXPECT_EQ(n_files(folder.path()), 0U);
}

TEST(OutputFile, ReportsAFolderThatDoesNotExist) {
  const test::TemporaryFolder folder;
  const Result<OutputFile> file = OutputFile::create(folder.file("none/a.txt"));
  ASSERT_FALSE(file);
  EXPECT_NE(file.error().items()[0].message.find("No such file"), std::string::npos);
}

TEST(CreateFolder, MakesParentsAndReportsAFileInTheWay) {
  const test::TemporaryFolder folder;
  EXPECT_TRUE(create_folder(folder.file("a/b/c")).empty());
  EXPECT_TRUE(create_folder(folder.file("a/b/c")).empty());
  std::ofstream(folder.file("plain")) << "x";
  EXPECT_EQ(create_folder(folder.file("plain")).n_errors(), 1U);
  EXPECT_EQ(create_folder(folder.file("plain/below")).n_errors(), 1U);
}

}  // namespace
}  // namespace saltus::record
