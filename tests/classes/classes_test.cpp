// Models made of classes that must hold: tests/classes/hold/*.test.
//
// A file holds cases: "=== name", then the text. Each model is run; its assertions say what must be true. Then the flat text that
// it was made into is run too and must give the same rows and events.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "saltus/model.hpp"
#include "saltus/model_request.hpp"
#include "saltus/simulate.hpp"
#include "support/source_folder.hpp"

namespace saltus {
namespace {

namespace fs = std::filesystem;

const fs::path kFolder = fs::path(test::source_folder()) / "tests/classes/hold";

std::vector<std::string> files() {
  std::vector<std::string> result;
  for (const auto& entry : fs::directory_iterator(kFolder)) {
    result.push_back(entry.path().stem().string());
  }
  std::sort(result.begin(), result.end());
  return result;
}

std::vector<std::pair<std::string, std::string>> cases_of(const std::string& file) {
  std::ifstream in(kFolder / (file + ".test"));
  std::vector<std::pair<std::string, std::string>> cases;
  std::string line;
  while (std::getline(in, line)) {
    if (line.rfind("=== ", 0) == 0) {
      cases.emplace_back(line.substr(4), std::string());
    } else if (!cases.empty()) {
      cases.back().second += line + "\n";
    }
  }
  return cases;
}

std::string run(const Model& model, std::vector<double>& rows, std::size_t& n_events) {
  const Result<SimulationResult> result = simulate(model);
  if (!result) {
    return render_text(result.error());
  }
  const Trajectory& trajectory = result->trajectory;
  for (std::size_t row = 0; row < trajectory.n_rows(); ++row) {
    const auto values = trajectory.row(row);
    rows.insert(rows.end(), values.begin(), values.end());
  }
  n_events = result->events.size();
  return result->ok() ? std::string() : result->message;
}

class ModelsOfClasses : public ::testing::TestWithParam<std::string> {};

TEST_P(ModelsOfClasses, HoldAndSoDoesTheirFlatText) {
  for (const auto& [name, text] : cases_of(GetParam())) {
    SCOPED_TRACE(name);
    const Result<Model> model = Model::from_text(name + ".mo", text);
    if (!model) {
      ADD_FAILURE() << render_text(model.error());
      continue;
    }
    std::vector<double> rows;
    std::size_t n_events = 0;
    EXPECT_EQ(run(*model, rows, n_events), "");
    const Result<Model> flat = Model::from_text(name + ".mo", flat_text(*model));
    if (!flat) {
      ADD_FAILURE() << render_text(flat.error()) << flat_text(*model);
      continue;
    }
    std::vector<double> flat_rows;
    std::size_t n_flat_events = 0;
    EXPECT_EQ(run(*flat, flat_rows, n_flat_events), "");
    EXPECT_TRUE(rows == flat_rows) << flat_text(*model);
    EXPECT_EQ(n_events, n_flat_events);
  }
}

INSTANTIATE_TEST_SUITE_P(Files, ModelsOfClasses, ::testing::ValuesIn(files()),
                         [](const auto& given) { return given.param; });

}  // namespace
}  // namespace saltus
