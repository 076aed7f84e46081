#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <functional>

#include "commands.hpp"
#include "diagnostic_codes.hpp"
#include "interrupt.hpp"
#include "run_summary.hpp"
#include "saltus/saltus.hpp"

namespace saltus::tool {
namespace {

// A line on the terminal that is written again and again; erased at the end.
class ProgressLine {
 public:
  explicit ProgressLine(bool active) : active_(active) {}
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine() { erase(); }

  void erase() {
    if (shown_) {
      std::fputs("\r\x1b[K", stderr);
      shown_ = false;
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

}  // namespace

int run_command(const Console& console, const RunArguments& arguments) {
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
  progress.erase();
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

}  // namespace saltus::tool
