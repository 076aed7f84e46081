// What coefficients depend on is read from the expressions.
#include "system/written_coefficients.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/text_system.hpp"
#include "system/locked_dae.hpp"

namespace saltus::program {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Names of the slots that ∂row/∂slot contains, over all rows.
std::vector<std::string> contained(const system::WrittenCoefficients& written, const std::string& name) {
  const std::vector<system::SlotInfo>& slots = written.equations->slots();
  const system::RectangularPattern& pattern = written.equations->pattern();
  std::vector<std::string> names;
  for (std::size_t j = 0; j < slots.size(); ++j) {
    for (Index e = pattern.column_starts[j]; slots[j].name == name && e < pattern.column_starts[j + 1]; ++e) {
      for (const Index slot : written.of_entry(static_cast<std::size_t>(e))) {
        names.push_back(slots[static_cast<std::size_t>(slot)].name);
      }
    }
  }
  return names;
}

TEST(WrittenCoefficients, SayWhatTheyContain) {
  const auto system = *test::build_text(R"(
model M
  parameter Real C = 2;
  Real v(start = 1, fixed = true), w(start = 1, fixed = true), i, u, p;
equation
  C*der(v) = i*w + time*u;
  der(w) = -i + (u + p)^2 - u^2 - p^2;
  u = exp(v);
  p*p = 4 + v;
end M;)");
  const auto locked = system->lock(ModeId(0U)).value();
  const auto written = system::written_coefficients(*locked);
  ASSERT_NE(written, nullptr);
  EXPECT_THAT(contained(*written, "der(v)"), IsEmpty());
  EXPECT_THAT(contained(*written, "i"), ElementsAre("w"));
  EXPECT_THAT(contained(*written, "p"), testing::Contains("p"));
  EXPECT_THAT(contained(*written, "v"), ElementsAre("v"));
}

}  // namespace
}  // namespace saltus::program
