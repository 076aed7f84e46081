// The corpus of the fuzz targets without a fuzzer: odd models are read, analysed and run for a moment, and all of it ends with a value.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "../../fuzz/model_work.hpp"
#include "support/source_folder.hpp"

namespace saltus {
namespace {

std::vector<std::filesystem::path> corpus() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(test::source_folder() + "/fuzz/corpus")) {
    if (entry.is_regular_file()) {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

TEST(FuzzCorpus, EveryTextEndsWithAValue) {
  const std::vector<std::filesystem::path> files = corpus();
  EXPECT_GE(files.size(), 20U);
  for (const std::filesystem::path& file : files) {
    std::ifstream in(file, std::ios::binary);
    std::stringstream text;
    text << in.rdbuf();
    EXPECT_NO_THROW(fuzz::analyse_text(text.str())) << file;
    for (const char* method : fuzz::kMethods) {
      EXPECT_NO_THROW(fuzz::run_text(text.str(), method)) << file << ' ' << method;
    }
  }
}

}  // namespace
}  // namespace saltus
