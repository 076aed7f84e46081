// The corpus of wrong models (tests/corpus/fail/*.test) and of right ones (tests/corpus/pass, examples).
//
// A file of wrong models holds cases: "=== name" (with " .saltus" for that dialect), the text, "--- expect", and one
// line "severity code line:column" for each diagnostic, in order.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "flat/verify.hpp"
#include "lang/compile.hpp"
#include "support/flat_print.hpp"

namespace saltus {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = SALTUS_SOURCE_DIR;

std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

std::vector<fs::path> files_of(const fs::path& folder, const std::vector<std::string>& endings) {
  std::vector<fs::path> result;
  if (fs::exists(folder)) {
    for (const auto& entry : fs::directory_iterator(folder)) {
      if (std::find(endings.begin(), endings.end(), entry.path().extension()) != endings.end()) {
        result.push_back(entry.path());
      }
    }
  }
  std::sort(result.begin(), result.end());
  return result;
}

struct Case {
  std::string name;
  lang::Dialect dialect = lang::Dialect::modelica;
  std::string text;
  std::vector<std::string> expected;
};

std::vector<Case> read_cases(const fs::path& path) {
  std::vector<Case> cases;
  std::istringstream in(read(path));
  std::string line;
  bool expecting = false;
  while (std::getline(in, line)) {
    if (line.rfind("=== ", 0) == 0) {
      cases.emplace_back();
      cases.back().name = line.substr(4);
      if (line.size() > 8 && line.substr(line.size() - 8) == " .saltus") {
        cases.back().dialect = lang::Dialect::saltus;
      }
      expecting = false;
    } else if (line == "--- expect") {
      expecting = true;
    } else if (!cases.empty() && !expecting) {
      cases.back().text += line + "\n";
    } else if (!cases.empty() && !line.empty()) {
      cases.back().expected.push_back(line);
    }
  }
  return cases;
}

std::vector<std::string> summary(const Diagnostics& diagnostics) {
  std::vector<std::string> lines;
  for (const Diagnostic& item : diagnostics.items()) {
    std::string line = std::string(to_string(item.severity)) + " " + item.code;
    if (item.span) {
      const SourcePosition position = diagnostics.source()->position(item.span->offset);
      line += " " + std::to_string(position.line) + ":" + std::to_string(position.column);
    }
    lines.push_back(line);
  }
  return lines;
}

lang::Dialect dialect_of(const fs::path& path) {
  return path.extension() == ".saltus" ? lang::Dialect::saltus : lang::Dialect::modelica;
}

class WrongModels : public testing::TestWithParam<fs::path> {};

TEST_P(WrongModels, GiveTheirDiagnostics) {
  const std::vector<Case> cases = read_cases(GetParam());
  EXPECT_FALSE(cases.empty());
  for (const Case& item : cases) {
    SCOPED_TRACE(item.name);
    lang::CompileOptions options;
    options.dialect = item.dialect;
    const auto compiled = lang::compile(std::make_shared<const SourceText>("case.mo", item.text), options);
    const Diagnostics& diagnostics = compiled ? compiled->warnings : compiled.error();
    EXPECT_EQ(summary(diagnostics), item.expected) << render_text(diagnostics);
  }
}

std::string test_name(const testing::TestParamInfo<fs::path>& info) {
  std::string name = info.param.stem().string();
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Fail, WrongModels,
                         testing::ValuesIn(files_of(kRoot / "tests/corpus/fail", {".test"})), test_name);

class RightModels : public testing::TestWithParam<fs::path> {};

flat::Model compile_or_fail(const std::string& name, const std::string& text, lang::Dialect dialect) {
  lang::CompileOptions options;
  options.dialect = dialect;
  auto compiled = lang::compile(std::make_shared<const SourceText>(name, text), options);
  EXPECT_TRUE(compiled.has_value()) << render_text(compiled.error()) << text;
  return compiled ? std::move(compiled->model) : flat::Model{};
}

TEST_P(RightModels, CompileToWellFormedModelsThatPrintBack) {
  const lang::Dialect dialect = dialect_of(GetParam());
  const flat::Model model = compile_or_fail(GetParam().string(), read(GetParam()), dialect);
  EXPECT_EQ(flat::verify(model), std::vector<std::string>{});
  const std::string text = flat::print(model);
  const flat::Model again = compile_or_fail("printed", text, dialect);
  EXPECT_EQ(flat::verify(again), std::vector<std::string>{});
  EXPECT_EQ(flat::print(again), text);
  EXPECT_EQ(again.variables.size(), model.variables.size());
  EXPECT_EQ(again.parameters.size(), model.parameters.size());
  EXPECT_EQ(again.equations.size(), model.equations.size());
  EXPECT_EQ(again.initial_equations.size(), model.initial_equations.size());
  EXPECT_EQ(again.guards.size(), model.guards.size()) << text;
  EXPECT_EQ(again.conditions.size(), model.conditions.size()) << text;
  EXPECT_EQ(again.when_clauses.size(), model.when_clauses.size());
  EXPECT_EQ(again.assertions.size(), model.assertions.size());
  EXPECT_EQ(again.modes.size(), model.modes.size());
}

INSTANTIATE_TEST_SUITE_P(Examples, RightModels,
                         testing::ValuesIn(files_of(kRoot / "examples", {".mo", ".saltus"})), test_name);
INSTANTIATE_TEST_SUITE_P(Pass, RightModels,
                         testing::ValuesIn(files_of(kRoot / "tests/corpus/pass", {".mo", ".saltus"})),
                         test_name);

}  // namespace
}  // namespace saltus
