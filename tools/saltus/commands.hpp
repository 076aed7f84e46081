/// The commands: each has a file of its own and returns an exit code. command_line.cpp reads their arguments.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "console.hpp"

namespace saltus::tool {

enum class ProgressChoice { automatic, on, off };

struct RunArguments {
  std::string path;
  std::string model;  ///< which one of the file; empty: the last
  /// Name and value of every option of the simulation.
  std::vector<std::pair<std::string, std::string>> options;
  std::string folder;   ///< empty: NAME_results
  std::string formats;  ///< "csv,json,html"; empty: all
  bool quiet = false;
  ProgressChoice progress = ProgressChoice::automatic;
};

struct AnalyzeArguments {
  std::string path;
  std::string model;
  std::vector<std::pair<std::string, std::string>> options;  ///< "start" for the time, "set"
  std::string format;                                        ///< empty or "text", "json"
};

/// `problems` are those found so far in the arguments: a run that is refused tells all that is wrong at once.
[[nodiscard]] int run_command(const Console& console, const RunArguments& arguments, Diagnostics problems);
[[nodiscard]] int check_command(const Console& console, const std::string& path, const std::string& model);
[[nodiscard]] int analyze_command(const Console& console, const AnalyzeArguments& arguments,
                                  Diagnostics problems);
/// Lists the examples; with a name, copies one into the current folder.
[[nodiscard]] int examples_command(const Console& console, const std::string& name);
[[nodiscard]] int version_command(const Console& console);

}  // namespace saltus::tool
