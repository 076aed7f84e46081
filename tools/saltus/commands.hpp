/// The commands: each has a file of its own and returns an exit code. command_line.cpp reads their arguments.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "console.hpp"

namespace saltus::tool {

enum class ProgressChoice { automatic, on, off };

/// Which model a command is about.
struct ModelChoice {
  std::string path;
  std::string name;                       ///< which one of the file; empty: the last
  std::vector<std::string> data_folders;  ///< of tables, besides its own
  std::vector<std::string> libraries;     ///< folders, before those of MODELICAPATH
};

struct RunArguments {
  ModelChoice model;
  /// Name and value of every option of the simulation.
  std::vector<std::pair<std::string, std::string>> options;
  std::string folder;   ///< empty: NAME_results
  std::string formats;  ///< "csv,json,html"; empty: all
  bool quiet = false;
  ProgressChoice progress = ProgressChoice::automatic;
};

struct FitArguments {
  RunArguments run;  ///< options of the fit among its options; folder empty: NAME_fit
  std::vector<std::string> data;
};

struct GradientArguments {
  RunArguments run;  ///< options of the gradient among its options; folder empty: NAME_gradient
  std::string functional;
};

struct OptimizeArguments {
  RunArguments run;  ///< options of the optimisation among its options; folder empty: NAME_optimum
  std::string objective;
};

struct SweepArguments {
  RunArguments run;  ///< options of the sweep among its options; folder empty: NAME_sweep
  bool anew = false;
};

struct ConvertArguments {
  std::string from;
  std::string to;
};

struct CompareArguments {
  std::string first;
  std::string second;
  std::string tolerance;  ///< empty: the usual one
  std::vector<std::string> columns;
  bool quiet = false;
};

struct PlotArguments {
  std::string result;
  std::vector<std::string> columns;
  std::string file;  ///< empty: plot.svg
  std::string title;
  bool events = false;
};

struct AnalyzeArguments {
  ModelChoice model;
  std::vector<std::pair<std::string, std::string>> options;  ///< "start" for the time, "set"
  std::string format;                                        ///< empty or "text", "json"
  std::string run_to;
  bool projectors = false;
  bool control = false;
  bool pencil = false;
  std::string pencil_tolerance;  ///< empty: none
  bool structure = false;
  std::string equilibrate;  ///< empty or "on", "off"
  std::string ranks;        ///< empty or "svd", "qr"
};

/// `problems` are those found so far in the arguments: a run that is refused tells all that is wrong at once.
[[nodiscard]] int run_command(const Console& console, const RunArguments& arguments, Diagnostics problems);
[[nodiscard]] int check_command(const Console& console, const ModelChoice& model);
/// Prints the model as one flat text.
[[nodiscard]] int flatten_command(const Console& console, const ModelChoice& model);
[[nodiscard]] int analyze_command(const Console& console, const AnalyzeArguments& arguments,
                                  Diagnostics problems);
/// `options` of the arguments: "stop" for the time, "set" and others of a run; `folder`: where linearization.json is written, empty: nowhere.
[[nodiscard]] int linearize_command(const Console& console, const RunArguments& arguments,
                                    Diagnostics problems);
/// `options` and `folder` as for a run; options of the fit among them.
[[nodiscard]] int fit_command(const Console& console, const FitArguments& arguments, Diagnostics problems);
/// Writes gradient.json.
[[nodiscard]] int gradient_command(const Console& console, const GradientArguments& arguments,
                                   Diagnostics problems);
/// Writes optimum.json.
[[nodiscard]] int optimize_command(const Console& console, const OptimizeArguments& arguments,
                                   Diagnostics problems);
/// Writes sweep.csv, sweep.json and the journal.
[[nodiscard]] int sweep_command(const Console& console, const SweepArguments& arguments,
                                Diagnostics problems);
/// Results in another format.
[[nodiscard]] int convert_command(const Console& console, const ConvertArguments& arguments);
/// 0: the curves are the same, 1: they are not.
[[nodiscard]] int compare_command(const Console& console, const CompareArguments& arguments);
/// Writes a picture.
[[nodiscard]] int plot_command(const Console& console, const PlotArguments& arguments);
/// Lists the examples; with a name, copies one into the current folder.
[[nodiscard]] int examples_command(const Console& console, const std::string& name);
[[nodiscard]] int version_command(const Console& console);

}  // namespace saltus::tool
