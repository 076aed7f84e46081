// A parameter that is zero takes its terms out of the structure: states become algebraic, the index rises, nothing is divided by it.
#include "program/zero_parameters.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "support/text_system.hpp"

namespace saltus::program {
namespace {

using test::TextSystem;

// A source with a resistance and an inductance on a capacitor with a load.
const char* const kCircuit = R"(
model M
  parameter Real Rs = 0.5, L = 0.1, C = 1e-3, R = 10, tau = L/2 "follows";
  Real v(start = 1, fixed = true), i, w;
equation
  1 + sin(time) = Rs*i + v + L*der(i);
  C*der(v) = i - v/R;
  tau*w + w = i;
end M;)";

std::vector<std::string> states(const TextSystem& system) {
  std::vector<std::string> names;
  for (const system::StateInfo& state : system.locked->states()) {
    names.push_back(state.name);
  }
  return names;
}

TextSystem circuit(const ParameterOverrides& overrides) {
  return TextSystem(kCircuit, lang::Dialect::modelica, 0.0, overrides);
}

TEST(ZeroParameters, AStateBecomesAlgebraic) {
  EXPECT_EQ(states(circuit({})), (std::vector<std::string>{"v", "i"}));
  const TextSystem system = circuit({{"L", 0.0}});
  EXPECT_EQ(states(system), (std::vector<std::string>{"v"}));
  // (1 - v)/Rs; what is computed from the parameter is zero too.
  EXPECT_EQ(system.values[system.column("i")], 0.0);
  EXPECT_EQ(system.values[system.column("w")], 0.0);
}

TEST(ZeroParameters, TheIndexRises) {
  const TextSystem system = circuit({{"L", 0.0}, {"Rs", 0.0}});
  // v = 1 + sin(time) is a constraint.
  EXPECT_EQ(circuit({{"L", 0.0}}).locked->constraints(), nullptr);
  EXPECT_NE(system.locked->constraints(), nullptr);
}

TEST(ZeroParameters, ASmallOneIsMeantAsItIs) {
  EXPECT_EQ(states(circuit({{"L", 1e-300}})), (std::vector<std::string>{"v", "i"}));
}

}  // namespace
}  // namespace saltus::program
