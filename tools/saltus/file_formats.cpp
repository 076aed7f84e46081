#include "file_formats.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "diagnostic_codes.hpp"

namespace saltus::tool {

Diagnostics read_formats(const std::string& text, FileFormats formats) {
  Diagnostics problems;
  if (text.empty()) {
    return problems;
  }
  formats.csv = formats.json = formats.html = false;
  std::size_t at = 0;
  while (at <= text.size()) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    const std::string name = text.substr(at, comma - at);
    if (name == "csv") {
      formats.csv = true;
    } else if (name == "json") {
      formats.json = true;
    } else if (name == "html") {
      formats.html = true;
    } else {
      problems.error(kUnknownFormat, fmt::format("--format takes csv, json and html, not '{}'", name));
    }
    at = comma + 1;
  }
  return problems;
}

}  // namespace saltus::tool
