/// --format: which files are written.
#pragma once

#include <string>

#include "saltus/diagnostic.hpp"

namespace saltus::tool {

struct FileFormats {
  bool& csv;
  bool& json;
  bool& html;
};

/// "csv,html" leaves out json; an empty text leaves all as they are.
[[nodiscard]] Diagnostics read_formats(const std::string& text, FileFormats formats);

}  // namespace saltus::tool
