#include "reduce/consistent/law_parts.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "reduce/consistent/impulse_law.hpp"
#include "reduce/consistent/linear_rows.hpp"

namespace saltus::reduce {
namespace {

// Slots v1, v2, i, p, c, der(v1), der(v2):
//   c·v1' + i = 0, 3·v2' - i = 0, p - 4·i = 0, c = 2, v1 - v2 = 0
// (the numbers stand for v1 in the third row and for c in the first: what they depend on is said by `coefficients`).
constexpr Index kV1 = 0;
constexpr Index kI = 2;
constexpr Index kP = 3;
constexpr Index kC = 4;
constexpr Index kDer1 = 5;
constexpr Index kDer2 = 6;

struct Entry {
  Index column, row, contains;
};

std::shared_ptr<const system::WrittenCoefficients> capacitors(const std::vector<Entry>& coefficients,
                                                              bool is_assigned, bool is_in_doubt) {
  auto written = std::make_shared<system::WrittenCoefficients>();
  written->equations = make_linear_rows({{"v1", 0, 0},
                                         {"v2", 1, 0},
                                         {"i", 2, 0},
                                         {"p", 3, 0},
                                         {"c", 4, 0},
                                         {"der(v1)", 0, 1},
                                         {"der(v2)", 1, 1}},
                                        {{.terms = {{5, 2.0}, {2, 1.0}}},
                                         {.terms = {{6, 3.0}, {2, -1.0}}},
                                         {.terms = {{3, 1.0}, {2, -4.0}}},
                                         {.terms = {{4, 1.0}}, .right = 2.0},
                                         {.terms = {{0, 1.0}, {1, -1.0}}}});
  const system::RectangularPattern& pattern = written->equations->pattern();
  written->starts.push_back(0);
  for (Index j = 0; j < pattern.n_columns; ++j) {
    for (Index e = pattern.column_starts[static_cast<std::size_t>(j)];
         e < pattern.column_starts[static_cast<std::size_t>(j) + 1]; ++e) {
      for (const Entry& entry : coefficients) {
        if (entry.column == j && entry.row == pattern.rows[static_cast<std::size_t>(e)]) {
          written->slots.push_back(entry.contains);
        }
      }
      written->starts.push_back(static_cast<Index>(written->slots.size()));
    }
  }
  if (is_assigned) {
    written->variable_of_row = {kDer1, kI, kP, kC, kDer2};
    written->unknown_of_row = {kI, kDer2, kP, kC, -1};
    written->is_overdetermined = {0, 0, 0, static_cast<std::uint8_t>(is_in_doubt ? 1 : 0), 1};
  }
  return written;
}

TEST(LawParts, AProductThatNothingNeedsDoesNotBound) {
  std::vector<std::uint8_t> jumps(7, 0);
  jumps[kV1] = 1;
  for (const bool is_known : {true, false}) {
    ImpulseLaw law(capacitors({{kI, 2, kV1}}, is_known, false));
    ASSERT_TRUE(law.pose({}, 0.0, std::vector<double>(7, 0.0), jumps));
    EXPECT_EQ(law.bounded()[kI], is_known ? 0 : 1);
  }
}

TEST(LawParts, AConstantIsANumberUnlessAConstraintCouldTakeItsPlace) {
  for (const bool is_in_doubt : {false, true}) {
    ImpulseLaw law(capacitors({{kDer1, 0, kC}}, true, is_in_doubt));
    ASSERT_TRUE(law.pose({}, 0.0, std::vector<double>(7, 0.0), std::vector<std::uint8_t>(7, 0)));
    EXPECT_EQ(law.bounded()[kDer1], is_in_doubt ? 1 : 0);
    // … and it is one all the same if it has its value already.
    std::vector<double> slots(7, 0.0);
    slots[kC] = 2.0;
    ASSERT_TRUE(law.pose({}, 0.0, slots, std::vector<std::uint8_t>(7, 0)));
    EXPECT_EQ(law.bounded()[kDer1], 0);
  }
}

TEST(LawParts, ConstantsGetTheValuesOfTheirRows) {
  const auto written = capacitors({}, true, false);
  const std::vector<std::uint8_t> is_below{1, 1, 0, 0, 0, 0, 0};
  const LawParts parts(written, is_below);
  const std::vector<double> zeros(7, 0.0);
  const std::vector<double> residual(5, 1.0);
  const std::vector<double> entries(written->equations->pattern().n_entries(), 1.0);
  const LawConstants constants = parts.constants(std::vector<std::uint8_t>(7, 0), {zeros, residual, entries});
  EXPECT_EQ(constants.row, (std::vector<Index>{-1, -1, -1, -1, 3, -1, -1}));
  std::vector<double> slots(7, 0.5);
  const auto runner = written->equations->make_runner();
  ASSERT_TRUE(parts.solve_constants(*runner, 0.0, constants, std::vector<std::uint8_t>(7, 1), slots));
  EXPECT_DOUBLE_EQ(slots[kC], 2.0);
  EXPECT_DOUBLE_EQ(slots[kI], 0.5);
}

}  // namespace
}  // namespace saltus::reduce
