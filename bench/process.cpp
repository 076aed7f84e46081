#include "process.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "child_process.hpp"

namespace saltus::bench {
namespace {

namespace fs = std::filesystem;

// Runs `saltus run` on an example; results go to a folder that is removed afterwards.
ChildRun run_example(const std::string& name, const std::vector<std::string>& options,
                     std::uintmax_t* csv_bytes = nullptr) {
  const fs::path folder = fs::temp_directory_path() / ("saltus_bench_" + name);
  std::vector<std::string> command{
      SALTUS_PROGRAM, "run",           std::string(SALTUS_SOURCE_DIR) + "/examples/" + name + ".mo",
      "-o",           folder.string(), "--quiet"};
  command.insert(command.end(), options.begin(), options.end());
  ChildRun run = run_child(command);
  std::error_code ignored;
  if (csv_bytes != nullptr) {
    *csv_bytes = fs::file_size(folder / "trajectory.csv", ignored);
  }
  fs::remove_all(folder, ignored);
  return run;
}

void print_small_runs(int repetitions) {
  fmt::print("\n{:<22} {:>10} {:>10} {:>8}\n", "saltus run", "least/ms", "median/ms", "peak/MB");
  for (const char* name : {"lotka_volterra", "pendulum", "arenstorf", "linear_circuit"}) {
    std::vector<double> seconds;
    double memory = 0.0;
    int exit_code = 0;
    for (int i = 0; i < repetitions; ++i) {
      const ChildRun run = run_example(name, {});
      seconds.push_back(run.seconds);
      memory = std::max(memory, run.peak_megabytes);
      exit_code = run.exit_code;
    }
    std::sort(seconds.begin(), seconds.end());
    fmt::print("{:<22} {:>10.2f} {:>10.2f} {:>8.1f}{}\n", name, 1e3 * seconds.front(),
               1e3 * seconds[seconds.size() / 2], memory,
               exit_code == 0 ? "" : fmt::format("  exit code {}", exit_code));
  }
}

// 1e6 rows of 20 variables: the heat chain with 9 cells, integration and dense output included.
void print_csv_rate() {
  constexpr double kRows = 1e6;
  std::uintmax_t bytes = 0;
  const ChildRun run = run_example(
      "heat_chain", {"--set", "N=9", "--stop", "20", "--interval", "2e-5", "--format", "csv"}, &bytes);
  fmt::print("\nCSV, 1e6 rows x 20 variables: {:.2f} s, {:.0f} MB, {:.0f} MB/s, {:.1f} ns per number{}\n",
             run.seconds, static_cast<double>(bytes) / 1e6, static_cast<double>(bytes) / 1e6 / run.seconds,
             1e9 * run.seconds / (kRows * 21),
             run.exit_code == 0 ? "" : fmt::format(" (exit code {})", run.exit_code));
}

}  // namespace

void print_process(bool quick) {
  if (!fs::exists(SALTUS_PROGRAM)) {
    fmt::print("\nprocess: the program is not built\n");
    return;
  }
  print_small_runs(quick ? 5 : 20);
  print_csv_rate();
}

}  // namespace saltus::bench
