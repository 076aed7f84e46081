/// A whole file as text.
#pragma once

#include <string>
#include <string_view>

#include "saltus/result.hpp"

namespace saltus::api {

/// `what` the file would be, for the message when it is too large: "a model".
[[nodiscard]] Result<std::string> read_file(const std::string& path, std::string_view what);

}  // namespace saltus::api
