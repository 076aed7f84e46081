// Matrices of linear equations through the public interface.
#include "saltus/matrix_pair.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "saltus/contract.hpp"
#include "saltus/simulate.hpp"

namespace saltus {
namespace {

using ::testing::HasSubstr;

TEST(MatrixPair, Inverses) {
  // A of rank one: A+ = Aᵀ/|A|².
  const Matrix plus = moore_penrose_inverse({{1.0, 2.0}, {2.0, 4.0}, {0.0, 0.0}}).value();
  ASSERT_EQ(plus.size(), 2U);
  EXPECT_NEAR(plus[0][0], 1.0 / 25.0, 1e-15);
  EXPECT_NEAR(plus[1][1], 4.0 / 25.0, 1e-15);
  EXPECT_NEAR(plus[1][2], 0.0, 1e-15);
  // Diagonal 2 beside a nilpotent block of order 2.
  const DrazinInverse drazin = drazin_inverse({{2.0, 0.0, 0.0}, {0.0, 0.0, 1.0}, {0.0, 0.0, 0.0}}).value();
  EXPECT_EQ(drazin.index, 2);
  EXPECT_NEAR(drazin.inverse[0][0], 0.5, 1e-15);
  EXPECT_NEAR(drazin.inverse[1][2], 0.0, 1e-15);
  EXPECT_NEAR(drazin.projector[0][0], 1.0, 1e-15);
  EXPECT_NEAR(drazin.projector[1][1], 0.0, 1e-15);
  EXPECT_EQ(drazin_inverse({}).value().index, 0);
}

// [Wun08] Theorem 2.34 on pairs whose values are seen.
TEST(MatrixPair, ValuesOfAPair) {
  // x' = y, 0 = x: r = 1, a = 0 or 1 hidden: strangeness 1, index 2.
  const PairValues hidden = pair_values({{1.0, 0.0}, {0.0, 0.0}}, {{0.0, 1.0}, {1.0, 0.0}}).value();
  EXPECT_EQ(hidden.rank, 1);
  EXPECT_EQ(hidden.strangeness, 1);
  EXPECT_EQ(hidden.differential, 0);
  EXPECT_EQ(hidden.index, 2);
  const PairValues regular = pair_values({{1.0, 0.0}, {0.0, 0.0}}, {{-1.0, 0.0}, {0.0, 1.0}}).value();
  EXPECT_EQ(regular.algebraic, 1);
  EXPECT_EQ(regular.strangeness, 0);
  EXPECT_EQ(regular.index, 1);
  // One equation for two unknowns: one is free; no index.
  const PairValues wide = pair_values({{1.0, 0.0}}, {{0.0, 0.0}}).value();
  EXPECT_EQ(wide.undetermined, 1);
  EXPECT_EQ(wide.index, std::nullopt);
  EXPECT_EQ(pair_values({{0.0, 0.0}, {0.0, 0.0}}, {{1.0, 0.0}, {1.0, 0.0}}).value().index, std::nullopt);
}

// x' = -x + z + sin t, 0 = x + y - t, 0 = z - 2 y: the closed solution, and a run of the same equations.
TEST(MatrixPair, SolutionsAreThoseOfRuns) {
  const LinearSolution solution = LinearSolution::of(
                                      {{1.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}},
                                      {{-1.0, 0.0, 1.0}, {1.0, 1.0, 0.0}, {0.0, -2.0, 1.0}},
                                      [](int derivative, double t) {
                                        return derivative == 0 ? std::vector<double>{std::sin(t), -t, 0.0}
                                                               : std::vector<double>{std::cos(t), -1.0, 0.0};
                                      },
                                      0.0)
                                      .value();
  EXPECT_EQ(solution.index(), 1);
  const Model model =
      Model::from_text("linear.mo",
                       "model M\n Real x(start = 2, fixed = true), y, z;\nequation\n"
                       " der(x) = -x + z + sin(time);\n 0 = x + y - time;\n 0 = z - 2*y;\nend M;\n")
          .value();
  const SimulationResult run = simulate(model, {.stop = 1.5, .tolerance = 1e-10}).value();
  const std::vector<double> exact = solution.at(1.5, {2.0, 0.0, 0.0});
  EXPECT_NEAR(run.final_value("x"), exact[0], 1e-8);
  EXPECT_NEAR(run.final_value("y"), exact[1], 1e-8);
  EXPECT_NEAR(run.final_value("z"), exact[2], 1e-8);
}

TEST(MatrixPair, RefusesWhatDoesNotFit) {
  const auto words = [](const auto& result) { return result ? std::string() : render_text(result.error()); };
  EXPECT_THAT(words(moore_penrose_inverse({{1.0, 2.0}, {3.0}})), HasSubstr("row 2 of A has 1 entries"));
  EXPECT_THAT(words(moore_penrose_inverse({{std::numeric_limits<double>::infinity()}})),
              HasSubstr("wrong-matrix"));
  EXPECT_THAT(words(drazin_inverse({{1.0, 2.0}})), HasSubstr("not square"));
  EXPECT_THAT(words(pair_values({{1.0}}, {{1.0, 2.0}})), HasSubstr("E is 1 x 1, and A is 1 x 2"));
  const auto none = [](int, double) { return std::vector<double>{0.0, 0.0}; };
  EXPECT_THAT(words(LinearSolution::of({{0.0, 0.0}, {0.0, 0.0}}, {{1.0, 0.0}, {0.0, 0.0}}, none, 0.0)),
              HasSubstr("singular-pair"));
  EXPECT_THAT(words(LinearSolution::of({{1.0, 0.0}}, {{1.0, 0.0}}, none, 0.0)), HasSubstr("singular-pair"));
  const LinearSolution one = LinearSolution::of({{1.0}}, {{-1.0}}, none, 0.0).value();
  EXPECT_THROW((void)one.at(1.0, {1.0}), ContractViolation);  // b has two values
  EXPECT_THROW((void)one.at(1.0, {1.0, 2.0}), ContractViolation);
}

}  // namespace
}  // namespace saltus
