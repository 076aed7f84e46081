/// "did you mean …?": the known name nearest to a misspelt one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "saltus/similar_name.hpp"

namespace saltus {

/// Edits (insert, delete, replace, exchange neighbours) that turn one name into the other; `limit` + 1 if more.
/// Only the first 64 characters count: the cost is quadratic and the answer a hint.
[[nodiscard]] int edit_distance(std::string_view a, std::string_view b, int limit);

/// The nearest candidate within a third of the name's length, at least one edit; the first of equals; empty if none
/// is near enough to be a slip.
[[nodiscard]] std::string_view similar_name(std::string_view name,
                                            const std::vector<std::string_view>& candidates);

}  // namespace saltus
