#include "formulations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "saltus/model.hpp"
#include "saltus/simulate.hpp"

namespace saltus::bench {
namespace {

using Options = std::vector<std::pair<std::string, std::string>>;

struct Mechanism {
  const char* name;
  const char* path;
  Options options;
  const char* invariant;  // empty: none
  const char* step;       // of runs with equal steps
};

const std::vector<Mechanism>& mechanisms() {
  static const std::vector<Mechanism> list = {
      {"compound pendulum", "examples/compound_pendulum.mo", {}, "E", "0.01"},
      {"rolling sphere", "examples/rolling_sphere.mo", {}, "E", "0.01"},
      {"knife edge", "bench/models/knife_edge.mo", {}, "E", "0.01"},
      {"car axis", "examples/car_axis.mo", {}, "", "0.001"},
      {"slider crank", "examples/slider_crank.mo", {}, "", "0.0005"},
      {"four-bar", "examples/four_bar.mo", {}, "", "0.001"},
      {"seven-bar", "examples/andrews_squeezer.mo", {}, "", "0.00001"},
      {"chain of 10", "bench/models/chain_of_links.mo", {{"set", "N=10"}}, "E", "0.001"},
      {"chain of 100", "bench/models/chain_of_links.mo", {{"set", "N=100"}, {"stop", "0.1"}}, "E", "0.001"},
      {"chain of 1000",
       "bench/models/chain_of_links.mo",
       {{"set", "N=1000"}, {"stop", "0.01"}},
       "E",
       "0.0005"},
  };
  return list;
}

constexpr const char* kFormulations[] = {"general",         "minimal",   "post-stabilized:holonomic",
                                         "post-stabilized", "baumgarte", "equivalent-control",
                                         "index-reduced",   "ggl"};
constexpr const char* kMethods[] = {"dopri5", "radau5"};
constexpr double kReferenceTolerance = 1e-11;

struct Measured {
  double milliseconds = std::numeric_limits<double>::infinity();
  SimulationResult result;
};

Measured run(const Model& model, const Options& list, const std::string& invariant, int repetitions) {
  SimulationOptions options;
  for (const auto& [name, value] : list) {
    if (const Diagnostics problems = set_option(options, name, value); !problems.empty()) {
      throw std::runtime_error(render_text(problems));
    }
  }
  options.keep_dense = false;
  options.rows_at_steps =
      true;  // rows between them would be moved onto the constraints, in some formulations
  if (!invariant.empty()) {
    options.invariants = {invariant};
  }
  Measured measured;
  for (int i = 0; i <= repetitions; ++i) {  // the first one compiles
    const std::clock_t before =
        std::clock();  // processor time: runs of a millisecond on a machine with other work
    Result<SimulationResult> result = simulate(model, options);
    const std::clock_t after = std::clock();
    if (!result) {
      throw std::runtime_error(render_text(result.error()));
    }
    const double time = 1e3 * static_cast<double>(after - before) / CLOCKS_PER_SEC;
    measured.milliseconds =
        i == 0 && repetitions > 0 ? measured.milliseconds : std::min(measured.milliseconds, time);
    measured.result = std::move(*result);
  }
  return measured;
}

// Of differentiated and other continuous variables at the end, relative to 1 + their size.
double error_of(const SimulationResult& result, const SimulationResult& reference) {
  double most = 0.0;
  for (std::size_t i = 0; i < reference.final_values.size(); ++i) {
    const auto same =
        std::find_if(result.variables.begin(), result.variables.end(),
                     [&](const VariableInfo& v) { return v.name == reference.variables[i].name; });
    if (same == result.variables.end() || reference.variables[i].name.starts_with("lambda")) {
      continue;
    }
    const double value = result.final_values[static_cast<std::size_t>(same - result.variables.begin())];
    most = std::max(
        most, std::abs(value - reference.final_values[i]) / (1.0 + std::abs(reference.final_values[i])));
  }
  return most;
}

Options with(Options options, const Options& more) {
  options.insert(options.end(), more.begin(), more.end());
  return options;
}

// One line: how it was run, and what came of it.
void print_line(const Model& model, const Mechanism& mechanism, const SimulationResult& reference,
                const std::string& formulation, const Options& how, int repetitions) {
  const std::string& method = how[0].second;
  const std::string size = (how[1].first == "step" ? "h=" : "") + how[1].second;
  Options options = with(mechanism.options, how);
  options.push_back({"max-time", "60"});
  if (!formulation.empty()) {
    options.push_back({"formulation", formulation});
  }
  try {
    const Measured measured = run(model, options, mechanism.invariant, repetitions);
    const SimulationResult& result = measured.result;
    const Monitors monitors = result.monitors.value_or(Monitors{});
    fmt::print("{:<20} {:<26} {:<7} {:>8} {:>6} {:>7} {:>9.3f} {:>9.1e} {:>9.1e} {:>9.1e} {:>9}\n", "",
               formulation, method, size, result.statistics.accepted_steps,
               result.statistics.residual_evaluations, measured.milliseconds,
               result.ok() ? error_of(result, reference) : std::nan(""), monitors.position, monitors.velocity,
               monitors.invariants.empty() ? "-" : fmt::format("{:.1e}", monitors.invariants[0].change));
  } catch (const std::runtime_error& problem) {
    const std::string text = problem.what();
    fmt::print("{:<20} {:<26} {:<7} {:>8} refused: {}\n", "", formulation, method, size,
               text.substr(0, text.find('\n')));
  }
}

}  // namespace

void print_formulations(bool quick) {
  for (const Mechanism& mechanism : mechanisms()) {
    const Model model = Model::load(std::string(SALTUS_SOURCE_DIR "/") + mechanism.path).value();
    const SimulationResult reference =
        run(model, with(mechanism.options, {{"tolerance", fmt::format("{}", kReferenceTolerance)}}), "", 0)
            .result;
    fmt::print("\n{:<20} {:<26} {:<7} {:>8} {:>6} {:>7} {:>9} {:>9} {:>9} {:>9} {:>9}\n", mechanism.name,
               "formulation", "method", "tol", "steps", "rhs", "time/ms", "error", "position", "velocity",
               "energy");
    const int repetitions = quick ? 1 : 3;
    for (const char* formulation : kFormulations) {
      for (const char* method : kMethods) {
        for (const char* tolerance :
             quick ? std::vector{"1e-6"} : std::vector<const char*>{"1e-4", "1e-6", "1e-8"}) {
          print_line(model, mechanism, reference, formulation, {{"method", method}, {"tolerance", tolerance}},
                     repetitions);
        }
      }
    }
    for (const char* formulation : kFormulations) {
      print_line(model, mechanism, reference, formulation, {{"method", "rk4"}, {"step", mechanism.step}},
                 repetitions);
    }
    for (const char* method : {"rattle", "rattle4"}) {
      print_line(model, mechanism, reference, "", {{"method", method}, {"step", mechanism.step}},
                 repetitions);
    }
  }
}

}  // namespace saltus::bench
