#include "saltus/visible_text.hpp"

#include <gtest/gtest.h>

#include "saltus/diagnostic.hpp"

namespace saltus {
namespace {

TEST(VisibleText, KeepsWhatIsShown) {
  for (const char* text : {"", "x[1] = 2\n", "\tü → 漢字 🙂", "\\x1b as written"}) {
    EXPECT_EQ(visible_text(text), text);
    EXPECT_TRUE(is_visible_text(text));
  }
}

TEST(VisibleText, ShowsControlCharacters) {
  EXPECT_EQ(visible_text("\x1b[31mred\x07"), "\\x1b[31mred\\x07");
  EXPECT_EQ(visible_text("\x7f\r"), "\\x7f\\x0d");
  EXPECT_EQ(visible_text(std::string_view("a\0b", 3)), "a\\x00b");
}

// U+009B is the introducer of sequences for terminals that know C1.
TEST(VisibleText, ShowsC1InBothForms) {
  EXPECT_EQ(visible_text("\xc2\x9b"
                         "31m"),
            "\\x9b31m");
  EXPECT_EQ(visible_text("\x9b"
                         "31m"),
            "\\x9b31m");
  EXPECT_EQ(visible_text("\xc2\xa0"), "\xc2\xa0");  // a no-break space is none
}

TEST(VisibleText, ShowsWhatIsNotUtf8) {
  EXPECT_EQ(visible_text("\xff\xc3"), "\\xff\\xc3");
  EXPECT_EQ(visible_text("\xe0\x80\x9b"), "\\xe0\\x80\\x9b");  // too long a form of U+001B
}

TEST(VisibleText, ShowsMarksThatTurnTheDirectionOfWriting) {
  EXPECT_EQ(visible_text("a\xe2\x80\xae"
                         "b"),
            "a\\u202eb");
  EXPECT_EQ(visible_text("a\xe2\x81\xa6"
                         "b"),
            "a\\u2066b");
}

bool has_control(std::string_view text) {
  for (const char c : text) {
    if ((static_cast<unsigned char>(c) < 0x20U && c != '\n') || c == 0x7f) {
      return true;
    }
  }
  return text.find("\xc2\x9b") != std::string_view::npos;
}

TEST(VisibleText, DiagnosticsHaveNoControlCharacters) {
  const std::string evil =
      "a\x1b[2J\xc2\x9b"
      "b";
  Diagnostics diagnostics(std::make_shared<const SourceText>(evil + ".mo", "model " + evil + "\n"));
  Diagnostic& item = diagnostics.error(DiagnosticCode{"code"}, evil, SourceSpan{6, 3}, evil);
  item.notes.push_back({evil, SourceSpan{6, 3}});
  EXPECT_FALSE(has_control(render_text(diagnostics)));
  EXPECT_FALSE(has_control(render_json(diagnostics)));
}

}  // namespace
}  // namespace saltus
