// What stands behind characteristic values: projectors, reduced equations, local values, how clear ranks are; of start values and of points of runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "saltus/analysis.hpp"
#include "saltus/contract.hpp"
#include "saltus/simulation.hpp"

namespace saltus {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Model model_of(const std::string& text) {
  return Model::from_text("m.mo", text).value();
}

ModeAnalysis analysis_of(const Model& model, AnalysisOptions options = {}) {
  options.projectors = true;
  return analyze(model, options).value().modes[0];
}

Matrix transposed_times(const Matrix& a, const Matrix& b) {
  Matrix product(a.empty() ? 0 : a[0].size(), std::vector<double>(b.empty() ? 0 : b[0].size(), 0.0));
  for (std::size_t k = 0; k < a.size(); ++k) {
    for (std::size_t i = 0; i < product.size(); ++i) {
      for (std::size_t j = 0; j < product[i].size(); ++j) {
        product[i][j] += a[k][i] * b[k][j];
      }
    }
  }
  return product;
}

double norm(const Matrix& matrix) {
  double largest = 0.0;
  for (const std::vector<double>& row : matrix) {
    for (const double entry : row) {
      largest = std::max(largest, std::abs(entry));
    }
  }
  return largest;
}

const char* const kPendulum = R"(model Pendulum
  Real x(start = 1, fixed = true), y(start = 0), u(start = 0, fixed = true), v(start = 0), f;
equation
  der(x) = u;
  der(y) = v;
  der(u) = -f*x;
  der(v) = -f*y - 9.81;
  x^2 + y^2 = 1;
end Pendulum;
)";

// [Wun08] 2.5: μ = 2, d = 2, a = 3; the reduced equations are regular with index 0 or 1 in the sense of the pair.
TEST(Projectors, OfAPendulum) {
  for (const bool by_qr : {false, true}) {
    for (const bool equilibrate : {false, true}) {
      const ModeAnalysis mode =
          analysis_of(model_of(kPendulum), {.equilibrate = equilibrate, .by_pivoted_qr = by_qr});
      ASSERT_TRUE(mode.projectors.has_value());
      const ModeProjectors& p = *mode.projectors;
      EXPECT_EQ(mode.index, 2);
      EXPECT_THAT(p.unknowns, ElementsAre("x", "y", "u", "v", "f"));
      EXPECT_THAT(p.point, ElementsAre(1, 0, 0, 0, ::testing::DoubleNear(0, 1e-12)));
      EXPECT_EQ(p.n_equations, 5U);
      EXPECT_EQ(p.rows.size(), 15U);
      EXPECT_EQ(p.z1.size(), 5U);
      EXPECT_EQ(p.z1[0].size(), 2U);
      EXPECT_EQ(p.z2.size(), 15U);
      EXPECT_EQ(p.z2[0].size(), 3U);
      EXPECT_EQ(p.t2.size(), 5U);
      EXPECT_EQ(p.t2[0].size(), 2U);
      ASSERT_EQ(p.reduced.size(), 2U);
      ASSERT_EQ(p.reduced[0].size(), 5U) << "d + a";
      // Algebraic rows have no derivatives, and T₂ is what they leave free.
      for (std::size_t i = 2; i < 5; ++i) {
        for (std::size_t j = 0; j < 5; ++j) {
          EXPECT_EQ(p.reduced[1][i][j], 0.0);
        }
      }
      Matrix algebraic(p.reduced[0].begin() + 2, p.reduced[0].end());
      Matrix columns(5, std::vector<double>(3));
      for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < 5; ++j) {
          columns[j][i] = algebraic[i][j];
        }
      }
      EXPECT_LT(norm(transposed_times(columns, p.t2)), 1e-10 * (1.0 + norm(columns)));
      const Matrix unit = transposed_times(p.t2, p.t2);
      EXPECT_NEAR(unit[0][0], 1.0, 1e-12);
      EXPECT_NEAR(unit[0][1], 0.0, 1e-12);
      // Strangeness-free: nothing is hidden any more.
      Matrix a = p.reduced[0];
      for (std::vector<double>& row : a) {
        for (double& entry : row) {
          entry = -entry;
        }
      }
      const PairValues reduced = pair_values(p.reduced[1], a).value();
      EXPECT_EQ(reduced.strangeness, 0);
      EXPECT_EQ(reduced.differential, 2);
      EXPECT_EQ(reduced.algebraic, 3);
      EXPECT_EQ(reduced.index, 1);
      ASSERT_TRUE(p.local.has_value());
      EXPECT_EQ(p.local->rank, 4);
      EXPECT_EQ(p.local->strangeness, 1) << "as they stand something is hidden";
      EXPECT_FALSE(p.is_unclear);
      EXPECT_GT(p.smallest_gap, 1e3);
      EXPECT_LT(p.largest_dropped, 1e-10);
    }
  }
}

