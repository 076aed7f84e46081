#include "unknown_words.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "diagnostic_codes.hpp"
#include "saltus/similar_name.hpp"

namespace saltus::tool {
namespace {

std::string hint_or(std::string hint, std::string otherwise) {
  return hint.empty() ? std::move(otherwise) : std::move(hint);
}

}  // namespace

bool looks_like_option(std::string_view word) {
  return word.size() > 1 && word[0] == '-' && word[1] != '.' && (word[1] < '0' || word[1] > '9');
}

Diagnostics unknown_command(std::string_view word, const std::vector<std::string_view>& commands) {
  Diagnostics problems;
  problems.error(kUnknownCommand, fmt::format("there is no command '{}'", word), std::nullopt,
                 hint_or(did_you_mean(word, commands), "'saltus help' lists the commands"));
  return problems;
}

Diagnostics unknown_words(const std::vector<std::string>& words, const std::vector<std::string_view>& options,
                          const std::string& help) {
  Diagnostics problems;
  const bool has_options = std::any_of(words.begin(), words.end(), looks_like_option);
  for (const std::string& word : words) {
    if (looks_like_option(word)) {
      const std::string name = word.substr(0, word.find('='));
      problems.error(kUnknownOption, fmt::format("there is no option '{}'", name), std::nullopt,
                     hint_or(did_you_mean(name, options), fmt::format("see '{}'", help)));
    } else if (!has_options) {
      problems.error(kWrongUsage, fmt::format("the argument '{}' is one too many", word), std::nullopt,
                     fmt::format("see '{}'", help));
    }
  }
  return problems;
}

}  // namespace saltus::tool
