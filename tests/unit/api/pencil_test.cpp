// The Kronecker structure of models and of pairs of matrices.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "saltus/analysis.hpp"

namespace saltus {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

ModeAnalysis mode_of(const std::string& text, AnalysisOptions options = {}) {
  options.pencil = true;
  return analyze(Model::from_text("m.mo", text).value(), options).value().modes[0];
}

const PencilBlocks& blocks_of(const ModeAnalysis& mode) {
  EXPECT_TRUE(mode.pencil && mode.pencil->structure.blocks)
      << (mode.pencil ? mode.pencil->structure.doubt : "");
  return *mode.pencil->structure.blocks;
}

TEST(Pencil, OfALinearModel) {
  // An oscillator, and a chain of integrators held by a source: index 3.
  const ModeAnalysis mode = mode_of(R"(model M
  Real x(start = 1), v, p, q, f;
equation
  der(x) = v; der(v) = -4*x; der(p) = q; der(q) = f; p = x + sin(time);
end M;)");
  const PencilBlocks& blocks = blocks_of(mode);
  EXPECT_TRUE(mode.pencil->is_constant);
  EXPECT_TRUE(blocks.is_regular);
  EXPECT_EQ(blocks.index, 3);
  EXPECT_EQ(mode.differentiation_index, 3);
  EXPECT_THAT(blocks.infinite, ElementsAre(3));
  ASSERT_EQ(blocks.eigenvalues.size(), 2U);
  EXPECT_NEAR(std::abs(blocks.eigenvalues[1] - std::complex<double>(0.0, 2.0)), 0.0, 1e-13);
  EXPECT_EQ(blocks.consistent_dimension, mode.degrees_of_freedom);
  // (x, v, p, q, f) = Π·(1, 0, 0, 0, 0) is the point with x = 1, v = 0.
  ASSERT_TRUE(blocks.spectral);
  const std::vector<double> expected{1.0, 0.0, 1.0, 0.0, -4.0};
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_NEAR((*blocks.spectral)[i][0], expected[i], 1e-13) << mode.pencil->unknowns[i];
  }
  for (const PencilRank& rank : mode.pencil->structure.ranks) {
    EXPECT_TRUE(rank.is_clear);
    EXPECT_EQ(rank.exact_rank, rank.rank);
  }
}

TEST(Pencil, DerivativesOfSecondOrderHaveRowsOfTheirOwn) {
  const ModeAnalysis mode = mode_of(R"(model M
  Real x(start = 1), y;
equation
  der(der(x)) = -9*x; y = 2*x;
end M;)");
  EXPECT_THAT(mode.pencil->unknowns, ElementsAre("x", "der(x)", "y"));
  EXPECT_THAT(mode.pencil->rows.back(), "der(x) = der(x)");
  const PencilBlocks& blocks = blocks_of(mode);
  EXPECT_EQ(blocks.index, 1);
  EXPECT_NEAR(blocks.eigenvalues[1].imag(), 3.0, 1e-13);
}

TEST(Pencil, OfUndeterminedAndRedundantEquations) {
  const ModeAnalysis free = mode_of(R"(model M
  Real x, y;
equation
  der(x) = y; der(x) = y;
end M;)");
  const PencilBlocks& blocks = blocks_of(free);
  EXPECT_FALSE(blocks.is_regular);
  EXPECT_EQ(blocks.index, std::nullopt);
  EXPECT_THAT(blocks.right, ElementsAre(1));
  EXPECT_THAT(blocks.left, ElementsAre(0));
  EXPECT_THAT(blocks.infinite, IsEmpty());
  EXPECT_EQ(blocks.consistent_dimension, 2);
  EXPECT_EQ(blocks.spectral, std::nullopt);
}

// A pendulum away from its lowest point: linearised at a point that was found by iteration.
TEST(Pencil, OfAPendulum) {
  const ModeAnalysis mode = mode_of(R"(model Pendulum
  Real x(start = 0.3, fixed = true), y(start = -0.9), u(start = 0.1, fixed = true), v(start = 0), f;
equation
  der(x) = u; der(y) = v; der(u) = -f*x; der(v) = -f*y - 9.81; x^2 + y^2 = 1;
end Pendulum;)");
  EXPECT_FALSE(mode.pencil->is_constant);
  const PencilBlocks& blocks = blocks_of(mode);
  EXPECT_EQ(blocks.index, 3);
  EXPECT_THAT(blocks.infinite, ElementsAre(3));
  EXPECT_EQ(blocks.eigenvalues.size(), 2U);
}

