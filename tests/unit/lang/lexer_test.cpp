#include "lang/syntax/lexer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "lang/syntax/lexer_character.hpp"

namespace saltus::lang {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct Lexed {
  std::vector<std::string> tokens;  ///< as written, without the end of the file
  std::vector<TokenKind> kinds;
  std::vector<std::string> faults;  ///< "code offset"
};

Lexed lexed(std::string text) {
  const SourceText source("test.mo", std::move(text));
  Diagnostics diagnostics;
  Lexed result;
  for (const Token& token : lex(source, diagnostics, 100)) {
    if (token.kind != TokenKind::end_of_file) {
      result.tokens.emplace_back(source.text(token.span));
      result.kinds.push_back(token.kind);
    }
  }
  for (const Diagnostic& item : diagnostics.items()) {
    result.faults.push_back(item.code + " " + std::to_string(item.span->offset));
  }
  return result;
}

TEST(Lexer, SplitsNamesNumbersAndOperators) {
  const Lexed result = lexed("x1:=a.*b.^2-1.5e-3<=y<>z==_w.q;");
  EXPECT_THAT(result.tokens, ElementsAre("x1", ":=", "a", ".*", "b", ".^", "2", "-", "1.5e-3", "<=", "y",
                                         "<>", "z", "==", "_w", ".", "q", ";"));
  EXPECT_THAT(result.faults, IsEmpty());
}

TEST(Lexer, TheLongestNumberWins) {
  const Lexed result = lexed("1./x 2.*3 4..+5 6e1.^2 7.:8");
  EXPECT_THAT(result.tokens,
              ElementsAre("1.", "/", "x", "2.", "*", "3", "4.", ".+", "5", "6e1", ".^", "2", "7.", ":", "8"));
  EXPECT_EQ(result.kinds.front(), TokenKind::real);
}

TEST(Lexer, KeywordsAreWholeWords) {
  const Lexed result = lexed("end ends End model models der within constrainedby constrainedbyx");
  EXPECT_THAT(result.kinds,
              ElementsAre(TokenKind::kw_end, TokenKind::identifier, TokenKind::identifier,
                          TokenKind::kw_model, TokenKind::identifier, TokenKind::kw_der, TokenKind::kw_within,
                          TokenKind::kw_constrainedby, TokenKind::identifier));
}

TEST(Lexer, EveryKeywordIsFoundByItsSpelling) {
  for (int kind = static_cast<int>(TokenKind::kw_algorithm); kind <= static_cast<int>(TokenKind::kw_within);
       ++kind) {
    const auto keyword = static_cast<TokenKind>(kind);
    EXPECT_EQ(keyword_or_identifier(token_text(keyword)), keyword) << token_text(keyword);
  }
  EXPECT_EQ(keyword_or_identifier(""), TokenKind::identifier);
}

TEST(Lexer, SkipsCommentsMarkAndLineEndings) {
  const Lexed result = lexed("\xef\xbb\xbfx // rest \"of' line\r\n/* a /* b */ y\r\n//last");
  EXPECT_THAT(result.tokens, ElementsAre("x", "y"));
  EXPECT_THAT(result.faults, IsEmpty());
}

TEST(Lexer, KnowsWhereLinesBegin) {
  const SourceText source("test.mo", "a b\nc /* \n */ d");
  Diagnostics diagnostics;
  std::vector<bool> first;
  for (const Token& token : lex(source, diagnostics, 100)) {
    first.push_back(token.first_on_line);
  }
  EXPECT_THAT(first, ElementsAre(true, false, true, true, false));
}

TEST(Lexer, ReportsZeroBytesOncePerRun) {
  using namespace std::string_literals;
  EXPECT_THAT(lexed("x = \0\0\0 1"s).faults, ElementsAre("invalid-character 4"));
  EXPECT_THAT(lexed("\"a\0b\""s).faults, ElementsAre("invalid-character 2"));
  EXPECT_THAT(lexed("'a\0b'"s).faults, ElementsAre("invalid-character 2"));
  EXPECT_THAT(lexed("// \0\n/* \0 */"s).faults, IsEmpty());
}

TEST(Lexer, ReportsBytesThatAreNoUtf8) {
  EXPECT_THAT(lexed("x \xff\xfe y").faults, ElementsAre("invalid-character 2"));
  EXPECT_THAT(lexed("\xc3").faults, ElementsAre("invalid-character 0"));
  EXPECT_THAT(lexed("'\xe9'").faults, ElementsAre("invalid-character 1"));
  EXPECT_THAT(lexed("\"caf\xe9\" // \xff").faults, IsEmpty());
  EXPECT_THAT(lexed("\"caf\xc3\xa9\" 'caf\xc3\xa9'").faults, IsEmpty());
}

TEST(Lexer, StringsMayGoOverLinesAndHoldEscapes) {
  const Lexed result = lexed("\"a\\\"b\nc\\\\\" x");
  EXPECT_THAT(result.kinds, ElementsAre(TokenKind::string, TokenKind::identifier));
  EXPECT_EQ(unescape(result.tokens[0]), "a\"b\nc\\");
}

TEST(Lexer, AStringThatIsNotClosedEndsWithItsLine) {
  const Lexed result = lexed("\"abc\nx = 1;");
  EXPECT_THAT(result.kinds, ElementsAre(TokenKind::error, TokenKind::identifier, TokenKind::equals,
                                        TokenKind::integer, TokenKind::semicolon));
  EXPECT_THAT(result.faults, ElementsAre("unterminated-string 0"));
  EXPECT_THAT(lexed("\"abc\\").faults, ElementsAre("unterminated-string 0"));
}

TEST(Lexer, StopsAfterTheLimitOfErrors) {
  EXPECT_EQ(lexed(std::string(1000, '#')).faults.size(), 1U);
  std::string many;
  for (int i = 0; i < 1000; ++i) {
    many += "#x";
  }
  EXPECT_EQ(lexed(many).faults.size(), 100U);
}

TEST(Unescape, KnowsAllEscapes) {
  EXPECT_EQ(unescape("\"\\'\\\"\\?\\\\\\a\\b\\f\\n\\r\\t\\v\""), "'\"?\\\a\b\f\n\r\t\v");
  EXPECT_EQ(unescape("'a\\'b'"), "a'b");
  EXPECT_EQ(unescape("\"\\q\""), "q");
  EXPECT_EQ(unescape("\"\xff\""), "\xef\xbf\xbd");
}

TEST(Utf8, RefusesOverlongFormsSurrogatesAndLargeCodes) {
  EXPECT_EQ(decode_utf8("\xe2\x82\xac", 0).code, 0x20acU);
  EXPECT_EQ(decode_utf8("\xf0\x9f\x98\x80", 0).length, 4U);
  for (const char* wrong :
       {"\xc0\x80", "\xe0\x80\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xf8", "\x80", "\xe2\x82"}) {
    EXPECT_FALSE(decode_utf8(wrong, 0).valid);
  }
}

TEST(LooksLike, TakesSlipsAndNothingMore) {
  EXPECT_TRUE(looks_like("equaton", "equation"));
  EXPECT_TRUE(looks_like("Equation", "equation"));
  EXPECT_TRUE(looks_like("wehn", "when"));
  EXPECT_TRUE(looks_like("paramter", "parameter"));
  EXPECT_FALSE(looks_like("x", "if"));
  EXPECT_FALSE(looks_like("then", "end"));
  EXPECT_FALSE(looks_like("position", "equation"));
  EXPECT_FALSE(looks_like(std::string(1000, 'a'), "end"));
}

}  // namespace
}  // namespace saltus::lang
