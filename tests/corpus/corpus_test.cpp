// The corpus of wrong models (tests/corpus/fail/*.test) and of right ones (tests/corpus/pass, examples).
//
// A file of wrong models holds cases: "=== name" (with " .saltus" for that dialect), the text, "--- expect", and one
// line "severity code line:column" for each diagnostic, in order.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "flat/verify.hpp"
#include "lang/compile.hpp"
#include "support/flat_print.hpp"
#include "support/source_folder.hpp"

namespace saltus {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = test::source_folder();

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

/// Lines that the flat text must have, whatever their order, and how often a text may occur in it.
struct FlatCase {
  std::string name;
  std::string text;
  std::vector<std::string> lines;
  std::vector<std::pair<std::size_t, std::string>> counts;
};

std::vector<FlatCase> read_flat_cases(const fs::path& path) {
  std::vector<FlatCase> cases;
  std::istringstream in(read(path));
  enum class Part { text, lines, counts } part = Part::text;
  for (std::string line; std::getline(in, line);) {
    if (line.rfind("=== ", 0) == 0) {
      cases.push_back({line.substr(4), {}, {}, {}});
      part = Part::text;
    } else if (line == "--- flat" || line == "--- count") {
      part = line == "--- flat" ? Part::lines : Part::counts;
    } else if (part == Part::text) {
      cases.back().text += line + "\n";
    } else if (!line.empty() && part == Part::lines) {
      cases.back().lines.push_back(line);
    } else if (!line.empty()) {
      const std::size_t blank = line.find(' ');
      cases.back().counts.emplace_back(std::stoul(line.substr(0, blank)), line.substr(blank + 1));
    }
  }
  return cases;
}

std::size_t n_occurrences(std::string_view text, std::string_view part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) {
    ++n;
  }
  return n;
}

class Classes : public testing::TestWithParam<fs::path> {};

TEST_P(Classes, BecomeTheFlatModelThatTheyMean) {
  const std::vector<FlatCase> cases = read_flat_cases(GetParam());
  EXPECT_FALSE(cases.empty());
  for (const FlatCase& item : cases) {
    SCOPED_TRACE(item.name);
    const auto compiled = lang::compile(std::make_shared<const SourceText>("case.mo", item.text), {});
    ASSERT_TRUE(compiled.has_value()) << render_text(compiled.error());
    const std::string flat(compiled->model.source->text());
    std::set<std::string> lines;
    std::istringstream in(flat);
    for (std::string line; std::getline(in, line);) {
      lines.insert(line.substr(std::min(line.find_first_not_of(' '), line.size())));
    }
    for (const std::string& line : item.lines) {
      EXPECT_EQ(lines.count(line), 1U) << line << "\n" << flat;
    }
    for (const auto& [count, text] : item.counts) {
      EXPECT_EQ(n_occurrences(flat, text), count) << text << "\n" << flat;
    }
    // The flat text is a model of the language, and the same one.
    const auto again = lang::compile(std::make_shared<const SourceText>("flat.mo", flat), {});
    ASSERT_TRUE(again.has_value()) << render_text(again.error()) << flat;
    EXPECT_EQ(again->model.source->text(), flat);
    // But for parameters that have decided what it consists of: there they decide nothing any more, and are final.
    EXPECT_EQ(std::regex_replace(flat::print(again->model), std::regex("final parameter"), "parameter"),
              std::regex_replace(flat::print(compiled->model), std::regex("final parameter"), "parameter"));
  }
}

INSTANTIATE_TEST_SUITE_P(Flat, Classes, testing::ValuesIn(files_of(kRoot / "tests/corpus/flat", {".test"})),
                         test_name);

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
