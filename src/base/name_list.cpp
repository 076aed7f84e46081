#include "base/name_list.hpp"

namespace saltus {

std::vector<std::string> split_names(std::string_view text) {
  std::vector<std::string> names;
  int depth = 0;
  char quote = 0;  // that is open
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != 0 && c == '\\') {
      ++i;
    } else if (c == '\'' || c == '"') {
      quote = quote == 0 ? c : quote == c ? 0 : quote;
    } else if (quote == 0) {
      depth += std::string_view("[({").find(c) != std::string_view::npos   ? 1
               : std::string_view("])}").find(c) != std::string_view::npos ? -1
                                                                           : 0;
      if (c == ',' && depth <= 0) {
        names.emplace_back(trimmed(text.substr(begin, i - begin)));
        begin = i + 1;
      }
    }
  }
  names.emplace_back(trimmed(text.substr(begin)));
  return names;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  return first == std::string_view::npos ? std::string_view()
                                         : text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::string_view unquoted(std::string_view name) {
  const bool is_quoted =
      name.size() > 2 && name.front() == '\'' && name.back() == '\'' && name.find('\'', 1) == name.size() - 1;
  return is_quoted ? name.substr(1, name.size() - 2) : name;
}

// Each star takes as little as it can; where the rest then does not fit, the last star takes one character more.
bool matches(std::string_view pattern, std::string_view name) {
  std::size_t p = 0;
  std::size_t n = 0;
  std::size_t star = std::string_view::npos;
  std::size_t taken = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      taken = n;
    } else if (p < pattern.size() && pattern[p] == name[n]) {
      ++p;
      ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++taken;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') {
    ++p;
  }
  return p == pattern.size();
}

}  // namespace saltus
