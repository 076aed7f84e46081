// What the parser could not read, and what may follow from it.
#include <gtest/gtest.h>

#include "lang/syntax/parser.hpp"

namespace saltus::lang {
namespace {

struct Parsed {
  SourceText source;
  Damage damage;

  explicit Parsed(const std::string& text) : source("damaged.mo", text) {
    Diagnostics diagnostics;
    damage = parse(source, Dialect::modelica, diagnostics).damage;
  }
  [[nodiscard]] std::vector<std::string> regions() const {
    std::vector<std::string> result;
    for (const SourceSpan region : damage.regions) {
      result.emplace_back(source.text(region));
    }
    return result;
  }
};

using Texts = std::vector<std::string>;

TEST(Damage, IsNoneInATextThatIsRight) {
  const Parsed parsed("model M\n  Real x = 1;\nend M;\n");
  EXPECT_FALSE(parsed.damage.any());
  EXPECT_FALSE(parsed.damage.may_declare("x"));
}

TEST(Damage, IsTheWholeStatementAndNoMore) {
  const Parsed parsed("model M\n  Real x, y;\nequation\n  y = 2;\n  x = 1 + ;\n  y = 3;\nend M;\n");
  EXPECT_EQ(parsed.regions(), Texts{"x = 1 + ;"});
  EXPECT_TRUE(parsed.damage.may_declare("x"));
  EXPECT_FALSE(parsed.damage.may_declare("y"));
}

TEST(Damage, IsNoneWhereItIsCertainWhatIsMeant) {
  const Parsed parsed("model M\n  Real x\n  Real y;\nequation\n  x := 1;\n  y == 2;\nend M;\n");
  EXPECT_EQ(parsed.regions(), Texts{});
}

TEST(Damage, OfABlockThatIsNotClosedSwallowsTheDamageInside) {
  const Parsed parsed("model M\n  Real x;\nequation\n  if time > 1 then\n    x = ;\n  x = 2;\nend M;\n");
  EXPECT_EQ(parsed.regions(), Texts{"if time > 1 then\n    x = ;\n  x = 2;"});
}

TEST(Damage, TouchesSpansThatOverlapIt) {
  Damage damage;
  damage.regions = {{10, 5}, {30, 5}};
  EXPECT_FALSE(damage.touches({0, 9}));
  EXPECT_TRUE(damage.touches({8, 4}));
  EXPECT_TRUE(damage.touches({12, 1}));
  EXPECT_FALSE(damage.touches({20, 5}));
  EXPECT_TRUE(damage.touches({0, 100}));
  EXPECT_FALSE(damage.touches({40, 1}));
}

TEST(Damage, MayDeclareDottedNamesByTheirParts) {
  Damage damage;
  damage.names = {"SI"};
  EXPECT_TRUE(damage.may_declare("SI.Mass"));
  EXPECT_TRUE(damage.may_declare("Units.SI"));
  EXPECT_FALSE(damage.may_declare("SIx.Mass"));
  damage.hides_names = true;
  EXPECT_TRUE(damage.may_declare("anything"));
}

}  // namespace
}  // namespace saltus::lang
