#include "file_formats.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "diagnostic_codes.hpp"

namespace saltus::tool {
namespace {

// "csv, json and html"
std::string in_words(const FileFormats& formats) {
  std::string list;
  for (std::size_t i = 0; i < formats.size(); ++i) {
    list += (i == 0 ? "" : i + 1 < formats.size() ? ", " : " and ") + formats[i].first;
  }
  return list;
}

}  // namespace

Diagnostics read_formats(const std::string& text, const FileFormats& formats) {
  Diagnostics problems;
  if (text.empty()) {
    return problems;
  }
  for (const auto& format : formats) {
    *format.second = false;
  }
  std::size_t at = 0;
  while (at <= text.size()) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    const std::string name = text.substr(at, comma - at);
    const auto found = std::find_if(formats.begin(), formats.end(),
                                    [&](const auto& format) { return format.first == name; });
    if (found != formats.end()) {
      *found->second = true;
    } else {
      problems.error(kUnknownFormat, fmt::format("--format takes {}, not '{}'", in_words(formats), name));
    }
    at = comma + 1;
  }
  return problems;
}

}  // namespace saltus::tool
