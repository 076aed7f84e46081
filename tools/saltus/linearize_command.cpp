#include <filesystem>
#include <fstream>

#include "asked_model.hpp"
#include "commands.hpp"
#include "diagnostic_codes.hpp"
#include "interrupt.hpp"
#include "saltus/saltus.hpp"

namespace saltus::tool {
namespace {

bool write(const std::string& folder, const std::string& text) {
  std::error_code ignored;
  std::filesystem::create_directories(folder, ignored);
  std::ofstream file(std::filesystem::path(folder) / "linearization.json", std::ios::binary);
  file << text;
  file.close();
  return !file.fail();
}

}  // namespace

int linearize_command(const Console& console, const RunArguments& arguments, Diagnostics problems) {
  const WorkLimits limits{&watch_interrupts(), std::nullopt};
  SimulationOptions options;
  options.stop_requested = limits.stop_requested;
  options.began = limits.began;
  for (const auto& [name, value] : arguments.options) {
    problems.append(set_option(options, name, value));
  }
  if (arguments.model.path.empty()) {
    problems.error(kWrongUsage, "MODEL is required");
  }
  if (problems.has_errors()) {
    console.print(problems);
    return kExitWrongInput;
  }
  const Result<Model> model = load_model(request_of(arguments.model), limits);
  if (!model) {
    console.print(model.error());
    return exit_code_of(model.error());
  }
  if (const Diagnostics wrong = validate(*model, options); wrong.has_errors()) {
    console.print(wrong);
    return kExitWrongInput;
  }
  const Result<Linearization> linearization = linearize(*model, options);
  if (!linearization) {
    console.print(linearization.error());
    return kExitEndedEarly;
  }
  console.print(linearization->warnings);
  const std::string text = render_json(*linearization) + "\n";
  if (!arguments.folder.empty() && !write(arguments.folder, text)) {
    Diagnostics unwritten;
    unwritten.error(kCannotWriteOutput, "cannot write linearization.json into '" + arguments.folder + "'");
    console.print(unwritten);
    return kExitWrongInput;
  }
  return finish_output(console, text, kExitSuccess);
}

}  // namespace saltus::tool
