// Each example with all its parameters and start values, or as many columns as are named, over the plain run. Least of several runs, by the
// time of the thread, of simulate() with a model that was compiled before.
#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "measured_run.hpp"
#include "saltus/model.hpp"
#include "saltus/simulate.hpp"
#include "sensitivities/model_file.hpp"
#include "sensitivities/tables.hpp"

namespace saltus::bench {
namespace {

struct Case {
  std::string name;
  std::string file;  ///< from the root of the sources
  std::vector<std::string> sensitivities;
  std::string method;  ///< empty: chosen
};

struct Found {
  double seconds = 0.0;
  std::size_t columns = 0;
  std::int64_t steps = 0;
};

// `rows`: of the output; 0: as the model asks.
Found run(const Model& model, SimulationOptions options, double rows_apart) {
  options.keep_dense = false;
  options.keep_rows = rows_apart == 0.0;
  if (rows_apart > 0.0) {
    options.interval = rows_apart;
  }
  Found found;
  found.seconds = measure([&] {
                    const double begin = thread_seconds();
                    const SimulationResult result = simulate(model, options).value();
                    MeasuredRun run;
                    run.seconds = thread_seconds() - begin;
                    if (!result.ok()) {
                      throw std::runtime_error(result.message);
                    }
                    found.steps = result.statistics.accepted_steps;
                    found.columns = result.sensitivities ? result.sensitivities->parameters.size() : 0;
                    return run;
                  }).seconds;
  return found;
}

void print(const Case& c) {
  const Model model = model_of_file(c.file);
  SimulationOptions options;
  options.method = c.method;
  constexpr double kEndOnly = 1e30;
  for (const double rows_apart : {kEndOnly, 0.0}) {
    SimulationOptions asked = options;
    asked.sensitivities = c.sensitivities;
    const Found plain = run(model, options, rows_apart);
    const Found with = run(model, asked, rows_apart);
    fmt::print("{:<22} {:<8} {:<5} {:7} {:7} {:10.3f} {:10.3f} {:8.1f} {:8.2f}\n", c.name,
               c.method.empty() ? "auto" : c.method, rows_apart == 0.0 ? "rows" : "end", plain.steps,
               with.columns, 1e3 * plain.seconds, 1e3 * with.seconds, with.seconds / plain.seconds,
               with.seconds / plain.seconds / static_cast<double>(with.columns));
  }
}

}  // namespace

void print_sensitivity_ratios(bool quick) {
  fmt::print("{:<22} {:<8} {:<5} {:>7} {:>7} {:>10} {:>10} {:>8} {:>8}\n", "problem", "method", "rows",
             "steps", "columns", "plain/ms", "with/ms", "ratio", "/column");
  const std::vector<std::string> all{"all", "starts"};
  std::vector<Case> cases{{"carver", "examples/carver.mo", {"all"}, ""},
                          {"carver", "examples/carver.mo", all, ""},
                          {"reaction_chain", "bench/models/reaction_chain.mo", {"all"}, "radau5"},
                          {"reaction_chain", "bench/models/reaction_chain.mo", {"all"}, "bdf"},
                          {"andrews_squeezer", "examples/andrews_squeezer.mo", all, ""},
                          {"transistor_amplifier", "examples/transistor_amplifier.mo", all, ""},
                          {"transistor_amplifier", "examples/transistor_amplifier.mo", all, "radau5"}};
  if (!quick) {
    cases.push_back({"reaction_chain", "bench/models/reaction_chain.mo", {"all"}, "dopri5"});
    cases.push_back({"lotka_volterra", "examples/lotka_volterra.mo", all, ""});
    cases.push_back({"two_masses", "examples/two_masses_with_friction.mo", all, ""});
    cases.push_back({"bowed_string", "examples/bowed_string.mo", all, ""});
  }
  for (const Case& c : cases) {
    print(c);
  }
}

}  // namespace saltus::bench
