// Series in time of tapes: coefficients and remainders hold the function.
#include "program/guards/time_series.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "program/vm/interval.hpp"

namespace saltus::program {
namespace {

using expr::Op;

// Registers: 0 time, 1 … constants, then results.
class Tape {
 public:
  explicit Tape(std::vector<double> constants) : constants_(std::move(constants)) {
    tape_.degrees.assign(1 + constants_.size(), 0);
  }
  std::int32_t add(Op op, std::int32_t a, std::int32_t b = 0, std::int32_t c = 0) {
    const auto result = static_cast<std::int32_t>(tape_.degrees.size());
    tape_.degrees.push_back(0);
    tape_.code.push_back({.op = op, .result = result, .operands = {a, b, c}});
    return result;
  }
  [[nodiscard]] TapePiece piece(std::int32_t root) const {
    TapePiece piece;
    piece.count = static_cast<std::uint32_t>(tape_.code.size());
    piece.roots = {root};
    return piece;
  }
  [[nodiscard]] const GuardTape& tape() const { return tape_; }

  // The range of Σ a_k uᵏ at u, with the remainder of the piece; empty: there is no series.
  [[nodiscard]] Interval at(const TapePiece& piece, double middle, double rho, double u) const {
    SeriesDependence dependence(tape_.n_registers());
    if (!dependence.add(tape_, piece)) {
      return empty_interval();
    }
    std::vector<Interval> registers(tape_.n_registers());
    std::vector<TimeSeries> series(dependence.n_slots());
    for (std::size_t k = 0; k < constants_.size(); ++k) {
      registers[1 + k] = point_interval(constants_[k]);
    }
    const auto run = [&](const Interval& time) {
      registers[0] = time;
      run_tape(tape_.code_of(piece), registers.data(), static_cast<const Interval*>(nullptr));
      return run_time_series(tape_.code_of(piece), dependence, rho, registers.data(), nullptr, series);
    };
    const auto slot = static_cast<std::size_t>(dependence.slot(piece.roots[0]));
    if (!run({middle - rho, middle + rho})) {
      return empty_interval();
    }
    const Interval rest = series[slot].back();
    if (!run({middle, middle})) {
      return empty_interval();
    }
    Interval sum = registers[static_cast<std::size_t>(piece.roots[0])];
    for (std::size_t k = 1; k <= kSeriesOrder; ++k) {
      const Interval& coefficient = k == kSeriesOrder ? rest : series[slot][k - 1];
      sum = program::add(sum, multiply(coefficient, power_integer({u, u}, static_cast<int>(k))));
    }
    return sum;
  }

 private:
  GuardTape tape_;
  std::vector<double> constants_;
};

struct Function {
  const char* name;
  std::function<std::int32_t(Tape&)> build;
  std::function<long double(long double)> value;
};

// Constants: 1 … 3 are 2, 0.3, 1.7.
const Function kFunctions[] = {
    {"sine", [](Tape& t) { return t.add(Op::sin, t.add(Op::multiply, 3, 0)); },
     [](long double x) { return std::sin(1.7 * x); }},
    {"cosine of a square", [](Tape& t) { return t.add(Op::cos, t.add(Op::power_integer, 0, 1)); },
     [](long double x) { return std::cos(x * x); }},
    {"quotient",
     [](Tape& t) { return t.add(Op::divide, t.add(Op::sin, 0), t.add(Op::add, 1, t.add(Op::exp, 0))); },
     [](long double x) { return std::sin(x) / (2.0L + std::exp(x)); }},
    {"damped",
     [](Tape& t) {
       return t.add(Op::multiply, t.add(Op::exp, t.add(Op::negate, 0)),
                    t.add(Op::cos, t.add(Op::multiply, 1, 0)));
     },
     [](long double x) { return std::exp(-x) * std::cos(2.0L * x); }},
    {"choice", [](Tape& t) { return t.add(Op::select, 2, t.add(Op::sin, 0), t.add(Op::subtract, 0, 1)); },
     [](long double x) {
       return static_cast<long double>(0.3) * std::sin(x) +
              (1.0L - static_cast<long double>(0.3)) * (x - 2.0L);
     }},
};

TEST(TimeSeriesTest, HoldsTheFunctionAndIsNarrow) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> place(-3.0, 3.0);
  for (const Function& function : kFunctions) {
    Tape tape({2.0, 0.3, 1.7});
    const TapePiece piece = tape.piece(function.build(tape));
    const TapePiece whole = tape.piece(piece.roots[0]);
    for (int trial = 0; trial < 200; ++trial) {
      const double middle = place(random);
      const double rho = std::pow(10.0, -4.0 + trial % 4);
      const double u = place(random) / 3.0;
      const Interval found = tape.at(whole, middle, rho, u);
      ASSERT_FALSE(found.empty()) << function.name;
      // The time that the series means, with a rounding of its own.
      const long double t =
          static_cast<long double>(middle) + static_cast<long double>(rho) * static_cast<long double>(u);
      const auto exact = static_cast<double>(function.value(t));
      EXPECT_LE(found.lower, exact + 1e-15 * (1.0 + std::abs(exact)))
          << function.name << " " << middle << " " << rho;
      EXPECT_GE(found.upper, exact - 1e-15 * (1.0 + std::abs(exact)))
          << function.name << " " << middle << " " << rho;
      EXPECT_LE(found.upper - found.lower, 1e-12 * (1.0 + std::abs(exact)) + 200.0 * std::pow(2.0 * rho, 10))
          << function.name << " " << rho;
    }
  }
}

TEST(TimeSeriesTest, WhatHasNoSeriesSaysSo) {
  for (const Op op : {Op::floor, Op::abs, Op::sqrt, Op::tanh}) {
    Tape tape({2.0, 0.3, 1.7});
    const std::int32_t root = tape.add(op, 0);
    EXPECT_TRUE(tape.at(tape.piece(root), 0.5, 0.1, 0.0).empty());
  }
  // A pole within the piece.
  Tape tape({2.0, 0.3, 1.7});
  const std::int32_t root = tape.add(Op::divide, 1, 0);
  EXPECT_TRUE(tape.at(tape.piece(root), 0.05, 0.1, 0.0).empty());
  EXPECT_FALSE(tape.at(tape.piece(root), 0.5, 0.1, 0.0).empty());
  EXPECT_TRUE(tape.at(tape.piece(tape.add(Op::power_integer, 0, 3)), 0.5, 0.1, 0.0).empty() == false);
}

TEST(TimeSeriesTest, AffineAreConstantsTimesStatesAndFunctionsOfTime) {
  Tape tape({2.0, 0.3, 1.7});
  const std::int32_t state = -1;
  const std::int32_t scaled = tape.add(Op::multiply, 1, state);
  const std::int32_t driven = tape.add(Op::add, scaled, tape.add(Op::sin, 0));
  const std::int32_t modulated = tape.add(Op::multiply, state, tape.add(Op::sin, 0));
  SeriesDependence dependence(tape.tape().n_registers());
  TapePiece piece = tape.piece(driven);
  EXPECT_TRUE(dependence.add(tape.tape(), piece));
  EXPECT_GE(dependence.slot(driven), 0);
  EXPECT_LT(dependence.slot(scaled), 0);
  EXPECT_FALSE(dependence.is_affine(modulated));
}

}  // namespace
}  // namespace saltus::program
