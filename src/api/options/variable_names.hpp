/// Which variables an item of a list of names means: --columns, --nonnegative.
///
/// Contract   The name of a variable means it; else that of an array all its elements; else an item with '*' all names that match. What stands
///            in quotes as a whole ('a[1,2]') is a name, never a pattern or a word.
/// Checked by tests/unit/api/columns_test.cpp, tests/unit/api/nonnegative_test.cpp
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "saltus/model.hpp"

namespace saltus::api {

/// Places in `variables`, ascending; empty: none is meant.
[[nodiscard]] std::vector<std::size_t> variables_meant(std::string_view item,
                                                       const std::vector<VariableInfo>& variables);

/// The item of a list that means the variable, or parameter, of this name alone: words that lists take besides names are put into quotes.
[[nodiscard]] std::string as_item(const std::string& name);

/// "did you mean …?" for an item that means none; empty if no name is near.
[[nodiscard]] std::string similar_variable(std::string_view item, const std::vector<VariableInfo>& variables);

}  // namespace saltus::api
