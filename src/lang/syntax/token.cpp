#include "lang/syntax/token.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "saltus/contract.hpp"

namespace saltus::lang {
namespace {

constexpr std::size_t kTokenKinds = static_cast<std::size_t>(TokenKind::kw_within) + 1;
constexpr std::size_t kFirstKeyword = static_cast<std::size_t>(TokenKind::kw_algorithm);

// In the order of TokenKind.
constexpr std::array<std::string_view, kTokenKinds> kTexts = {"the end of the file",
                                                              "a faulty token",
                                                              "a name",
                                                              "a name",
                                                              "a number",
                                                              "a number",
                                                              "a string",
                                                              "(",
                                                              ")",
                                                              "{",
                                                              "}",
                                                              "[",
                                                              "]",
                                                              ",",
                                                              ";",
                                                              ".",
                                                              ":",
                                                              ":=",
                                                              "=",
                                                              "==",
                                                              "<>",
                                                              "<",
                                                              "<=",
                                                              ">",
                                                              ">=",
                                                              "+",
                                                              "-",
                                                              "*",
                                                              "/",
                                                              "^",
                                                              ".+",
                                                              ".-",
                                                              ".*",
                                                              "./",
                                                              ".^",
                                                              "algorithm",
                                                              "and",
                                                              "annotation",
                                                              "block",
                                                              "break",
                                                              "class",
                                                              "connect",
                                                              "connector",
                                                              "constant",
                                                              "constrainedby",
                                                              "der",
                                                              "discrete",
                                                              "each",
                                                              "else",
                                                              "elseif",
                                                              "elsewhen",
                                                              "encapsulated",
                                                              "end",
                                                              "enumeration",
                                                              "equation",
                                                              "expandable",
                                                              "extends",
                                                              "external",
                                                              "false",
                                                              "final",
                                                              "flow",
                                                              "for",
                                                              "function",
                                                              "if",
                                                              "import",
                                                              "impure",
                                                              "in",
                                                              "initial",
                                                              "inner",
                                                              "input",
                                                              "loop",
                                                              "model",
                                                              "not",
                                                              "operator",
                                                              "or",
                                                              "outer",
                                                              "output",
                                                              "package",
                                                              "parameter",
                                                              "partial",
                                                              "protected",
                                                              "public",
                                                              "pure",
                                                              "record",
                                                              "redeclare",
                                                              "replaceable",
                                                              "return",
                                                              "stream",
                                                              "then",
                                                              "true",
                                                              "type",
                                                              "when",
                                                              "while",
                                                              "within"};
static_assert(kTexts[kFirstKeyword] == "algorithm" && kTexts.back() == "within");

constexpr std::size_t kKeywordSlots = 256;

constexpr std::size_t slot_of(std::string_view word) {
  const auto first = static_cast<unsigned char>(word.front());
  const auto last = static_cast<unsigned char>(word.back());
  return (word.size() * 37U + first * 7U + last * 59U) % kKeywordSlots;
}

// Open addressing over the keywords; 0 marks a free slot (it is no keyword).
constexpr std::array<std::uint8_t, kKeywordSlots> make_keyword_table() {
  std::array<std::uint8_t, kKeywordSlots> table{};
  for (std::size_t kind = kFirstKeyword; kind < kTokenKinds; ++kind) {
    std::size_t slot = slot_of(kTexts[kind]);
    while (table[slot] != 0) {
      slot = (slot + 1) % kKeywordSlots;
    }
    table[slot] = static_cast<std::uint8_t>(kind);
  }
  return table;
}

constexpr std::array<std::uint8_t, kKeywordSlots> kKeywordTable = make_keyword_table();
constexpr std::size_t kLongestKeyword = 13;  // constrainedby

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

// Damerau-Levenshtein distance with neighbouring swaps ("optimal string alignment"), for words of at most
// kLongestWord letters, without regard to case.
constexpr std::size_t kLongestWord = 20;

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::array<std::array<std::size_t, kLongestWord + 1>, kLongestWord + 1> d{};
  for (std::size_t i = 0; i <= a.size(); ++i) {
    d[i][0] = i;
  }
  for (std::size_t j = 0; j <= b.size(); ++j) {
    d[0][j] = j;
  }
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const char p = lower(a[i - 1]);
      const char q = lower(b[j - 1]);
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (p == q ? 0U : 1U)});
      if (i > 1 && j > 1 && p == lower(b[j - 2]) && lower(a[i - 2]) == q) {
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
      }
    }
  }
  return d[a.size()][b.size()];
}

}  // namespace

std::string_view token_text(TokenKind kind) {
  return kTexts[static_cast<std::size_t>(kind)];
}

TokenKind keyword_or_identifier(std::string_view spelling) {
  if (spelling.empty() || spelling.size() > kLongestKeyword) {
    return TokenKind::identifier;
  }
  for (std::size_t slot = slot_of(spelling); kKeywordTable[slot] != 0; slot = (slot + 1) % kKeywordSlots) {
    if (kTexts[kKeywordTable[slot]] == spelling) {
      return static_cast<TokenKind>(kKeywordTable[slot]);
    }
  }
  return TokenKind::identifier;
}

bool looks_like(std::string_view word, std::string_view intended) {
  constexpr std::size_t kShortWord = 4;
  const std::size_t allowed = intended.size() <= kShortWord ? 1 : 2;
  if (word.size() > kLongestWord || intended.size() > kLongestWord || word.size() < 2 ||
      word.size() + allowed < intended.size() || intended.size() + allowed < word.size()) {
    return false;
  }
  return edit_distance(word, intended) <= allowed;
}

}  // namespace saltus::lang
