#include "saltus/diagnostic.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace saltus {
namespace {

constexpr DiagnosticCode kCode{"unknown-name"};

Diagnostics over(std::string text) {
  return Diagnostics(std::make_shared<const SourceText>("m.mo", std::move(text)));
}

TEST(DiagnosticRender, ShowsFileLineColumnCodeAndCaret) {
  Diagnostics d = over("model M\n  y = xx;\nend M;\n");
  d.error(kCode, "'xx' is not declared", SourceSpan{14, 2}, "did you mean 'x'?");
  EXPECT_EQ(render_text(d),
            "m.mo:2:7: error: 'xx' is not declared [unknown-name]\n"
            "    2 |   y = xx;\n"
            "      |       ^^\n"
            "  hint: did you mean 'x'?\n");
}

TEST(DiagnosticRender, CountsCodePointsNotBytes) {
  Diagnostics d = over("\"äöü\" x");
  d.error(kCode, "m", SourceSpan{9, 1});  // the quoted text has 8 bytes and 5 code points
  EXPECT_EQ(render_text(d),
            "m.mo:1:7: error: m [unknown-name]\n"
            "    1 | \"äöü\" x\n"
            "      |       ^\n");
}

TEST(DiagnosticRender, PlaceAtTheEndOfTheFileGetsOneCaret) {
  Diagnostics d = over("ab");
  d.error(kCode, "m", SourceSpan{2, 0});
  EXPECT_EQ(render_text(d), "m.mo:1:3: error: m [unknown-name]\n    1 | ab\n      |   ^\n");
}

TEST(DiagnosticRender, WindowsLineEndingsAndTabsDoNotDisturbTheCaret) {
  Diagnostics d = over("a;\r\n\tb;\r\n");
  d.error(kCode, "m", SourceSpan{5, 1});
  EXPECT_EQ(render_text(d), "m.mo:2:2: error: m [unknown-name]\n    2 |  b;\n      |  ^\n");
}

TEST(DiagnosticRender, SpanOverSeveralLinesUnderlinesTheFirst) {
  Diagnostics d = over("abc\ndef\n");
  d.error(kCode, "m", SourceSpan{1, 5});
  EXPECT_EQ(render_text(d), "m.mo:1:2: error: m [unknown-name]\n    1 | abc\n      |  ^^\n");
}

TEST(DiagnosticRender, VeryLongLinesAreShownAsAWindow) {
  Diagnostics d = over(std::string(100000, 'x') + "!" + std::string(100000, 'y'));
  d.error(kCode, "m", SourceSpan{100000, 1});
  const std::string text = render_text(d);
  EXPECT_LT(text.size(), 500U);
  const std::size_t mark = text.find('!');
  const std::size_t caret = text.find('^');
  const auto column = [&](std::size_t at) { return at - text.rfind('\n', at); };
  EXPECT_EQ(column(mark), column(caret));
}

TEST(DiagnosticRender, NotesNameFurtherPlaces) {
  Diagnostics d = over("a b");
  d.error(kCode, "set twice", SourceSpan{2, 1}).notes.push_back({"first set here", SourceSpan{0, 1}});
  EXPECT_NE(render_text(d).find("m.mo:1:1: note: first set here\n    1 | a b\n      | ^\n"),
            std::string::npos);
}

TEST(DiagnosticRender, WithoutATextOnlyTheMessageIsShown) {
  Diagnostics d;
  d.warning(kCode, "no such file");
  EXPECT_EQ(render_text(d), "warning: no such file [unknown-name]\n");
  EXPECT_FALSE(d.has_errors());
}

TEST(DiagnosticRender, JsonHoldsTheSameData) {
  Diagnostics d = over("model M\n  y = xx;\n");
  d.error(kCode, "bad \"name\"", SourceSpan{14, 2}, "h").notes.push_back({"n", SourceSpan{0, 5}});
  const auto json = nlohmann::json::parse(render_json(d));
  ASSERT_EQ(json.size(), 1U);
  EXPECT_EQ(json[0]["line"], 2);
  EXPECT_EQ(json[0]["column"], 7);
  EXPECT_EQ(json[0]["end_column"], 9);
  EXPECT_EQ(json[0]["message"], "bad \"name\"");
  EXPECT_EQ(json[0]["severity"], "error");
  EXPECT_EQ(json[0]["notes"][0]["line"], 1);
}

TEST(DiagnosticRender, BytesThatAreNotUtf8DoNotBreakJson) {
  Diagnostics d;
  d.error(kCode, "name '\xff\xfe'");
  EXPECT_TRUE(nlohmann::json::accept(render_json(d)));
}

TEST(Diagnostics, AppendKeepsOrderAndCountsErrors) {
  Diagnostics a = over("x");
  a.warning(kCode, "one");
  Diagnostics b(a.source());
  b.error(kCode, "two");
  a.append(std::move(b));
  ASSERT_EQ(a.items().size(), 2U);
  EXPECT_EQ(a.items()[1].message, "two");
  EXPECT_EQ(a.n_errors(), 1U);
}

}  // namespace
}  // namespace saltus
