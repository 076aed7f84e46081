/// Optimisation of few unknowns with bounds and constraints, of functions that cost a run of a model each, have noise, and may fail.
///
/// Problem      min f(x) subject to c_j(x) ≤ 0 or = 0 and l ≤ x ≤ u
/// Method       sequential quadratic programming with the exact penalty f + ρ·Σ violation and a trust region (Fletcher's Sl₁QP: Nocedal and
///              Wright, Numerical Optimization, algorithm 18.4): each step minimises ½·dᵀB·d + gᵀd + ρ·Σ v over a box, with constraints linearised
///              and elastic (v ≥ 0), so that there always is one. B by damped BFGS (their procedure 18.2). A step that was refused though
///              constraints are curved is tried again with their values at its end (second-order correction, 18.3).
///              Unknowns are measured in their sizes, functions by the lengths of their gradients at the start.
/// Contract     A trial without a value, or without derivatives, is a refused step: the trust region becomes smaller. `converged`: the step that the
///              quadratic model asks for is below `accuracy` in units of the sizes, or gains less than the noise of f, and constraints are met to `accuracy`.
///              An unknown that no step has moved may stand on a maximum or on a saddle, where first derivatives are zero as well: values to both sides of it are
///              looked at, and what is lower is where the search goes on.
/// Fails when   no step lessens the violation to first order (infeasible: of the neighbourhood, not of all x), the trust region vanishes or the
///              iterations are over (limit), there is no value at the start (failed)
/// Checked by   tests/optimize/nonlinear_program_test.cpp
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace saltus::api {

/// Functions and their gradients at a point.
struct ProgramPoint {
  std::string problem;  ///< why there is nothing; empty: all numbers are finite
  double value = 0.0;
  std::vector<double> gradient;
  std::vector<double> constraints;
  std::vector<double> jacobian;  ///< [constraint][unknown]
  std::vector<double> others;    ///< of the caller
  /// Of the value; NaN: NonlinearProgram::noise of it.
  double noise = std::numeric_limits<double>::quiet_NaN();
};

struct NonlinearProgram {
  std::vector<double> start;
  std::vector<double> lower;
  std::vector<double> upper;
  std::vector<double> sizes;      ///< of unknowns, > 0
  std::vector<bool> is_equality;  ///< by constraint
  double accuracy = 1e-6;
  double noise = 1e-6;  ///< of values, relative
  std::int64_t max_iterations = 100;
  std::function<ProgramPoint(const std::vector<double>&)> evaluate;
  std::function<bool()> stop_requested;  ///< may be null
};

struct ProgramSolution {
  enum class Status : std::uint8_t { converged, infeasible, limit, failed };
  Status status = Status::failed;
  std::string message;
  std::vector<double> x;
  ProgramPoint point;               ///< there
  std::vector<double> multipliers;  ///< by constraint: -d(value)/d(limit)
  std::vector<bool> is_active;      ///< by constraint: the value would be less without it
  std::vector<bool> at_bound;       ///< held there
  std::vector<bool>
      without_influence;  ///< by unknown: stands at its start, and values to both sides of it are no others
  std::int64_t iterations = 0;
  std::int64_t trials = 0;
  std::int64_t refused = 0;  ///< trials that were no progress, failed ones included
};

[[nodiscard]] ProgramSolution minimize(const NonlinearProgram& program);

}  // namespace saltus::api
