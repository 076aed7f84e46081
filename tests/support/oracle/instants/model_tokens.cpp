#include "support/oracle/instants/model_tokens.hpp"

#include <cctype>

namespace saltus::test::instants {
namespace {

bool begins_name(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
}
bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

/// Behind the next `mark`, or at the end.
std::size_t behind(const std::string& text, const char* mark, std::size_t at) {
  const std::size_t found = text.find(mark, at);
  return found == std::string::npos ? text.size() : found + std::string(mark).size();
}

/// Behind white space, comments and strings.
std::size_t skipped(const std::string& text, std::size_t at) {
  while (at < text.size()) {
    if (std::isspace(static_cast<unsigned char>(text[at])) != 0) {
      ++at;
    } else if (text.compare(at, 2, "//") == 0) {
      at = behind(text, "\n", at);
    } else if (text.compare(at, 2, "/*") == 0) {
      at = behind(text, "*/", at);
    } else if (text[at] == '"') {
      at = behind(text, "\"", at + 1);
    } else {
      break;
    }
  }
  return at;
}

std::size_t number_end(const std::string& text, std::size_t at) {
  while (at < text.size() && (is_digit(text[at]) || text[at] == '.')) {
    ++at;
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    at += text.compare(at + 1, 1, "-") == 0 || text.compare(at + 1, 1, "+") == 0 ? 2 : 1;
    while (at < text.size() && is_digit(text[at])) {
      ++at;
    }
  }
  return at;
}

}  // namespace

std::vector<Token> tokens_of(const std::string& text) {
  std::vector<Token> tokens;
  for (std::size_t at = skipped(text, 0); at < text.size(); at = skipped(text, at)) {
    std::size_t end = at + 1;
    Token::Kind kind = Token::Kind::symbol;
    if (begins_name(text[at])) {
      while (end < text.size() && (begins_name(text[end]) || is_digit(text[end]))) {
        ++end;
      }
      kind = Token::Kind::name;
    } else if (is_digit(text[at])) {
      end = number_end(text, at);
      kind = Token::Kind::number;
    } else {
      const std::string two = text.substr(at, 2);
      end = two == "<=" || two == ">=" || two == "<>" || two == "==" ? at + 2 : at + 1;
    }
    tokens.push_back({kind, text.substr(at, end - at)});
    at = end;
  }
  tokens.push_back({});
  return tokens;
}

}  // namespace saltus::test::instants
