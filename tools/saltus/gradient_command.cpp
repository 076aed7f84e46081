#include <utility>

#include "asked_model.hpp"
#include "commands.hpp"
#include "diagnostic_codes.hpp"
#include "saltus/saltus.hpp"
#include "write_text.hpp"

namespace saltus::tool {

int gradient_command(const Console& console, const GradientArguments& arguments, Diagnostics problems) {
  GradientOptions options;
  take_limits(options.simulation);
  for (const auto& [name, value] : arguments.run.options) {
    problems.append(set_gradient_option(options, name, value));
  }
  if (arguments.functional.empty()) {
    problems.error(kWrongUsage, "--of is required", std::nullopt, "a functional of the run, as 'final(x^2)'");
  }
  const AskedModel asked =
      load_asked_model(console, arguments.run.model, options.simulation, std::move(problems));
  if (!asked.model) {
    return asked.exit_code;
  }
  const Result<GradientResult> result = gradient(*asked.model, arguments.functional, options);
  if (!result) {
    console.print(result.error());
    return exit_code_of(result.error());
  }
  console.print(result->diagnostics);
  const std::string folder = folder_of(arguments.run, "_gradient");
  const Diagnostics unwritten = write_text(folder, "gradient.json", render_json(*result) + "\n");
  console.print(unwritten);
  if (!result->ok()) {
    console.print_error(kNoValue, result->problem);
  }
  const std::string text = arguments.run.quiet ? "" : render_text(*result);
  return finish_output(console, text,
                       unwritten.has_errors() ? kExitWrongInput
                       : result->ok()         ? kExitSuccess
                                              : kExitEndedEarly);
}

}  // namespace saltus::tool
