#include "callback/residual_derivatives.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "callback/callback_system.hpp"
#include "callback/residual_array.hpp"
#include "callback/residual_check.hpp"
#include "system/function_failed.hpp"

namespace saltus::callback {
namespace {

// ẋ - y·cos(ωt) = 0, x² + y² - 1 = 0
constexpr double kOmega = 3.0;

std::shared_ptr<CallbackModel> circle(bool has_jacobian) {
  auto model = std::make_shared<CallbackModel>();
  model->states = {"x", "y"};
  model->initial = {0.6, 0.8};
  model->is_fixed = {0, 0};
  model->is_differential = {1, 0};
  CallbackMode mode;
  mode.name = "main";
  mode.residual.names = {"rate", "circle"};
  mode.residual.values = [](const CallbackPoint& at, std::span<const double> xdot, std::span<double> values) {
    values[0] = xdot[0] - at.x[1] * std::cos(kOmega * at.t);
    values[1] = at.x[0] * at.x[0] + at.x[1] * at.x[1] - 1.0;
  };
  if (has_jacobian) {
    mode.residual.jacobian = [](const CallbackPoint& at, std::span<const double> /*xdot*/,
                                std::span<double> by_x, std::span<double> by_xdot,
                                std::span<double> by_time) {
      by_x[1] = -std::cos(kOmega * at.t);
      by_x[2] = 2.0 * at.x[0];
      by_x[3] = 2.0 * at.x[1];
      by_xdot[0] = 1.0;
      by_time[0] = kOmega * at.x[1] * std::sin(kOmega * at.t);
    };
  }
  model->modes.push_back(mode);
  return model;
}

// F, Ḟ, F̈ of the circle, by hand; slots x y ẋ ẏ ẍ ÿ …
std::vector<double> by_hand(double t, const std::vector<double>& z) {
  const double c = std::cos(kOmega * t);
  const double s = std::sin(kOmega * t);
  const double w = kOmega;
  return {z[2] - z[1] * c,
          z[0] * z[0] + z[1] * z[1] - 1.0,
          z[4] - z[3] * c + w * z[1] * s,
          2.0 * (z[0] * z[2] + z[1] * z[3]),
          z[6] - z[5] * c + 2.0 * w * z[3] * s + w * w * z[1] * c,
          2.0 * (z[2] * z[2] + z[0] * z[4] + z[3] * z[3] + z[1] * z[5])};
}

TEST(ResidualDerivatives, TotalDerivativesAndTheirJacobianAreThoseByHand) {
  const std::vector<double> slots{0.3, -0.7, 0.5, 1.1, -0.4, 0.9, 2.0, -1.5};
  const double t = 0.4;
  for (const bool has_jacobian : {true, false}) {
    ResidualDerivatives derivatives(circle(has_jacobian), 0, 2);
    std::vector<double> rows(6);
    ASSERT_TRUE(derivatives.values(t, slots, rows).ok());
    const std::vector<double> expected = by_hand(t, slots);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      EXPECT_NEAR(rows[i], expected[i], 1e-11) << i << has_jacobian;
    }
    std::vector<double> entries(6 * 8);
    ASSERT_TRUE(derivatives.jacobian(t, slots, entries).ok());
    for (std::size_t j = 0; j < slots.size(); ++j) {
      // Central differences of what is at most quadratic in a slot are exact.
      std::vector<double> above = slots;
      std::vector<double> below = slots;
      above[j] += 1.0;
      below[j] -= 1.0;
      const std::vector<double> high = by_hand(t, above);
      const std::vector<double> low = by_hand(t, below);
      for (std::size_t i = 0; i < rows.size(); ++i) {
        EXPECT_NEAR(entries[i * 8 + j], 0.5 * (high[i] - low[i]), has_jacobian ? 2e-12 : 2e-10)
            << i << " " << j;
      }
    }
    EXPECT_LT(derivatives.error(), has_jacobian ? 1e-11 : 1e-9);
  }
}

// F = x·ẋ, where ∂F/∂ẋ changes along the solution: Ḟ = ẋ² + xẍ, F̈ = 3ẋẍ + x·x⃛.
TEST(ResidualDerivatives, CoefficientsOfDerivativesMayChange) {
  auto model = std::make_shared<CallbackModel>();
  model->states = {"x"};
  model->initial = {1.0};
  model->is_differential = {1};
  CallbackMode mode;
  mode.residual.names = {"product"};
  mode.residual.values = [](const CallbackPoint& at, std::span<const double> xdot, std::span<double> values) {
    values[0] = at.x[0] * xdot[0];
  };
  model->modes.push_back(mode);
  ResidualDerivatives derivatives(model, 0, 2);
  const std::vector<double> z{0.7, -0.4, 1.3, 0.9};
  std::vector<double> rows(3);
  ASSERT_TRUE(derivatives.values(0.0, z, rows).ok());
  EXPECT_NEAR(rows[1], z[1] * z[1] + z[0] * z[2], 1e-13);
  EXPECT_NEAR(rows[2], 3.0 * z[1] * z[2] + z[0] * z[3], 1e-11);
  std::vector<double> entries(3 * 4);
  ASSERT_TRUE(derivatives.jacobian(0.0, z, entries).ok());
  const std::vector<double> expected{z[1], z[0],       0.0,        0.0,  //
                                     z[2], 2.0 * z[1], z[0],       0.0,  //
                                     z[3], 3.0 * z[2], 3.0 * z[1], z[0]};
  for (std::size_t i = 0; i < entries.size(); ++i) {
    EXPECT_NEAR(entries[i], expected[i], 1e-10) << i;
  }
}

TEST(ResidualDerivatives, AFunctionThatThrowsBesideThePointMakesStepsSmaller) {
  auto model = circle(false);
  model->modes[0].residual.values = [](const CallbackPoint& at, std::span<const double> xdot,
                                       std::span<double> values) {
    if (at.x[0] < 0.25) {
      throw system::FunctionFailed("too far");
    }
    values[0] = xdot[0] - at.x[1];
    values[1] = std::sqrt(at.x[0] - 0.25) - at.x[1];
  };
  ResidualDerivatives derivatives(model, 0, 0);
  std::vector<double> entries(2 * 4);
  ASSERT_TRUE(derivatives.jacobian(0.0, std::vector{0.26, 0.1, 0.0, 0.0}, entries).ok());
  EXPECT_NEAR(entries[4], 5.0, 1e-8);
  EXPECT_THROW((void)derivatives.jacobian(0.0, std::vector{0.2, 0.1, 0.0, 0.0}, entries),
               system::FunctionFailed);
}

TEST(ResidualDerivatives, WeightsBlendResidualsAndJacobians) {
  auto model = circle(true);
  model->guards.resize(1);
  model->guards[0].name = "x";
  model->guards[0].affine = {{1.0, 0.0}, 0.0, 0.0};
  model->modes[0].residual.values = [](const CallbackPoint& at, std::span<const double> xdot,
                                       std::span<double> values) {
    values[0] = xdot[0] + 2.0 * at.sides[0] * at.x[0];
    values[1] = at.x[1] - 1.0;
  };
  model->modes[0].residual.jacobian = [](const CallbackPoint& at, std::span<const double> /*xdot*/,
                                         std::span<double> by_x, std::span<double> by_xdot,
                                         std::span<double>) {
    by_x[0] = 2.0 * at.sides[0];
    by_x[3] = 1.0;
    by_xdot[0] = 1.0;
  };
  ResidualDerivatives derivatives(model, 0, 0);
  derivatives.weights().set_latched(0, 0.5);
  std::vector<double> rows(2);
  ASSERT_TRUE(derivatives.values(0.0, std::vector{3.0, 1.0, 0.0, 0.0}, rows).ok());
  EXPECT_EQ(rows[0], 3.0);
  std::vector<double> entries(2 * 4);
  ASSERT_TRUE(derivatives.jacobian(0.0, std::vector{3.0, 1.0, 0.0, 0.0}, entries).ok());
  EXPECT_EQ(entries[0], 1.0);
  EXPECT_EQ(entries[2], 1.0);
}

TEST(ResidualArray, RowsAndSlotsAreThoseOfTheInterface) {
  const auto array = make_residual_array(circle(true), 0, 1).value();
  EXPECT_EQ(array->n_slots(), 6);
  EXPECT_EQ(array->n_rows(), 4);
  EXPECT_EQ(array->slots()[2].name, "der(x)");
  EXPECT_EQ(array->rows()[3].text, "circle, differentiated");
  // No equation contains der(y), and no differentiated one der(der(y)).
  EXPECT_EQ(array->pattern().rows[static_cast<std::size_t>(array->pattern().column_starts[3])], 2);
  EXPECT_EQ(array->pattern().column_starts[5], array->pattern().column_starts[6]);
}

TEST(ResidualArray, WhatDifferencesDoNotGiveIsRefused) {
  auto model = circle(false);
  model->modes[0].residual.differenced_order = 1;
  model->modes[0].residual.error_beyond = 3e-9;
  const auto beyond = make_residual_array(model, 0, 2);
  ASSERT_FALSE(beyond);
  EXPECT_EQ(beyond.error().items()[0].code, "no-derivative-array");
  EXPECT_NE(beyond.error().items()[0].message.find("3e-09"), std::string::npos);
  model->modes[0].residual.array = [](const CallbackPoint&, int, std::span<const double>, std::span<double>) {
  };
  model->modes[0].residual.array_order = 1;
  EXPECT_TRUE(make_residual_array(model, 0, 1));
  EXPECT_FALSE(make_residual_array(model, 0, 2));
}

TEST(ResidualCheck, DerivativesThatOccurAreFound) {
  EXPECT_EQ(find_differentiated(*circle(false), 0.0), (std::vector<std::uint8_t>{1, 0}));
  auto model = circle(false);
  model->guards.resize(1);
  model->guards[0].name = "x";
  model->guards[0].affine = {{1.0, 0.0}, 0.0, 0.0};
  model->modes[0].residual.values = [](const CallbackPoint& at, std::span<const double> xdot,
                                       std::span<double> values) {
    values[0] = xdot[0];
    values[1] = at.sides[0] < 0.0 ? xdot[1] : at.x[1];  // on the side behind the start only
  };
  EXPECT_EQ(find_differentiated(*model, 0.0), (std::vector<std::uint8_t>{1, 1}));
}

TEST(ResidualCheck, AWrongEntryOfTheJacobianIsNamed) {
  auto model = circle(true);
  EXPECT_FALSE(inspect_residual(model, 0, 0.0).mismatch);
  const auto right = model->modes[0].residual.jacobian;
  model->modes[0].residual.jacobian = [right](const CallbackPoint& at, std::span<const double> xdot,
                                              std::span<double> by_x, std::span<double> by_xdot,
                                              std::span<double> by_time) {
    right(at, xdot, by_x, by_xdot, by_time);
    by_x[3] = at.x[1];
  };
  const ResidualFindings wrong = inspect_residual(model, 0, 0.0);
  ASSERT_TRUE(wrong.mismatch);
  EXPECT_EQ(wrong.mismatch->row, "circle");
  EXPECT_EQ(wrong.mismatch->column, "y");
  EXPECT_NEAR(wrong.mismatch->given, 0.8, 1e-15);
  EXPECT_NEAR(wrong.mismatch->differenced, 1.6, 1e-12);
  // ∂F/∂t shows in the differentiated row.
  model->modes[0].residual.jacobian = [right](const CallbackPoint& at, std::span<const double> xdot,
                                              std::span<double> by_x, std::span<double> by_xdot,
                                              std::span<double> by_time) {
    right(at, xdot, by_x, by_xdot, by_time);
    by_time[0] += 1.0;
  };
  const ResidualFindings late = inspect_residual(model, 0, 0.0);
  ASSERT_TRUE(late.mismatch);
  EXPECT_EQ(late.mismatch->row, "rate, differentiated");
  EXPECT_EQ(late.mismatch->column, "");
}

TEST(ResidualCheck, OrdersThatAreTrusted) {
  const ResidualFindings with = inspect_residual(circle(true), 0, 0.0);
  const ResidualFindings without = inspect_residual(circle(false), 0, 0.0);
  EXPECT_GE(with.differenced_order, 2);
  EXPECT_GE(without.differenced_order, 1);
  EXPECT_LE(without.differenced_order, with.differenced_order);
  EXPECT_GT(without.error_beyond, kMostArrayError);
  auto model = circle(false);
  int n = 0;
  model->modes[0].residual.values = [&n](const CallbackPoint& at, std::span<const double> xdot,
                                         std::span<double> values) {
    values[0] = xdot[0];
    values[1] = at.x[1] + 1e-9 * ++n;
  };
  EXPECT_EQ(find_not_repeatable(model, 0.0), "the residual");
  EXPECT_EQ(find_not_repeatable(circle(true), 0.0), "");
}

}  // namespace
}  // namespace saltus::callback
