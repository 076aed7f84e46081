#include "asked_model.hpp"

#include <filesystem>
#include <utility>

#include "diagnostic_codes.hpp"
#include "interrupt.hpp"

namespace saltus::tool {

void take_limits(SimulationOptions& options) {
  const WorkLimits limits{&watch_interrupts(), std::nullopt};
  options.stop_requested = limits.stop_requested;
  options.began = limits.began;
}

AskedModel load_asked_model(const Console& console, const ModelChoice& choice,
                            const SimulationOptions& options, Diagnostics problems) {
  if (choice.path.empty()) {
    problems.error(kWrongUsage, "MODEL is required", std::nullopt, "name a .mo or .saltus file");
  }
  if (problems.has_errors()) {
    console.print(problems);
    return {std::nullopt, kExitWrongInput};
  }
  WorkLimits limits{options.stop_requested, options.max_time};
  limits.began = options.began.value_or(limits.began);
  Result<Model> model = Model::load(choice.path, limits, choice.name, choice.data_folders);
  if (!model) {
    console.print(model.error());
    return {std::nullopt, exit_code_of(model.error())};
  }
  console.print(model->warnings());
  return {*std::move(model), kExitSuccess};
}

std::string folder_of(const RunArguments& arguments, std::string_view suffix) {
  return arguments.folder.empty()
             ? std::filesystem::path(arguments.model.path).stem().string() + std::string(suffix)
             : arguments.folder;
}

}  // namespace saltus::tool
