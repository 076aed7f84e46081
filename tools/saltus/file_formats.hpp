/// --format: which files are written.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "saltus/diagnostic.hpp"

namespace saltus::tool {

/// Formats by name, and whether each is wanted.
using FileFormats = std::vector<std::pair<std::string, bool*>>;

/// "csv,html" leaves out json; an empty text leaves all as they are.
[[nodiscard]] Diagnostics read_formats(const std::string& text, const FileFormats& formats);

}  // namespace saltus::tool
