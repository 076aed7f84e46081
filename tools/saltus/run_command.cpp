#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <optional>

#include "asked_model.hpp"
#include "commands.hpp"
#include "diagnostic_codes.hpp"
#include "file_formats.hpp"
#include "interrupt.hpp"
#include "progress_line.hpp"
#include "run_summary.hpp"
#include "saltus/saltus.hpp"

namespace saltus::tool {
namespace {

std::function<void(const Progress&)> progress_of_run(ProgressLine& line) {
  if (!line.is_active()) {
    return {};
  }
  return [&line](const Progress& progress) {
    const double part = (progress.time - progress.start) / (progress.stop - progress.start);
    const std::string events = progress.events == 0 ? "" : fmt::format("  {} events", progress.events);
    line.show(fmt::format("{:3.0f} %  time {:.6g} of {:.6g}  {} steps{}", 100.0 * part, progress.time,
                          progress.stop, progress.accepted_steps, events));
  };
}

bool names_unknown_option(const Diagnostics& problems) {
  return std::any_of(problems.items().begin(), problems.items().end(),
                     [](const Diagnostic& item) { return item.code == kUnknownOption.name; });
}

// The model, if everything is right; else all that is wrong with arguments, model and annotation is printed.
std::optional<Model> read_input(const Console& console, const RunArguments& arguments, Diagnostics problems,
                                SimulationOptions& options, int& exit_code) {
  const WorkLimits limits{&watch_interrupts(), std::nullopt};
  exit_code = kExitWrongInput;
  options.stop_requested = limits.stop_requested;
  options.began = limits.began;
  for (const auto& [name, value] : arguments.options) {
    problems.append(set_option(options, name, value));
  }
  if (arguments.model.path.empty()) {
    problems.error(kWrongUsage, "MODEL is required", std::nullopt, "name a .mo or .saltus file");
    problems.append(validate(options));
    console.print(problems);
    return std::nullopt;
  }
  Result<Model> model =
      load_model(request_of(arguments.model), {limits.stop_requested, options.max_time, limits.began});
  problems.append(model ? validate(*model, options) : validate(options));
  if (model) {
    console.print(model->warnings());
  }
  if (problems.has_errors()) {
    console.print(problems);
  }
  // Next to an option that nobody knows, its value is easily taken for the model.
  if (!model && !names_unknown_option(problems)) {
    console.print(model.error());
    exit_code = problems.has_errors() ? kExitWrongInput : exit_code_of(model.error());
  }
  return model && !problems.has_errors() ? std::optional(*std::move(model)) : std::nullopt;
}

// What ended the run, as a diagnostic, so that it is there in both forms.
void print_ending(const Console& console, const SimulationResult& result) {
  if (result.ok() || result.diagnostics.has_errors()) {
    return;
  }
  Diagnostics ending;
  ending.error(DiagnosticCode{to_string(result.reason)}, result.message, std::nullopt,
               result.end == result.start
                   ? ""
                   : fmt::format("what was computed up to time {} is written", result.end));
  console.print(ending);
}

int exit_code(const SimulationResult& result) {
  return result.ok()                              ? kExitSuccess
         : result.reason == Reason::output_failed ? kExitWrongInput
                                                  : kExitEndedEarly;
}

}  // namespace

int run_command(const Console& console, const RunArguments& arguments, Diagnostics problems) {
  ResultFilesOptions file_options;
  problems.append(read_formats(arguments.formats, {{"csv", &file_options.csv},
                                                   {"json", &file_options.json},
                                                   {"html", &file_options.html},
                                                   {"mat", &file_options.mat},
                                                   {"npz", &file_options.npz}}));
  file_options.csv = file_options.csv || file_options.mat || file_options.npz;
  SimulationOptions options;
  int refused = kExitWrongInput;
  const std::optional<Model> model = read_input(console, arguments, std::move(problems), options, refused);
  if (!model) {
    return refused;
  }
  file_options.folder = folder_of(arguments, "_results");
  file_options.checkpoint = options.checkpoint;
  ResultFiles files(*model, file_options);
  ProgressLine progress(arguments);
  options.keep_dense = false;
  options.keep_rows = false;
  options.sink = &files;
  options.progress = progress_of_run(progress);
  Result<SimulationResult> result = simulate(*model, options);
  progress.erase();
  if (!result) {
    console.print(result.error());
    return kExitWrongInput;
  }
  console.print(result->diagnostics);
  const Diagnostics unwritten = files.finish(*result);
  console.print(unwritten);
  if (unwritten.has_errors()) {
    if (result->ok()) {
      result->status = SimulationStatus::stopped;
      result->reason = Reason::output_failed;
      result->message = unwritten.items()[0].message;
    }
    return arguments.quiet
               ? kExitWrongInput
               : finish_output(console, run_summary(*model, *result, file_options, false), kExitWrongInput);
  }
  print_ending(console, *result);
  const std::string text = explanation(*result, options) +
                           (arguments.quiet ? "" : run_summary(*model, *result, file_options, true));
  return finish_output(console, text, exit_code(*result));
}

}  // namespace saltus::tool
