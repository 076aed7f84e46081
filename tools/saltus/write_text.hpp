/// A file with one text.
#pragma once

#include <string>

#include "saltus/diagnostic.hpp"

namespace saltus::tool {

/// Makes the folder with its parents. Says what could not be written.
[[nodiscard]] Diagnostics write_text(const std::string& folder, const std::string& name,
                                     const std::string& text);

}  // namespace saltus::tool
