/// A DAE of any index, linearised at a point of a solution, in as few coordinates as it has free initial values.
///
/// Problem      F(t, x, ẋ, …, u) = 0: δṡ = A·δs + B·δu for some s among x, and x as δx = C·δs + D·δu
/// Method       The derivative array F_l, one level above the strangeness index, at slots that satisfy it, is linearised by its own Jacobian:
///              J_x·δx + J_u·δu + J_y·δy = 0, y the derivatives. Combinations without y are the constraints on δx, hidden ones too; pivots
///              among the directions that they leave choose s (state_choice.hpp); δy, and with it δṡ, follows by least squares.
/// Notation     x: unknowns and their derivatives below those written; u: inputs, with their derivatives u̇, … behind them
/// Contract     Exact but for rounding: no differences are taken. Coefficients may depend on time: A is that of the time asked for.
///              Scaled by nominal values of slots and sizes of rows; ranks by linalg/rank_decision.hpp.
/// Fails when   no derivatives satisfy the array near x; the rate of a coordinate is not determined; constraints bind the inputs
/// Cost         dense: (levels·n)³
/// Checked by   tests/unit/api/linearize_test.cpp
#pragma once

#include <span>
#include <string>
#include <vector>

#include "linalg/dense_matrix.hpp"
#include "saltus/result.hpp"
#include "system/equation_set.hpp"

namespace saltus::reduce {

struct LinearizationProblem {
  const system::EquationSet* written = nullptr;  ///< the array of level 0
  const system::EquationSet* array = nullptr;    ///< of the level that shows all rates
  const system::Configuration* configuration = nullptr;
  double t = 0.0;
  std::span<const Index> inputs;  ///< variables that are given from outside, which are among the slots
  /// By slot of `array`; those of u are held, those of x moved only as far as hidden constraints ask, the others are where the search for
  /// derivatives begins.
  std::vector<double> slots;
};

struct LinearizedDae {
  std::vector<Index> quantities;   ///< slots of x
  std::vector<Index> coordinates;  ///< places of s in `quantities`
  linalg::DenseMatrix a;           ///< by coordinate, by coordinate
  linalg::DenseMatrix b;  ///< by coordinate, by input and order: all inputs, then their derivatives, …
  linalg::DenseMatrix by_state;  ///< C, by quantity
  linalg::DenseMatrix by_input;  ///< D, by quantity
  std::vector<double> slots;     ///< that satisfy the array
};

[[nodiscard]] Result<LinearizedDae> linearize(const LinearizationProblem& problem);

}  // namespace saltus::reduce
