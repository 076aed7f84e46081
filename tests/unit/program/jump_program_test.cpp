// Jump equations of bodies as an equation set.

#include "program/equations/jump_program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "support/text_system.hpp"

namespace saltus::program {
namespace {

using test::TextSystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Bodies as an equation set: rows over the states, with pre(…) and discrete values as the round has them.
TEST(JumpProgram, JumpEquationsAsAnEquationSet) {
  TextSystem s(R"(
model Two
  parameter Real m1 = 1, m2 = 3;
  Real p1(start = 0, fixed = true), v1(start = 2, fixed = true), v2(start = -1, fixed = true);
  discrete Real lost(start = 0);
equation
  der(p1) = v1; der(v1) = 0; der(v2) = 0;
  when p1 > 1 then
    m1*v1 + m2*v2 = m1*pre(v1) + m2*pre(v2) - lost;
    lost = 0.25;
  end when;
  when p1 > 2 then
    reinit(v2, -v2);
  end when;
end Two;)",
               lang::Dialect::saltus);
  const auto jumps = s.solver->jump_equations();
  ASSERT_NE(jumps, nullptr);
  ASSERT_EQ(jumps->rows.size(), 2U);
  EXPECT_EQ(jumps->rows[0].action, 0);
  EXPECT_EQ(jumps->rows[0].state, -1);
  EXPECT_EQ(jumps->rows[1].action, 1);
  EXPECT_EQ(jumps->rows[1].state, 2);
  EXPECT_EQ(jumps->equations->n_slots(), 3);
  EXPECT_THAT(jumps->equations->rows()[1].text, HasSubstr("reinit(v2, -v2)"));
  const std::vector<double> previous{0.0, 2.0, -1.0, 0.0};
  const std::vector<std::uint8_t> fired{1, 1};
  system::RoundInputs inputs;
  inputs.configuration = &s.configuration;
  inputs.previous = previous;
  inputs.x_previous = s.x;
  inputs.fired = fired;
  const std::vector<double> discrete{0.25};
  const auto runner = jumps->equations->make_runner();
  runner->set_configuration(s.solver->jump_configuration(inputs, discrete));
  std::vector<double> residual(2);
  const std::vector<double> slots{0.0, 1.0, -0.5};
  ASSERT_TRUE(runner->residual(0.0, slots, residual).ok());
  EXPECT_THAT(residual, ElementsAre((1.0 - 1.5) - (2.0 - 3.0 - 0.25), -0.5 - 1.0));
  std::vector<double> entries(jumps->equations->pattern().n_entries());
  ASSERT_TRUE(runner->jacobian(0.0, slots, entries).ok());
  EXPECT_THAT(entries, ElementsAre(1.0, 3.0, 1.0));
}

// What follows from the states may be said in a body; the round alone cannot meet it.
TEST(JumpProgram, AJumpEquationForAnAlgebraicVariableIsLeftToTheTransfer) {
  TextSystem s(R"(
model Energy
  Real v(start = 2, fixed = true), energy;
equation
  der(v) = 0; energy = v^2/2;
  when v > 1 then
    8 = energy;
  end when;
end Energy;)");
  const auto jumps = s.solver->jump_equations();
  ASSERT_NE(jumps, nullptr);
  ASSERT_EQ(jumps->rows.size(), 1U);
  EXPECT_TRUE(jumps->rows[0].is_loose);
  EXPECT_GT(jumps->equations->n_slots(), 1);
  EXPECT_GT(jumps->equations->n_rows(), 1);
  ASSERT_EQ(jumps->jumping.size(), 1U);
  EXPECT_EQ(jumps->equations->slots()[static_cast<std::size_t>(jumps->jumping[0].slot)].name, "energy");
}

}  // namespace
}  // namespace saltus::program
