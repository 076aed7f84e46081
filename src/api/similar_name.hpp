/// "did you mean …?"
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace saltus::api {

/// The candidate with the fewest edits to `name`, if these are few enough to be a slip; else empty.
[[nodiscard]] std::string similar_name(std::string_view name,
                                       const std::vector<std::string_view>& candidates);

/// "did you mean 'x'?" or nothing.
[[nodiscard]] std::string similar_name_hint(std::string_view name,
                                            const std::vector<std::string_view>& candidates);

}  // namespace saltus::api
