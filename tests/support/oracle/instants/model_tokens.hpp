/// The words of a model text: names, numbers, symbols; comments and descriptions are left out.
#pragma once

#include <string>
#include <vector>

namespace saltus::test::instants {

struct Token {
  enum class Kind { name, number, symbol, end } kind = Kind::end;
  std::string text;
};

/// Ends with one token of kind end.
[[nodiscard]] std::vector<Token> tokens_of(const std::string& text);

}  // namespace saltus::test::instants
