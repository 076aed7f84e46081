// The version of the library that is linked (not that of the headers).
#pragma once

#include <string_view>

namespace saltus {

/// "major.minor.patch", as in summary.json.
[[nodiscard]] std::string_view version();

}  // namespace saltus
