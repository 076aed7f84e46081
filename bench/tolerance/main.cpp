// saltus_tolerance [--quick] [--jobs J] [EXAMPLE]...: errors of all examples by all methods, divided by tolerance and by K.
// bench/README.md says what the columns mean.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "campaign/worker_pool.hpp"
#include "saltus/simulate.hpp"
#include "tolerance/amplification.hpp"

namespace saltus::bench {
namespace {

constexpr double kTolerances[] = {1e-4, 1e-6, 1e-8, 1e-10};
constexpr const char* kMethods[] = {"auto", "dopri5", "radau5", "sdirk4", "bdf"};
/// Reference and what confirms it: the two of these that agree best.
struct Candidate {
  const char* method;
  double tolerance;
};
constexpr Candidate kCandidates[] = {
    {"dopri5", 1e-12}, {"radau5", 1e-12}, {"fehlberg78", 1e-12}, {"bdf", 1e-11}};
constexpr double kRowsPerRun = 397.3;
constexpr double kSecondsPerRun = 20.0;
constexpr unsigned kSecondsPerExample = 1800;
constexpr const char* kGaveUp = " not within 20 s\n";
/// What a tolerance promises.
constexpr double kPromise = 10.0;

struct Settings {
  bool quick = false;
  std::size_t n_jobs = std::max(1U, std::thread::hardware_concurrency());
  std::set<std::string> names{};
};

std::string read(const std::filesystem::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

SimulationOptions options_for(const Model& model, const std::string& method, double tolerance) {
  const double start = model.experiment().start.value_or(0.0);
  const double stop = model.experiment().stop.value_or(start + 1.0);
  SimulationOptions options;
  options.interval = std::abs(stop - start) / kRowsPerRun;
  options.tolerance = tolerance;
  options.method = method;
  options.max_time = kSecondsPerRun;
  return options;
}

double largest(const std::vector<double>& rows) {
  return rows.empty() ? 0.0 : *std::max_element(rows.begin(), rows.end());
}

struct Reference {
  SimulationResult run{};
  SimulationOptions options{};
  std::string name{};
  double uncertainty = INFINITY;  ///< weighted difference to the run that confirms it
};

Reference find_reference(const Model& model) {
  std::vector<SimulationResult> runs;
  std::vector<const Candidate*> used;
  for (const Candidate& candidate : kCandidates) {
    auto run = simulate(model, options_for(model, candidate.method, candidate.tolerance));
    if (run.has_value() && run->ok()) {
      runs.push_back(*std::move(run));
      used.push_back(&candidate);
    }
  }
  Reference best;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    for (std::size_t j = i + 1; j < runs.size(); ++j) {
      const ErrorEstimate difference = differences(runs[j], runs[i]);
      const double distance =
          difference.events_differ ? INFINITY : largest(weighted_rows(runs[j], difference));
      if (distance < best.uncertainty) {
        best.run = runs[i];
        best.options = options_for(model, used[i]->method, used[i]->tolerance);
        best.name = fmt::format("{} beside {}", used[i]->method, used[j]->method);
        best.uncertainty = distance;
      }
    }
  }
  return best;
}

std::string line_of(const std::string& name, const Model& model, const Reference& reference,
                    const Amplification& flow, const char* method, double tolerance) {
  const std::string head = fmt::format("{:<28} {:<7} {:7.0e}", name, method, tolerance);
  const auto run = simulate(model, options_for(model, method, tolerance));
  if (!run.has_value()) {
    return head + " refused\n";
  }
  if (run->reason == saltus::Reason::time_limit) {
    return head + kGaveUp;
  }
  if (!run->ok()) {
    return head + fmt::format(" {} at {:g} ({} steps)\n", to_string(run->reason), run->end,
                              run->statistics.accepted_steps);
  }
  const ErrorEstimate difference = differences(*run, reference.run);
  std::vector<double> rows = weighted_rows(*run, difference);
  // After an event that differs the two runs are different courses: that is what the flag says.
  for (std::size_t k = 0; k < rows.size() && difference.events_differ; ++k) {
    rows[k] = run->trajectory.times()[k] < *difference.events_differ ? rows[k] : 0.0;
  }
  const double error = largest(rows) / tolerance;
  const double k = flow.k(run->trajectory.step_ends());
  const double ratio = error / k;
  const bool is_uncertain = reference.uncertainty > 0.3 * error * tolerance;
  std::string flags =
      difference.events_differ ? fmt::format("  EVENTS differ from {:g}", *difference.events_differ) : "";
  if (ratio > kPromise) {
    flags += flow.n_columns() == 0 ? "  K not known" : is_uncertain ? "  reference not sure" : "  ABOVE 10";
  }
  return head + fmt::format(" {:7} {:9.2e} {:9.2e} {:9.2e} {:9.2e}{}\n", run->statistics.accepted_steps,
                            error, k, ratio, error / flow.largest(), flags);
}

std::string table_of(const std::filesystem::path& path, const Settings& settings) {
  const std::string text = read(path);
  const std::string name = path.stem().string();
  const auto model = Model::from_text(path.filename().string(), text);
  if (!model.has_value()) {
    return fmt::format("{}: {}\n", name, render_text(model.error()));
  }
  const Reference reference = find_reference(*model);
  if (reference.run.trajectory.n_rows() == 0) {
    return fmt::format("# {}: no two methods agree on a reference\n", name);
  }
  const Amplification flow(path.filename().string(), text, reference.run, reference.options,
                           settings.quick ? 3 : 8, settings.quick ? 1 : 4);
  std::string lines =
      fmt::format("# {}: reference {}, they agree to {:.1e}; {} columns of the flow, largest {:.1e}\n", name,
                  reference.name, reference.uncertainty, flow.n_columns(), flow.largest());
  for (const char* method : kMethods) {
    for (const double tolerance : kTolerances) {
      if (!settings.quick || tolerance == 1e-6) {
        lines += line_of(name, *model, reference, flow, method, tolerance);
        if (lines.ends_with(kGaveUp)) {
          break;  // a tighter tolerance takes longer still
        }
      }
    }
  }
  return lines;
}

int run(const Settings& settings) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(SALTUS_SOURCE_DIR) / "examples")) {
    const std::string ending = entry.path().extension().string();
    const bool is_model = ending == ".mo" || ending == ".saltus";
    if (is_model && (settings.names.empty() || settings.names.contains(entry.path().stem().string()))) {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  fmt::print("{:<28} {:<7} {:>7} {:>7} {:>9} {:>9} {:>9} {:>9}\n", "example", "method", "tol", "steps",
             "error/tol", "K", "e/tol/K", "e/tol/Φ");
  std::size_t n_above = 0;
  std::size_t n_events = 0;
  campaign::run_tasks(
      files.size(), settings.n_jobs, kSecondsPerExample,
      [&](std::size_t task) { return table_of(files[task], settings); },
      [&](const campaign::TaskResult& result) {
        fmt::print("{}", result.output);
        if (!result.end.empty()) {
          fmt::print("# {}: {}\n", files[result.task].stem().string(), result.end);
        }
        std::fflush(stdout);
        const auto count = [&](const char* flag) {
          std::size_t n = 0;
          for (std::size_t at = result.output.find(flag); at != std::string::npos;
               at = result.output.find(flag, at + 1)) {
            ++n;
          }
          return n;
        };
        n_above += count("ABOVE 10");
        n_events += count("EVENTS differ");
      });
  fmt::print("{} runs above 10, {} with other events\n", n_above, n_events);
  return n_above + n_events == 0 ? 0 : 1;
}

}  // namespace
}  // namespace saltus::bench

int main(int argc, char** argv) {
  saltus::bench::Settings settings;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--quick") {
      settings.quick = true;
    } else if (argument == "--jobs" && i + 1 < argc) {
      settings.n_jobs = std::max(1UL, std::strtoul(argv[++i], nullptr, 10));
    } else {
      settings.names.insert(argument);
    }
  }
  return saltus::bench::run(settings);
}
