#include "write_text.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "diagnostic_codes.hpp"

namespace saltus::tool {

Diagnostics write_text(const std::string& folder, const std::string& name, const std::string& text) {
  std::error_code ignored;
  std::filesystem::create_directories(folder, ignored);
  std::ofstream file(std::filesystem::path(folder) / name, std::ios::binary);
  file << text;
  file.close();
  Diagnostics problems;
  if (file.fail()) {
    problems.error(kCannotWriteOutput, fmt::format("cannot write {} into '{}'", name, folder));
  }
  return problems;
}

}  // namespace saltus::tool
