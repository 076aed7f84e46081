#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <memory>

#include "commands.hpp"
#include "diagnostic_codes.hpp"
#include "interrupt.hpp"
#include "run_summary.hpp"
#include "saltus/saltus.hpp"

namespace saltus::tool {
namespace {

enum class ProgressChoice { automatic, on, off };

struct RunArguments {
  std::string path;
  /// Name and value of every option of the simulation, in the order of the command line.
  std::vector<std::pair<std::string, std::string>> options;
  std::string folder;
  std::string formats;
  bool quiet = false;
  ProgressChoice progress = ProgressChoice::automatic;
};

// A line on the terminal that is written again and again; erased at the end.
class ProgressLine {
 public:
  explicit ProgressLine(bool active) : active_(active) {}
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine() {
    if (shown_) {
      std::fputs("\r\x1b[K", stderr);
    }
  }

  [[nodiscard]] std::function<void(const Progress&)> callback() {
    if (!active_) {
      return {};
    }
    return [this](const Progress& progress) {
      const double part = (progress.time - progress.start) / (progress.stop - progress.start);
      const std::string line = fmt::format("\r\x1b[K{:3.0f} %  time {:.6g} of {:.6g}  {} steps", 100.0 * part,
                                           progress.time, progress.stop, progress.accepted_steps);
      std::fputs(line.c_str(), stderr);
      shown_ = true;
    };
  }

 private:
  bool active_;
  bool shown_ = false;
};

// "csv,html" → which files are written.
bool read_formats(const Console& console, const std::string& text, ResultFilesOptions& files) {
  if (text.empty()) {
    return true;
  }
  files.csv = files.json = files.html = false;
  std::size_t at = 0;
  while (at <= text.size()) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    const std::string name = text.substr(at, comma - at);
    if (name == "csv") {
      files.csv = true;
    } else if (name == "json") {
      files.json = true;
    } else if (name == "html") {
      files.html = true;
    } else {
      console.print_error(kUnknownFormat, fmt::format("--format takes csv, json and html, not '{}'", name));
      return false;
    }
    at = comma + 1;
  }
  return true;
}

// Everything that is wrong with the command line and the annotation, at once.
Diagnostics read_options(const RunArguments& arguments, const Model& model, SimulationOptions& options) {
  Diagnostics problems;
  for (const auto& [name, value] : arguments.options) {
    problems.append(set_option(options, name, value));
  }
  if (!problems.has_errors()) {
    problems.append(validate(model, options));
  }
  return problems;
}

// What ended the run, as a diagnostic, so that it is there in both forms.
void print_ending(const Console& console, const SimulationResult& result) {
  if (result.ok() || result.diagnostics.has_errors()) {
    return;
  }
  Diagnostics ending;
  ending.error(DiagnosticCode{result.reason}, result.message, std::nullopt,
               result.end == result.start
                   ? ""
                   : fmt::format("what was computed up to time {} is written", result.end));
  console.print(ending);
}

int exit_code(const SimulationResult& result) {
  return result.ok() ? kExitSuccess : result.reason == "output_failed" ? kExitWrongInput : kExitEndedEarly;
}

int run(const Application& application, const RunArguments& arguments) {
  const Console& console = application.console;
  ResultFilesOptions file_options;
  if (!read_formats(console, arguments.formats, file_options)) {
    return kExitWrongInput;
  }
  const Result<Model> model = Model::load(arguments.path);
  if (!model) {
    console.print(model.error());
    return kExitWrongInput;
  }
  console.print(model->warnings());
  SimulationOptions options;
  const Diagnostics problems = read_options(arguments, *model, options);
  if (problems.has_errors()) {
    console.print(problems);
    return kExitWrongInput;
  }
  file_options.folder = arguments.folder.empty()
                            ? std::filesystem::path(arguments.path).stem().string() + "_results"
                            : arguments.folder;
  ResultFiles files(*model, file_options);
  ProgressLine progress(
      arguments.progress == ProgressChoice::on ||
      (arguments.progress == ProgressChoice::automatic && !arguments.quiet && is_terminal_error()));
  options.keep_dense = false;
  options.keep_rows = false;
  options.sink = &files;
  options.stop_requested = &watch_interrupts();
  options.progress = progress.callback();
  const Result<SimulationResult> result = simulate(*model, options);
  if (!result) {
    console.print(result.error());
    return kExitWrongInput;
  }
  console.print(result->diagnostics);
  const Diagnostics unwritten = files.finish(*result);
  console.print(unwritten);
  if (unwritten.has_errors()) {
    return kExitWrongInput;
  }
  print_ending(console, *result);
  return arguments.quiet
             ? exit_code(*result)
             : finish_output(console, run_summary(*model, *result, file_options), exit_code(*result));
}

struct OptionText {
  const char* name;
  const char* type;
  const char* group;
  const char* text;
};

constexpr OptionText kOptions[] = {
    {"start", "T", "Time", "start time (annotation, else 0)"},
    {"stop", "T", "Time", "stop time (annotation, else 1); before the start: backwards in time"},
    {"interval", "DT", "Time", "time between output rows (annotation, else 1/500 of the whole)"},
    {"set", "NAME=VALUE", "Model", "value of a parameter, or start value of a variable; repeatable"},
    {"tolerance", "TOL", "Accuracy",
     "relative tolerance, and absolute in units of the nominal values (1e-6)"},
    {"rtol", "TOL", "Accuracy", "relative tolerance alone"},
    {"atol", "TOL or NAME=TOL", "Accuracy", "absolute tolerance of all states, or of one; repeatable"},
    {"method", "NAME", "Method", ""},
    {"step", "H", "Method", "fixed step size, without error control"},
    {"initial-step", "H", "Method", "size of the first step (chosen)"},
    {"max-step", "H", "Method", "largest step size (none)"},
    {"max-steps", "N", "Limits", "most steps to attempt (1e8)"},
    {"max-time", "SECONDS", "Limits", "most wall time to spend (none)"},
};

// Every occurrence takes exactly one value, whatever it looks like ("--start -1"), and is kept in order.
CLI::Option* add_simulation_option(CLI::App& command, RunArguments& arguments, const std::string& name,
                                   const std::string& text) {
  return command
      .add_option_function<std::vector<std::string>>(
          "--" + name,
          [&arguments, name](const std::vector<std::string>& values) {
            for (const std::string& value : values) {
              arguments.options.emplace_back(name, value);
            }
          },
          text)
      ->allow_extra_args(false);
}

void add_simulation_options(CLI::App& command, RunArguments& arguments) {
  for (const OptionText& option : kOptions) {
    std::string text = option.text;
    if (text.empty()) {
      for (const std::string& name : methods()) {
        text += (text.empty() ? "integration method: " : ", ") + name;
      }
    }
    add_simulation_option(command, arguments, option.name, text)->type_name(option.type)->group(option.group);
  }
  // Known by name, so that the answer is "not supported yet"; not shown in the help.
  for (const std::string& name : planned_options()) {
    add_simulation_option(command, arguments, name, "")->expected(0, 1)->group("");
  }
}

}  // namespace

