// Reading a model file.

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "api/model/diagnostic_codes.hpp"
#include "api/model/library_folders.hpp"
#include "api/model/model_data.hpp"
#include "api/model/read_file.hpp"
#include "api/results/work_guard.hpp"
#include "saltus/model_request.hpp"

namespace saltus {
namespace {

Unexpected<Diagnostics> failure(DiagnosticCode code, std::string message, std::string hint = {}) {
  Diagnostics diagnostics;
  diagnostics.error(code, std::move(message), std::nullopt, std::move(hint));
  return Unexpected(std::move(diagnostics));
}

/// "Package.Model" rather than the name of a file.
bool is_class_name(const std::string& text) {
  const bool dotted = text.find('.') != std::string::npos && text.front() != '.' && text.back() != '.';
  const std::string ending = std::filesystem::path(text).extension().string();
  return dotted && ending != ".mo" && ending != ".saltus" &&
         std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '.'; });
}

}  // namespace

Result<Model> load_model(const ModelRequest& request, const WorkLimits& limits) {
  const std::string& path = request.model;
  const auto library = std::make_shared<const api::LibraryFolders>(request.libraries);
  const auto read = [&](std::string text, const std::string& name) {
    return api::under_limits(
        limits, "while the model was read",
        [&] {
          return api::read_model(path, std::move(text), name, api::DataFiles(path, request.data_folders),
                                 nullptr, {}, library);
        },
        [](const api::EarlyEnd& end) -> Result<Model> { return Unexpected(end.diagnostics()); });
  };
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    return failure(api::kFileIsFolder, fmt::format("'{}' is a folder, not a model file", path),
                   "name a .mo or .saltus file in it");
  }
  // The ending first: nobody wants a device or a film read to the end. A name that does not exist is told as such.
  if (!std::filesystem::exists(path, ignored) && !ignored) {
    if (is_class_name(path) && (!request.libraries.empty() || path.rfind("Saltus.", 0) == 0)) {
      return read({}, path);
    }
    return failure(
        api::kFileNotFound, fmt::format("there is no file '{}'", path),
        is_class_name(path) ? "for a class of a library, --library DIR says where the library is" : "");
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
  return read(*std::move(text), request.name);
}

Result<Model> Model::load(const std::string& path, const WorkLimits& limits, const std::string& model,
                          const std::vector<std::string>& data_folders) {
  return load_model({path, model, data_folders, {}}, limits);
}

std::string flat_text(const Model& model) {
  return std::string(model.data().flat->source->text());
}

}  // namespace saltus
