/// A whole file as text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "saltus/result.hpp"

namespace saltus::api {

/// Far above any model or table a person or a generator writes, far below what would hurt the machine.
inline constexpr std::size_t kMaxFileSize = std::size_t{256} << 20;

/// `what` the file would be, for the message when it is too large: "a model".
[[nodiscard]] Result<std::string> read_file(const std::string& path, std::string_view what,
                                            std::size_t most = kMaxFileSize);

}  // namespace saltus::api