// Mechanics as written with second derivatives: d2 = 1, a = 2; over- and underdetermined systems.
TEST(Projectors, OfSecondOrderAndOfOtherShapes) {
  const ModeAnalysis second = analysis_of(model_of(
      "model M Real p1(start = 1), p2, l; equation der(der(p1)) = -p1 + l; der(der(p2)) = -p2 + l; p1 + p2 = "
      "sin(time); end M;"));
  const ModeProjectors& p = *second.projectors;
  EXPECT_EQ(second.d2, 1);
  ASSERT_EQ(p.reduced.size(), 3U);
  EXPECT_EQ(p.reduced[2].size(), 3U);
  EXPECT_FALSE(p.local.has_value()) << "that is of first order";
  ASSERT_EQ(p.z_between.size(), 1U);
  EXPECT_EQ(p.z1[0].size(), 1U);
  // One equation of second order: p1'' - p2'' = -(p1 - p2) up to a factor.
  EXPECT_NEAR(p.reduced[2][0][0], -p.reduced[2][0][1], 1e-10);
  EXPECT_NE(p.reduced[2][0][0], 0.0);
  EXPECT_NEAR(p.reduced[0][0][0], p.reduced[2][0][0], 1e-10);

  const ModeAnalysis wide = analysis_of(
      model_of("model M Real x(start = 1), y; equation der(x) = -x + 0*y; 2*der(x) = -2*x + 0*y; end M;"));
  ASSERT_TRUE(wide.projectors.has_value());
  EXPECT_EQ(wide.u, 1);
  EXPECT_EQ(wide.v, 1);
  ASSERT_EQ(wide.projectors->free.size(), 2U);
  EXPECT_NEAR(wide.projectors->free[0][0], 0.0, 1e-12);
  EXPECT_NEAR(std::abs(wide.projectors->free[1][0]), 1.0, 1e-12);
  EXPECT_EQ(wide.projectors->z3[0].size(), 1U);
  EXPECT_FALSE(analyze(model_of(kPendulum)).value().modes[0].projectors.has_value()) << "not asked for";
}

TEST(Projectors, OfPointsOfSolutions) {
  const Model model = model_of(kPendulum);
  const ModeAnalysis mode = analysis_of(model, {.run_to = 0.3});
  Simulation led = std::move(Simulation::begin(model, {.stop = 0.3}).value());
  while (led.step()) {
  }
  ASSERT_EQ(led.time(), 0.3);
  const Analysis now = led.analyze({.projectors = true}).value();
  EXPECT_EQ(now.time, 0.3);
  const std::vector<double> values = led.values();
  ASSERT_EQ(mode.projectors->point.size(), 5U);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_NEAR(mode.projectors->point[i], values[i], 1e-9);
    EXPECT_NEAR(now.modes[0].projectors->point[i], values[i], 1e-9);
  }
  EXPECT_EQ(mode.index, 2);
  EXPECT_LT(values[1], -0.1) << "it has moved";
  EXPECT_THAT(render_json(now), HasSubstr("\"Z2\""));

  const auto both = analyze(model, {.at = 1.0, .run_to = 2.0});
  ASSERT_FALSE(both);
  EXPECT_EQ(both.error().items()[0].code, "conflicting-options");
  EXPECT_FALSE(analyze(model, {.run_to = std::nan("")}));
  const auto ended = analyze(model_of("model M Real x(start = 1, fixed = true); equation der(x) = x^2; when "
                                      "x > 5 then terminate(\"far\"); "
                                      "end when; end M;"),
                             {.run_to = 2.0});
  ASSERT_FALSE(ended);
  EXPECT_THAT(ended.error().items()[0].message, HasSubstr("ended at time"));
  (void)led.finish();
  EXPECT_THROW((void)led.analyze(), ContractViolation);
}

}  // namespace
}  // namespace saltus
