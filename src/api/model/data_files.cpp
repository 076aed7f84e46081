#include "api/model/data_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "api/model/read_file.hpp"

namespace saltus::api {
namespace {

bool lies_below(const std::filesystem::path& file, const std::filesystem::path& folder) {
  const auto [of_folder, of_file] = std::mismatch(folder.begin(), folder.end(), file.begin(), file.end());
  return of_folder == folder.end() && of_file != file.end();
}

}  // namespace

DataFiles::DataFiles(const std::string& model_path, const std::vector<std::string>& allowed)
    : base_(std::filesystem::path(model_path).parent_path()) {
  std::vector<std::filesystem::path> folders{base_.empty() ? std::filesystem::path(".") : base_};
  folders.insert(folders.end(), allowed.begin(), allowed.end());
  for (const std::filesystem::path& folder : folders) {
    std::error_code missing;
    if (std::filesystem::path root = std::filesystem::canonical(folder, missing); !missing) {
      roots_.push_back(std::move(root));
    }
  }
}

lang::DataText DataFiles::read(const std::string& name) const {
  std::error_code missing;
  const std::filesystem::path file = std::filesystem::canonical(base_ / name, missing);
  if (missing) {
    return {.problem = fmt::format("there is no file '{}' beside the model", name)};
  }
  if (std::none_of(roots_.begin(), roots_.end(),
                   [&](const std::filesystem::path& root) { return lies_below(file, root); })) {
    return {.problem = fmt::format("'{}' lies outside of the folder of the model", name),
            .hint = "--data-folder FOLDER allows another one"};
  }
  if (!std::filesystem::is_regular_file(file, missing)) {
    return {.problem = fmt::format("'{}' is not a file", name)};
  }
  Result<std::string> text = read_file(file.string(), "a table");
  if (!text) {
    return {.problem = text.error().items().front().message};
  }
  return {.text = *std::move(text)};
}

}  // namespace saltus::api
