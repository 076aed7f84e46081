// Damaged models: every text gives diagnostics or a well-formed model, never anything else.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include <gtest/gtest.h>

#include "flat/verify.hpp"
#include "lang/compile.hpp"
#include "support/flat_print.hpp"
#include "support/source_folder.hpp"

namespace saltus {
namespace {

namespace fs = std::filesystem;

constexpr int kMutationsPerModel = 1000;

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  std::string word;
  const auto is_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.';
  };
  for (const char c : text) {
    if (!word.empty() && !(is_word(c) && is_word(word.back()))) {
      words.push_back(word);
      word.clear();
    }
    word += c;
  }
  words.push_back(word);
  return words;
}

TEST(DamagedModels, GiveDiagnosticsOrAWellFormedModel) {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(fs::path(test::source_folder()) / "tests/corpus/pass")) {
    paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  std::mt19937 random(20240611);
  for (const fs::path& path : paths) {
    std::ifstream in(path);
    std::stringstream text;
    text << in.rdbuf();
    const std::vector<std::string> words = words_of(text.str());
    for (int k = 0; k < kMutationsPerModel; ++k) {
      std::vector<std::string> damaged = words;
      const std::size_t i = random() % damaged.size();
      const std::size_t j = random() % damaged.size();
      switch (random() % 3) {
        case 0: damaged[i] = damaged[j]; break;
        case 1: std::swap(damaged[i], damaged[j]); break;
        default: damaged[i].clear(); break;
      }
      std::string result;
      for (const std::string& word : damaged) {
        result += word;
      }
      SCOPED_TRACE(result);
      lang::CompileOptions options;
      options.dialect = path.extension() == ".saltus" ? lang::Dialect::saltus : lang::Dialect::modelica;
      const auto compiled = lang::compile(std::make_shared<const SourceText>("damaged", result), options);
      if (compiled) {
        EXPECT_EQ(flat::verify(compiled->model), std::vector<std::string>{});
        const std::string printed = flat::print(compiled->model);
        const auto again = lang::compile(std::make_shared<const SourceText>("printed", printed), options);
        ASSERT_TRUE(again.has_value()) << printed << render_text(again.error());
        EXPECT_EQ(flat::print(again->model), printed);
      } else {
        EXPECT_TRUE(compiled.error().has_errors());
      }
      if (testing::Test::HasFailure()) {
        return;
      }
    }
  }
}

}  // namespace
}  // namespace saltus
