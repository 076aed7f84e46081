/// Small convex quadratic programs: min ½·zᵀH·z + qᵀz subject to G·z ≤ h.
///
/// Method       primal-dual interior point with predictor and corrector (Mehrotra 1992, SIAM J. Optim. 2:575-601; for quadratic
///              programs Nocedal and Wright, Numerical Optimization, algorithm 16.4), dense normal equations
/// Contract     H is symmetric and positive semidefinite, every unknown is bounded by rows of G, and there are points within: then a solution exists
///              and is found, with complementarity to kGap.
/// Cost         O(n³ + m·n²) for each of about twenty iterations
/// Checked by   tests/optimize/nonlinear_program_test.cpp
#pragma once

#include <optional>
#include <vector>

#include "linalg/dense_matrix.hpp"

namespace saltus::api {

/// Where unknowns and functions are of the size of 1: near what double precision allows for the normal equations.
inline constexpr double kGap = 1e-12;

struct ConvexProgram {
  linalg::DenseMatrix hessian;
  std::vector<double> linear;
  linalg::DenseMatrix rows;
  std::vector<double> limits;
};

struct ConvexSolution {
  std::vector<double> z;
  std::vector<double> multipliers;  ///< of the rows, ≥ 0
};

/// `z`: where to begin. None: numbers beyond what doubles hold.
[[nodiscard]] std::optional<ConvexSolution> solve(const ConvexProgram& program, std::vector<double> z);

}  // namespace saltus::api
