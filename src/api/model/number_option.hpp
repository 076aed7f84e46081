/// Numbers in the texts of options.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "saltus/diagnostic.hpp"

namespace saltus::api {

/// nullopt if the text is not one finite number.
[[nodiscard]] std::optional<double> parse_number(std::string_view text);
/// Counts may be written as 1e6.
[[nodiscard]] std::optional<std::int64_t> parse_count(std::string_view text);
/// "--name takes <expected>, not 'value'".
[[nodiscard]] Diagnostics wrong_value(std::string_view name, std::string_view value,
                                      std::string_view expected);
/// The count that the text of an option is, at least `least`; else what is wrong.
[[nodiscard]] Diagnostics set_count(std::int64_t& count, std::int64_t least, std::string_view name,
                                    std::string_view value);

}  // namespace saltus::api
