/// Words of the command line that nobody took: misspelt commands and options, arguments too many.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "saltus/diagnostic.hpp"

namespace saltus::tool {

/// Whether a word asks for an option: "--stop", "-o", but not "-1".
[[nodiscard]] bool looks_like_option(std::string_view word);

[[nodiscard]] Diagnostics unknown_command(std::string_view word,
                                          const std::vector<std::string_view>& commands);

/// One error for each word, in the order given. Next to a misspelt option other words may be its value, so that only
/// options are named then. `help` is where to look further ("saltus help run").
[[nodiscard]] Diagnostics unknown_words(const std::vector<std::string>& words,
                                        const std::vector<std::string_view>& options,
                                        const std::string& help);

}  // namespace saltus::tool
