/// Values that are set, as texts: "NAME=VALUE", and files of names and values.
///
/// Contract     a value is a number, `true`, `false`, a text (in double quotes where it could be anything else, with a backslash before quotes and
///              backslashes), or an array of these in braces: {1, 2}, {{1, 2}, {3, 4}}
/// Choices      a file is JSON if it begins with a brace, else CSV with two columns, `name` and `value`; a comma within brackets does not separate
/// Fails when   a value cannot be read, a name comes twice in a file: the message has the line
/// Checked by   tests/unit/api/set_values_test.cpp
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "saltus/result.hpp"
#include "saltus/set_value.hpp"

namespace saltus::api {

/// Lists within lists; arrays of a model have fewer dimensions.
inline constexpr int kMostNesting = 32;

/// nullopt: it cannot be read.
[[nodiscard]] std::optional<GivenValue> parse_given(std::string_view text);
/// "NAME=VALUE"; the name may be quoted.
[[nodiscard]] std::optional<SetValue> parse_set(std::string_view text);

[[nodiscard]] Result<std::vector<SetValue>> read_set_file(const std::string& path);

}  // namespace saltus::api