void add_run_command(Application& application) {
  CLI::App* command =
      application.app.add_subcommand("run", "solve a model and write the results into a folder");
  const auto arguments = std::make_shared<RunArguments>();
  command->add_option("MODEL", arguments->path, "a .mo or .saltus file")->required()->type_name("FILE");
  add_simulation_options(*command, *arguments);
  command->add_option("-o,--output", arguments->folder, "folder for the results (NAME_results)")
      ->type_name("FOLDER")
      ->group("Output");
  command->add_option("--format", arguments->formats, "what is written, separated by commas (csv,json,html)")
      ->type_name("LIST")
      ->group("Output");
  command->add_flag("--quiet", arguments->quiet, "no summary on standard output")->group("Messages");
  command
      ->add_option("--progress", arguments->progress,
                   "progress on standard error: auto (on a terminal), on, off")
      ->transform(CLI::CheckedTransformer(std::map<std::string, ProgressChoice>{
          {"auto", ProgressChoice::automatic}, {"on", ProgressChoice::on}, {"off", ProgressChoice::off}}))
      ->type_name("WHEN")
      ->group("Messages");
  add_console_options(application, *command);
  command->footer(
      "What is not given comes from annotation(__saltus(...)) and annotation(experiment(...)) of the model.\n"
      "Exit codes: 0 success, 1 the run could not start or ended early, 2 wrong model, options or files, 3 "
      "bug.");
  command->callback([&application, arguments] {
    application.action = [&application, arguments] { return run(application, *arguments); };
  });
}

}  // namespace saltus::tool
