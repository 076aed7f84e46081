#include "program/structure_variants.hpp"

#include <gtest/gtest.h>

#include "support/text_system.hpp"

namespace saltus::program {
namespace {

constexpr const char* kRateOrValue =
    "model M\n Real x(start = 0, fixed = true);\nequation\n if time < 0.5 then der(x) = 10; else x = -5; end "
    "if;\nend M;\n";

TEST(StructureVariants, AConfigurationHasItsStructure) {
  const auto system = test::build_text(kRateOrValue).value();
  ASSERT_TRUE(system->has_structures());
  const auto initial = system->initial(0.0);
  ASSERT_TRUE(initial) << render_text(initial.error());
  system::Configuration configuration = initial->configuration;
  const system::StructureId rate = system->structure_of(configuration);
  EXPECT_EQ(rate.number, 0);  // the analysis for both sides holds here
  configuration.latched[0] = -configuration.latched[0];
  const system::StructureId value = system->structure_of(configuration);
  EXPECT_NE(value.number, 0);
  EXPECT_EQ(system->lock(rate).value()->states().size(), 1U);
  EXPECT_TRUE(system->lock(value).value()->states().empty());
  EXPECT_EQ(system->structure_of(configuration), value) << "numbers stay";
  EXPECT_EQ(system->lock(value).value(), system->lock(value).value()) << "built once";
}

TEST(StructureVariants, GuardsAreWatchedWhereTheyAreLocked) {
  const auto system =
      test::build_text(
          "model M\n Real x(start = 1, fixed = true), s;\nequation\n der(x) = -1;\n x = if s > 0 "
          "then s else 2*s + 0*der(s);\nend M;\n")
          .value();
  system::Configuration configuration = system->initial(0.0)->configuration;
  for (const double side : {1.0, -1.0}) {
    configuration.latched[0] = side;
    EXPECT_TRUE(system->lock(system->structure_of(configuration)).value()->watches(0));
  }
}

TEST(StructureVariants, ModelsWithoutSuchChoicesHaveOne) {
  const auto system =
      test::build_text(
          "model M\n Real v(start = 1), f;\nequation\n der(v) = f;\n f = if v > 0 then -1 else 1;\nend M;\n")
          .value();
  EXPECT_FALSE(system->has_structures());
  EXPECT_EQ(system->structure_of(system->initial(0.0)->configuration).number, 0);
}

}  // namespace
}  // namespace saltus::program
