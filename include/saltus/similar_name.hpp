// "did you mean …?" for misspelt names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace saltus {

/// "did you mean 'x'?" with the candidate nearest to `name`; nothing if none is near enough to be a slip.
[[nodiscard]] std::string did_you_mean(std::string_view name,
                                       const std::vector<std::string_view>& candidates);

}  // namespace saltus
