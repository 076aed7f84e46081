#include "asked_model.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "diagnostic_codes.hpp"
#include "interrupt.hpp"

namespace saltus::tool {

ModelRequest request_of(const ModelChoice& choice) {
  ModelRequest request{choice.path, choice.name, choice.data_folders, choice.libraries};
  const char* const path =
      std::getenv("MODELICAPATH");  // NOLINT(concurrency-mt-unsafe): one thread reads the arguments
  std::string_view rest = path == nullptr ? std::string_view() : std::string_view(path);
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    if (end > 0) {
      request.libraries.emplace_back(rest.substr(0, end));
    }
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return request;
}

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
  Result<Model> model = load_model(request_of(choice), limits);
  if (!model) {
    console.print(model.error());
    return {std::nullopt, exit_code_of(model.error())};
  }
  console.print(model->warnings());
  return {*std::move(model), kExitSuccess};
}

std::string folder_of(const RunArguments& arguments, std::string_view suffix) {
  if (!arguments.folder.empty()) {
    return arguments.folder;
  }
  const std::filesystem::path path(arguments.model.path);
  const bool is_file = path.extension() == ".mo" || path.extension() == ".saltus";
  return (is_file ? path.stem().string() : path.filename().string()) + std::string(suffix);
}

}  // namespace saltus::tool
