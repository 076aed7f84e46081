// Bounds by series of guards over affine equations: they hold the guard and its rate along the curve and beside it, and are narrow where the
// circuit cancels what bounds by slopes add up.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "program/guards/guard_set.hpp"
#include "unit/program/guarded_model.hpp"

namespace saltus::program {
namespace {

using system::CurvePiece;
using system::GuardBounds;
using test::GuardedModel;

// States as polynomials in t: by state, by power.
struct Curve {
  std::vector<std::vector<double>> coefficients;
  double beside = 0.0;

  std::vector<double> powers = {};
  std::vector<double> start = {};
  std::vector<Interval> box = {};
  std::vector<Interval> xdot = {};
  std::vector<Interval> around = {};
  std::vector<Interval> rates_around = {};

  [[nodiscard]] std::vector<double> at(double t) const {
    std::vector<double> x;
    for (const std::vector<double>& c : coefficients) {
      double sum = 0.0;
      for (std::size_t k = c.size(); k-- > 0;) {
        sum = sum * t + c[k];
      }
      x.push_back(sum);
    }
    return x;
  }
  CurvePiece piece(double from, double to, bool has_powers) {
    const double middle = 0.5 * (from + to);
    const double h = to - from;
    const std::size_t n = coefficients.size();
    const std::size_t degree = coefficients[0].size() - 1;
    powers.assign((degree + 1) * n, 0.0);
    box.assign(n, {});
    xdot.assign(n, {});
    around.assign(n, {-beside, beside});
    rates_around.assign(n, {0.0, 0.0});
    for (std::size_t i = 0; i < n; ++i) {
      std::vector<double> shifted = coefficients[i];
      for (std::size_t k = 0; k < degree; ++k) {
        for (std::size_t p = degree; p > k; --p) {
          shifted[p - 1] += middle * shifted[p];
        }
      }
      double radius = beside + 1e-14;
      double slope_radius = 1e-13;
      for (std::size_t p = 0; p <= degree; ++p) {
        powers[p * n + i] = shifted[p] * std::pow(h, static_cast<double>(p));
        radius += p >= 1 ? std::abs(shifted[p]) * std::pow(0.5 * h, static_cast<double>(p)) : 0.0;
        slope_radius += p >= 2 ? static_cast<double>(p) * std::abs(shifted[p]) *
                                     std::pow(0.5 * h, static_cast<double>(p) - 1.0)
                               : 0.0;
      }
      box[i] = {shifted[0] - radius, shifted[0] + radius};
      xdot[i] = {shifted[1] - slope_radius, shifted[1] + slope_radius};
      around[i] = {-beside - 1e-14, beside + 1e-14};
      rates_around[i] = {-1e-13, 1e-13};
    }
    start = at(from);
    return {.time = {from, to},
            .at = middle,
            .x = std::span<const double>(powers).first(n),
            .box = box,
            .xdot = xdot,
            .around = around,
            .powers = has_powers ? std::span<const double>(powers) : std::span<const double>(),
            .step = h,
            .rates_around = rates_around,
            .is_box = false,
            .start_time = from,
            .start = start};
  }
};

// A source, a small resistance and a capacitor: the current is the difference of two voltages over 1e-5.
const std::string kRectifier =
    "model M\n Real v(start = 0), q(start = 0), w, i, s, out;\nequation\n der(v) = i;\n der(q) = v;\n"
    " w = sin(30*time) + 0.2*exp(-time) - v;\n w = 1e-5*s + 1e-6*i + 1e-6*q;\n i = s + 0.01*w;\n"
    " out = if s > 0.1 then 1 else 0;\nend M;\n";

// The first powers of the source in t about t₀, so that the current is moderate.
Curve near_the_source(double t0, double current) {
  std::vector<double> v(8);
  double factor = 1.0;
  for (std::size_t k = 0; k < v.size(); ++k) {
    const double phase = 30.0 * t0 + 0.5 * 3.14159265358979323846 * static_cast<double>(k);
    v[k] = std::sin(phase) * std::pow(30.0, static_cast<double>(k)) / factor +
           0.2 * std::exp(-t0) * (k % 2 == 0 ? 1.0 : -1.0) / factor;
    factor *= static_cast<double>(k + 1);
  }
  v[0] -= 1.1e-5 * current;
  return {.coefficients = {v, {0.1, 0.3, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0}}};
}

void expect_held(GuardedModel& m, Curve& curve, double from, double to, double t0) {
  const GuardBounds bounds = m.runner->bound(0, curve.piece(from, to, true));
  ASSERT_TRUE(bounds.is_known);
  constexpr int kPoints = 24;
  for (int k = 0; k <= kPoints; ++k) {
    const double t = from + (to - from) * k / kPoints;
    for (const double side : {-1.0, 0.0, 1.0}) {
      std::vector<double> x = curve.at(t);
      for (double& value : x) {
        value += side * curve.beside;
      }
      const double g = m.value(0, t + t0, x);
      const double noise = 1e-9 * (1.0 + std::abs(g));
      EXPECT_GE(g, bounds.value.lower - noise) << t << " " << side;
      EXPECT_LE(g, bounds.value.upper + noise) << t << " " << side;
    }
    const double h = 1e-6;
    const double slope =
        (m.value(0, t + t0 + h, curve.at(t + h)) - m.value(0, t + t0 - h, curve.at(t - h))) / (2.0 * h);
    EXPECT_GE(slope, bounds.rate.lower - 1e-3 * (1.0 + std::abs(slope)));
    EXPECT_LE(slope, bounds.rate.upper + 1e-3 * (1.0 + std::abs(slope)));
  }
}

TEST(GuardSeriesTest, HoldsTheGuardAndItsRateOnTheCurveAndBeside) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> place(-1.0, 1.0);
  for (int trial = 0; trial < 40; ++trial) {
    GuardedModel m(kRectifier);
    Curve curve = near_the_source(0.0, 20.0 * place(random));
    for (double& c : curve.coefficients[0]) {
      c += 1e-6 * place(random);
    }
    curve.beside = trial % 2 == 0 ? 0.0 : 1e-8;
    const double from = 0.01 * place(random);
    expect_held(m, curve, from, from + 0.02 * std::abs(place(random)) + 1e-4, 0.0);
  }
}

// Bounds by values and slopes of the circuit are far wider than what the current does.
TEST(GuardSeriesTest, WhatCancelsInTheCircuitCancels) {
  GuardedModel m(kRectifier);
  Curve curve = near_the_source(0.0, 5.0);
  const GuardBounds fine = m.runner->bound(0, curve.piece(-0.002, 0.002, true));
  GuardedModel other(kRectifier);
  const GuardBounds coarse = other.runner->bound(0, curve.piece(-0.002, 0.002, false));
  ASSERT_TRUE(fine.is_known && coarse.is_known);
  EXPECT_LT(fine.value.upper - fine.value.lower, 1e-2 * (coarse.value.upper - coarse.value.lower));
  EXPECT_LT(fine.rate.upper - fine.rate.lower, 1e-2 * (coarse.rate.upper - coarse.rate.lower));
  EXPECT_GT(fine.value.lower, 4.0);
}

// What depends on the product of two unknowns, or of time and a state, has no series: the tube alone bounds it.
TEST(GuardSeriesTest, OtherEquationsAreLeftToTheTube) {
  for (const char* const equation : {"w = 1e-2*s + 0.1*s*i", "w = (1e-2 + 1e-3*sin(time))*s"}) {
    GuardedModel m(
        std::string(
            "model M\n Real v(start = 0), w, i(start = 1), s(start = 1), out;\nequation\n der(v) = i;\n"
            " w = 1 + time - v;\n ") +
        equation + ";\n i = s + 0.01*w;\n out = if s > 0.1 then 1 else 0;\nend M;\n");
    EXPECT_FALSE((*m.set)[0].has_series) << equation;
    Curve curve{.coefficients = {{0.0, 0.1}}};
    const GuardBounds with = m.runner->bound(0, curve.piece(0.1, 0.101, true));
    const GuardBounds without = m.runner->bound(0, curve.piece(0.1, 0.101, false));
    EXPECT_EQ(with.value, without.value);
    EXPECT_EQ(with.rate, without.rate);
  }
}

}  // namespace
}  // namespace saltus::program
