#include "parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "saltus/model.hpp"
#include "saltus/simulate.hpp"

namespace saltus::bench {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostUnknowns = 100;
constexpr double kPartOfRun =
    1e-6;  // of the model's own time: what is measured is everything before the first step

double milliseconds(const Model& model, const SimulationOptions& options) {
  const auto before = std::chrono::steady_clock::now();
  const Result<SimulationResult> result = simulate(model, options);
  const auto after = std::chrono::steady_clock::now();
  if (!result) {
    throw std::runtime_error(render_text(result.error()));
  }
  return std::chrono::duration<double, std::milli>(after - before).count();
}

// Every parameter that can be set, to the value that it has: the run is the same, and the values are bound to compiled code.
std::vector<SetValue> own_values(const Model& model) {
  std::vector<SetValue> set;
  for (const ParameterInfo& parameter : model.parameters()) {
    if (parameter.is_settable && !parameter.is_structural && parameter.value) {
      set.push_back({parameter.name, *parameter.value});
    }
  }
  return set;
}

struct Costs {
  double own = std::numeric_limits<double>::infinity();
  double set = std::numeric_limits<double>::infinity();
  double compiled = std::numeric_limits<double>::infinity();
};

Costs measure(const std::string& path, const Model& model, int repetitions) {
  SimulationOptions own;
  const double start = model.experiment().start.value_or(0.0);
  own.stop = start + kPartOfRun * (model.experiment().stop.value_or(start + 1.0) - start);
  own.interval = *own.stop - start;
  SimulationOptions set = own;
  set.set = own_values(model);
  Costs costs;
  for (int i = 0; i < repetitions; ++i) {
    costs.own = std::min(costs.own, milliseconds(model, own));
    costs.set = std::min(costs.set, milliseconds(model, set));
  }
  for (int i = 0; i < std::max(repetitions / 20, 1); ++i) {
    const Model fresh = Model::load(path).value();
    costs.compiled = std::min(costs.compiled, milliseconds(fresh, set));
  }
  return costs;
}

}  // namespace

void print_parameters(bool quick) {
  fmt::print("\n{:<28} {:>8} {:>6} {:>10} {:>10} {:>10} {:>12}\n", "parameters", "unknowns", "values",
             "own/ms", "set/ms", "more/ms", "compiled/ms");
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(SALTUS_SOURCE_DIR "/examples")) {
    if (entry.path().extension() == ".mo" || entry.path().extension() == ".saltus") {
      paths.push_back(entry.path());
    }
  }
  std::sort(paths.begin(), paths.end());
  double most = 0.0;
  for (const fs::path& path : paths) {
    const Model model = Model::load(path.string()).value();
    if (model.variables().size() > kMostUnknowns) {
      continue;
    }
    const Costs costs = measure(path.string(), model, quick ? 20 : 200);
    most = std::max(most, costs.set - costs.own);
    fmt::print("{:<28} {:>8} {:>6} {:>10.3f} {:>10.3f} {:>10.3f} {:>12.3f}\n", path.filename().string(),
               model.variables().size(), own_values(model).size(), costs.own, costs.set,
               costs.set - costs.own, costs.compiled);
  }
  fmt::print("largest: {:.3f} ms more\n", most);
}

}  // namespace saltus::bench
