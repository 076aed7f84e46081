// Complementarity and dry friction in proximal form, N = max(0, N - r·gap) and λ = max(-m, min(m, λ - r·v)), as nonsmooth mechanics writes
// them: the choice that cancels the unknown decides the structure (program/shared_choices.hpp). The solutions are those of the plain spellings.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "support/hybrid_run.hpp"

namespace saltus::test {
namespace {

struct Law {
  const char* name;
  const char* declarations;
  const char* equations;  // but for the law
  const char* plain;
  std::vector<const char*> proximal;  // `#` is any positive number
  std::vector<const char*> compared;
};

const std::vector<Law> kLaws = {
    {"diode",
     " Real v(start = -1), i, x(start = 0, fixed = true);\n",
     " sin(time) - 0.5 - x = v;\n der(x) = i - x;\n",
     " 0 = min(i, -v);\n",
     {" i = max(0, i + #*v);\n", " max(0, i + #*v) - i = 0;\n", " i = if i + #*v > 0 then i + #*v else 0;\n",
      " 3*i = -3*min(0, -i - #*v);\n", " i = if not i + #*v > 0 then 0 else i + #*v;\n"},
     {"x", "i"}},
    {"contact",
     " Real h(start = 1, fixed = true), v(start = 0, fixed = true), n;\n",
     " der(h) = v;\n der(v) = -9.81 + 20*max(0, sin(3*time)) + n;\n",
     " 0 = min(h, n);\n",
     {" n = max(0, n - #*h);\n", " max(n - #*h, 0) = n;\n", " n = if n > #*h then n - #*h else 0;\n",
      " -n = min(#*h - n, 0);\n"},
     {"h", "v"}},
    {"friction",
     " Real v(start = 1, fixed = true), f;\n",
     " der(v) = sin(2*time) + f;\n",
     " f = -0.6*sign(v);\n",
     {" f = max(-0.6, min(0.6, f - #*v));\n", " f = min(0.6, max(-0.6, f - #*v));\n",
      " f = if f - #*v > 0.6 then 0.6 else if f - #*v < -0.6 then -0.6 else f - #*v;\n"},
     {"v"}}};

HybridRun run_of(const Law& law, const std::string& equation, const std::string& method) {
  return run_text(
      std::string("model M\n") + law.declarations + "equation\n" + law.equations + equation + "end M;\n",
      {{"stop", "8"}, {"interval", "0.05"}, {"tolerance", "1e-8"}, {"method", method}});
}

class Proximal : public testing::TestWithParam<std::string> {};

TEST_P(Proximal, IsThePlainLaw) {
  for (const Law& law : kLaws) {
    const HybridRun plain = run_of(law, law.plain, GetParam());
    ASSERT_EQ(plain.result.status, SimulationStatus::success) << plain.log();
    for (const char* const form : law.proximal) {
      for (const std::string factor : {"1", "0.3", "40"}) {
        std::string equation;
        for (const char* c = form; *c != '\0'; ++c) {
          equation += *c == '#' ? factor : std::string(1, *c);
        }
        SCOPED_TRACE(law.name + equation);
        const HybridRun run = run_of(law, equation, GetParam());
        ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log() << run.words();
        for (int k = 1; k < 160; ++k) {
          const RowRecord row = run.rows_at(0.05 * k).back();
          const RowRecord expected = plain.rows_at(0.05 * k).back();
          for (const char* const variable : law.compared) {
            ASSERT_NEAR(run.value(row, variable), plain.value(expected, variable), 1e-5)
                << variable << " at " << row.time;
          }
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, Proximal, testing::Values("auto", "dopri5", "radau5", "sdirk4", "bdf"));

}  // namespace
}  // namespace saltus::test
