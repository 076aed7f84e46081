// Changes of the example models that must not change their solution: names, order of the equations, another run.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "saltus/simulate.hpp"
#include "support/source_folder.hpp"

namespace saltus {
namespace {

std::string read(const std::string& name) {
  std::ifstream in(test::source_folder() + "/examples/" + name);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

std::vector<std::string> example_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(test::source_folder() + "/examples")) {
    if (entry.path().extension() == ".mo") {
      names.push_back(entry.path().filename().string());
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

Model model_of(const std::string& text) {
  Result<Model> model = Model::from_text("example.mo", text);
  return std::move(model).value();
}

void expect_same_bits(const SimulationResult& a, const SimulationResult& b) {
  EXPECT_EQ(a.statistics.residual_evaluations, b.statistics.residual_evaluations);
  ASSERT_EQ(a.trajectory.n_rows(), b.trajectory.n_rows());
  for (std::size_t k = 0; k < a.trajectory.n_rows(); ++k) {
    const auto left = a.trajectory.row(k);
    const auto right = b.trajectory.row(k);
    ASSERT_TRUE(std::equal(left.begin(), left.end(), right.begin(), right.end())) << "row " << k;
  }
}

// Puts z_ before every use of these names, outside of comments and texts.
std::string renamed(const std::string& text, const std::set<std::string>& names) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i + 1;
    if (text.compare(i, 2, "//") == 0) {
      end = std::min(text.find('\n', i), text.size());
    } else if (text[i] == '"') {
      end = text.find('"', i + 1) + 1;
    } else if (std::isalpha(static_cast<unsigned char>(text[i])) != 0) {
      while (end < text.size() &&
             (std::isalnum(static_cast<unsigned char>(text[end])) != 0 || text[end] == '_')) {
        ++end;
      }
      const bool is_part = i > 0 && text[i - 1] == '.';  // of Modelica.Constants.pi
      out += !is_part && names.count(text.substr(i, end - i)) != 0 ? "z_" : "";
    } else if (std::isdigit(static_cast<unsigned char>(text[i])) != 0) {
      while (end < text.size() &&
             (std::isalnum(static_cast<unsigned char>(text[end])) != 0 || text[end] == '.')) {
        ++end;
      }
    }
    out += text.substr(i, end - i);
    i = end;
  }
  return out;
}

std::set<std::string> names_of(const Model& model) {
  std::set<std::string> names;
  for (const VariableInfo& variable : model.variables()) {
    names.insert(variable.name.substr(0, variable.name.find('[')));
  }
  for (const ParameterInfo& parameter : model.parameters()) {
    names.insert(parameter.name.substr(0, parameter.name.find('[')));
  }
  return names;
}

// The equations of the last equation section in another order; a loop or a when clause counts as one equation.
std::string shuffled(const std::string& text, std::mt19937& random) {
  const std::string word = "\nequation\n";
  const std::size_t begin = text.rfind(word) + word.size();
  const std::size_t end = std::min(text.find("\n  annotation", begin), text.find("\nend ", begin)) + 1;
  std::vector<std::string> equations(1);
  int depth = 0;
  std::istringstream lines(text.substr(begin, end - begin));
  for (std::string line; std::getline(lines, line);) {
    const std::string code = line.substr(0, line.find("//"));
    const auto has = [&](const char* words) { return code.find(words) != std::string::npos; };
    const bool begins_if = line.find_first_not_of(' ') != std::string::npos &&
                           line.compare(line.find_first_not_of(' '), 3, "if ") == 0;
    depth += has(" loop") || has("  when ") || begins_if ? 1 : 0;
    depth -= has("end for;") || has("end when;") || has("end if;") ? 1 : 0;
    equations.back() += line + "\n";
    if (depth == 0 && code.find(';') != std::string::npos) {
      equations.emplace_back();
    }
  }
  std::shuffle(equations.begin(), equations.end(), random);
  std::string out = text.substr(0, begin);
  for (const std::string& equation : equations) {
    out += equation;
  }
  return out + text.substr(end);
}

class ExampleTest : public ::testing::TestWithParam<std::string> {};

TEST_P(ExampleTest, ASecondRunAndNewNamesGiveTheSameBits) {
  const std::string text = read(GetParam());
  const Model model = model_of(text);
  const SimulationResult first = simulate(model).value();
  EXPECT_TRUE(first.ok()) << first.message;
  {
    SCOPED_TRACE("another run");
    expect_same_bits(first, simulate(model).value());
  }
  SCOPED_TRACE("new names");
  const Model other = model_of(renamed(text, names_of(model)));
  ASSERT_EQ(other.variables().size(), model.variables().size());
  EXPECT_EQ(other.variables()[0].name, "z_" + model.variables()[0].name);
  expect_same_bits(first, simulate(other).value());
}

// Sums are taken in another order, and what depends on rounding grows with the model's own sensitivity: an eighth of
// the time keeps chaotic examples comparable. Where equations are combined to show a constraint, their order decides which of them
// gives the derivatives: the fields agree on the constraints and differ beside them, so that runs agree to their tolerance.
TEST_P(ExampleTest, OrderOfTheEquationsChangesRoundingOnly) {
  const std::string text = read(GetParam());
  const Model model = model_of(text);
  const double stop = model.experiment().stop.value_or(1.0) / 8;
  const SimulationResult expected = simulate(model, {.stop = stop}).value();
  const bool combines = GetParam() == "transistor_amplifier.mo" || GetParam() == "parallel_bars.mo";
  const double allowed = combines ? model.experiment().tolerance.value_or(1e-6) : 1e-9;
  std::mt19937 random(6);
  for (int trial = 0; trial < 3; ++trial) {
    const std::string changed = shuffled(text, random);
    const SimulationResult result = simulate(model_of(changed), {.stop = stop}).value();
    ASSERT_EQ(result.final_values.size(), expected.final_values.size());
    for (std::size_t i = 0; i < expected.final_values.size(); ++i) {
      const double value = expected.final_values[i];
      ASSERT_NEAR(result.final_values[i], value, allowed * (1.0 + std::abs(value)))
          << expected.variables[i].name << "\n"
          << changed;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, ExampleTest, ::testing::ValuesIn(example_names()),
                         [](const auto& chosen) { return chosen.param.substr(0, chosen.param.find('.')); });

}  // namespace
}  // namespace saltus
