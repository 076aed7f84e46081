#include <utility>

#include "asked_model.hpp"
#include "commands.hpp"
#include "diagnostic_codes.hpp"
#include "saltus/saltus.hpp"
#include "write_text.hpp"

namespace saltus::tool {

int optimize_command(const Console& console, const OptimizeArguments& arguments, Diagnostics problems) {
  OptimizeOptions options;
  take_limits(options.simulation);
  for (const auto& [name, value] : arguments.run.options) {
    problems.append(set_optimize_option(options, name, value));
  }
  if (arguments.objective.empty()) {
    problems.error(kWrongUsage, "--minimize is required", std::nullopt,
                   "a functional of the run, as 'final(x^2)'");
  }
  const AskedModel asked =
      load_asked_model(console, arguments.run.model, options.simulation, std::move(problems));
  if (!asked.model) {
    return asked.exit_code;
  }
  const Result<OptimizeResult> result = optimize(*asked.model, arguments.objective, options);
  if (!result) {
    console.print(result.error());
    return exit_code_of(result.error());
  }
  console.print(result->diagnostics);
  const std::string folder = folder_of(arguments.run, "_optimum");
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