// What a pencil says at a point need not hold for equations with varying coefficients ([KM06] example 3.2: the pencil is singular, the solution unique).
TEST(Pencil, VaryingCoefficientsAreTold) {
  const ModeAnalysis mode = mode_of(R"(model M
  Real x, y;
equation
  -time*der(x) + time^2*der(y) = -x; -der(x) + time*der(y) = -y;
end M;)",
                                    {.at = 2.0});
  EXPECT_FALSE(mode.pencil->is_constant);
  EXPECT_TRUE(blocks_of(mode).is_regular);
}

TEST(Pencil, UnclearRanksLeaveTheStructureOpen) {
  const char* const text = R"(model M
  parameter Real eps = 1e-12;
  Real x(start = 1), y(start = 1);
equation
  der(x) + der(y) = -x; der(x) + (1 + eps)*der(y) = -y;
end M;)";
  AnalysisOptions options{.pencil = true};
  const Model model = Model::from_text("m.mo", text).value();
  const Analysis open = analyze(model, options).value();
  ASSERT_TRUE(open.modes[0].pencil);
  EXPECT_FALSE(open.modes[0].pencil->structure.blocks);
  EXPECT_THAT(open.modes[0].pencil->structure.doubt,
              HasSubstr("not clear: 1 with the tolerance 1.0e-10, 2 of the numbers exactly as they stand"));
  bool is_told = false;
  for (const Diagnostic& warning : open.warnings.items()) {
    is_told = is_told || warning.message.find("pencil") != std::string::npos;
  }
  EXPECT_TRUE(is_told);
  const auto json = nlohmann::json::parse(render_json(open))["modes"][0]["pencil"];
  EXPECT_FALSE(json["clear"].get<bool>());
  EXPECT_FALSE(json.contains("infinite_blocks"));
  EXPECT_FALSE(json["ranks"].back()["clear"].get<bool>());
  options.pencil_tolerance = 1e-9;
  EXPECT_THAT(blocks_of(analyze(model, options).value().modes[0]).infinite, ElementsAre(1));
  options.pencil_tolerance = 1e-15;
  EXPECT_THAT(blocks_of(analyze(model, options).value().modes[0]).infinite, IsEmpty());
  options.pencil_tolerance = 2.0;
  EXPECT_FALSE(analyze(model, options));
}

TEST(Pencil, JsonHasEverything) {
  const Model model =
      Model::from_text("m.mo", "model M Real x(start = 1), y; equation der(x) = -x + y; y = 2*x; end M;")
          .value();
  const auto json =
      nlohmann::json::parse(render_json(analyze(model, {.pencil = true}).value()))["modes"][0]["pencil"];
  EXPECT_TRUE(json["regular"].get<bool>());
  EXPECT_EQ(json["index"], 1);
  EXPECT_EQ(json["infinite_blocks"], nlohmann::json::array({1}));
  EXPECT_NEAR(json["eigenvalues"][0][0].get<double>(), 1.0, 1e-14);
  EXPECT_EQ(json["consistent_dimension"], 1);
  EXPECT_NEAR(json["consistent_projector"][1][0].get<double>(), 0.4, 1e-14);
  EXPECT_NEAR(json["spectral_projector"][1][0].get<double>(), 2.0, 1e-13);
  EXPECT_TRUE(json["constant"].get<bool>());
  EXPECT_EQ(json["unknowns"].size(), 2U);
}

TEST(Pencil, OfMatrices) {
  const auto found = pencil_structure({{0.0, 1.0}, {0.0, 0.0}}, {{1.0, 0.0}, {0.0, 1.0}});
  ASSERT_TRUE(found && found->blocks);
  EXPECT_EQ(found->blocks->index, 2);
  EXPECT_FALSE(pencil_structure({{1.0}}, {{1.0, 2.0}}));
  EXPECT_FALSE(pencil_structure({{1.0}}, {{1.0}}, {.tolerance = -1.0}));
  // 0.1 + 0.2 is not 0.3: exact numbers leave that open, rounded ones do not.
  const Matrix e{{0.1 + 0.2, 1.0}, {0.3, 1.0}};
  const Matrix a{{1.0, 0.0}, {0.0, 1.0}};
  EXPECT_FALSE(pencil_structure(e, a)->blocks);
  ASSERT_TRUE(pencil_structure(e, a, {.is_rounded = true})->blocks);
  EXPECT_EQ(pencil_structure(e, a, {.is_rounded = true})->blocks->index, 1);
}

}  // namespace
}  // namespace saltus
