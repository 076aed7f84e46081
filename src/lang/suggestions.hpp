/// "did you mean": the known name nearest to a misspelt one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace saltus::lang {

/// Edits (insert, delete, replace, exchange neighbours) that turn one name into the other; `limit` + 1 if more.
[[nodiscard]] int edit_distance(std::string_view a, std::string_view b, int limit);
/// "did you mean 'x'?" for the nearest name within a third of its length, the first of equals; empty if none is near.
[[nodiscard]] std::string did_you_mean(std::string_view name, const std::vector<std::string_view>& known);

}  // namespace saltus::lang
