/// Lists of names in options: "x, A[1,2], der(b.*), 'r.k[1,2]'".
///
/// Contract   A comma separates outside of brackets, parentheses, braces and quotes of either kind only; within quotes a backslash takes the next character as it is.
///            Items are trimmed; empty ones are kept, so that whoever reads the list can refuse them.
/// Checked by tests/unit/base/name_list_test.cpp
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace saltus {

[[nodiscard]] std::vector<std::string> split_names(std::string_view text);

/// Without blanks and tabs at its ends.
[[nodiscard]] std::string_view trimmed(std::string_view text);

/// What stands between the quotes of a name that is quoted as a whole; other names as they are.
[[nodiscard]] std::string_view unquoted(std::string_view name);

/// Whether the name is `pattern`, in which each '*' stands for any characters, none and dots too.
[[nodiscard]] bool matches(std::string_view pattern, std::string_view name);

}  // namespace saltus
