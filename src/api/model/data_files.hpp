/// Files that a model names: tables.
///
/// Problem      a model may come from anybody; reading it must not show it files of the machine.
/// Method       a name is taken relative to the folder of the model file; links resolved, the file must lie in that folder, in one below it, or
///              in one that the user allows.
/// Checked by   tests/cli/input_test.cpp
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "lang/elaborate/compile_options.hpp"

namespace saltus::api {

class DataFiles {
 public:
  /// `allowed`: folders besides that of the model.
  DataFiles(const std::string& model_path, const std::vector<std::string>& allowed);

  [[nodiscard]] lang::DataText read(const std::string& name) const;

 private:
  std::filesystem::path base_;
  std::vector<std::filesystem::path> roots_;  // links resolved
};

}  // namespace saltus::api
