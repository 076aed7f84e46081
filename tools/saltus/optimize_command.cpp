#include <filesystem>

#include "commands.hpp"
#include "diagnostic_codes.hpp"
#include "interrupt.hpp"
#include "saltus/saltus.hpp"
#include "write_text.hpp"

namespace saltus::tool {

int optimize_command(const Console& console, const OptimizeArguments& arguments, Diagnostics problems) {
  const WorkLimits limits{&watch_interrupts(), std::nullopt};
  OptimizeOptions options;
  options.simulation.stop_requested = limits.stop_requested;
  options.simulation.began = limits.began;
  for (const auto& [name, value] : arguments.run.options) {
    problems.append(set_optimize_option(options, name, value));
  }
  if (arguments.run.model.path.empty()) {
    problems.error(kWrongUsage, "MODEL is required", std::nullopt, "name a .mo or .saltus file");
  }
  if (arguments.objective.empty()) {
    problems.error(kWrongUsage, "--minimize is required", std::nullopt,
                   "a functional of the run, as 'final(x^2)'");
  }
  if (problems.has_errors()) {
    console.print(problems);
    return kExitWrongInput;
  }
  const Result<Model> model = Model::load(arguments.run.model.path,
                                          {limits.stop_requested, options.simulation.max_time, limits.began},
                                          arguments.run.model.name, arguments.run.model.data_folders);
  if (!model) {
    console.print(model.error());
    return exit_code_of(model.error());
  }
  console.print(model->warnings());
  const Result<OptimizeResult> result = optimize(*model, arguments.objective, options);
  if (!result) {
    console.print(result.error());
    return exit_code_of(result.error());
  }
  console.print(result->diagnostics);
  const std::string folder =
      arguments.run.folder.empty()
          ? std::filesystem::path(arguments.run.model.path).stem().string() + "_optimum"
          : arguments.run.folder;
  const Diagnostics unwritten = write_text(folder, "optimum.json", render_json(*result) + "\n");
  console.print(unwritten);
  if (!result->ok()) {
    console.print_error(kNoOptimum, std::string(to_string(result->status)) + ": " + result->message);
  }
  const std::string text = arguments.run.quiet ? "" : render_text(*result);
  return finish_output(console, text,
                       unwritten.has_errors() ? kExitWrongInput
                       : result->ok()         ? kExitSuccess
                                              : kExitEndedEarly);
}

}  // namespace saltus::tool
