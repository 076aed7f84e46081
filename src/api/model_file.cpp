// Reading a model file.

#include <fmt/format.h>

#include <filesystem>

#include "api/model/diagnostic_codes.hpp"
#include "api/model/model_data.hpp"
#include "api/model/read_file.hpp"
#include "api/results/work_guard.hpp"
#include "saltus/model.hpp"

namespace saltus {
namespace {

Unexpected<Diagnostics> failure(DiagnosticCode code, std::string message, std::string hint = {}) {
  Diagnostics diagnostics;
  diagnostics.error(code, std::move(message), std::nullopt, std::move(hint));
  return Unexpected(std::move(diagnostics));
}

}  // namespace

Result<Model> Model::load(const std::string& path, const WorkLimits& limits, const std::string& model,
                          const std::vector<std::string>& data_folders) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    return failure(api::kFileIsFolder, fmt::format("'{}' is a folder, not a model file", path),
                   "name a .mo or .saltus file in it");
  }
  // The ending first: nobody wants a device or a film read to the end. A name that does not exist is told as such.
  if (!std::filesystem::exists(path, ignored) && !ignored) {
    return failure(api::kFileNotFound, fmt::format("there is no file '{}'", path));
  }
  const std::filesystem::path ending = std::filesystem::path(path).extension();
  if (ending != ".mo" && ending != ".saltus") {
    return failure(api::kUnknownFileEnding, fmt::format("'{}' is neither a .mo nor a .saltus file", path),
                   "the ending says which language the file is in");
  }
  Result<std::string> text = api::under_limits(
      limits, "while the file was read", [&] { return api::read_file(path, "a model"); },
      [](const api::EarlyEnd& end) -> Result<std::string> { return Unexpected(end.diagnostics()); });
  if (!text) {
    return Unexpected(std::move(text).error());
  }
  return api::under_limits(
      limits, "while the model was read",
      [&] { return api::read_model(path, *std::move(text), model, api::DataFiles(path, data_folders)); },
      [](const api::EarlyEnd& end) -> Result<Model> { return Unexpected(end.diagnostics()); });
}

}  // namespace saltus
