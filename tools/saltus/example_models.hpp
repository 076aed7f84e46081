/// The models of examples/, as part of the program.
#pragma once

#include <string_view>
#include <vector>

namespace saltus::tool {

struct ExampleModel {
  std::string_view file_name;
  std::string_view text;
};

/// In alphabetical order; written by CMake.
[[nodiscard]] const std::vector<ExampleModel>& example_models();

}  // namespace saltus::tool
