/// Counts of what a run did, with the cause.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/archive.hpp"

namespace saltus::integrate {

struct RhsEvaluations {
  std::int64_t stages = 0;        ///< within attempted steps
  std::int64_t restarts = 0;      ///< at the start and after every restart
  std::int64_t initial_step = 0;  ///< to choose the first step size
  std::int64_t dense_output = 0;  ///< extra stages of a continuous extension
  std::int64_t jacobians = 0;     ///< for Jacobians by differences

  [[nodiscard]] std::int64_t total() const {
    return stages + restarts + initial_step + dense_output + jacobians;
  }

  void fields(Archive& a) { a(stages, restarts, initial_step, dense_output, jacobians); }
};

struct Statistics {
  std::int64_t accepted = 0;
  std::int64_t rejected_by_error = 0;       ///< the error estimate exceeded the tolerance
  std::int64_t rejected_by_evaluation = 0;  ///< a stage could not be evaluated
  std::int64_t rejected_by_iteration = 0;   ///< the iteration of an implicit method did not converge
  std::int64_t retracted = 0;               ///< accepted, then taken back
  std::int64_t restarts = 0;
  RhsEvaluations rhs;  ///< right-hand sides or residuals
  // Of implicit methods.
  std::int64_t jacobians = 0;
  std::int64_t factorizations =
      0;  ///< of the real iteration matrix; radau5's complex one is made along with it
  std::int64_t newton_iterations = 0;
  // Of steps whose results are projected (adjustment.hpp).
  double adjustment = 0.0;             ///< the largest change of a state
  double adjustment_over_bound = 0.0;  ///< … over what truncation explains

  [[nodiscard]] std::int64_t rejected() const {
    return rejected_by_error + rejected_by_evaluation + rejected_by_iteration;
  }
  [[nodiscard]] std::int64_t attempted() const { return accepted + retracted + rejected(); }

  Statistics& operator+=(const Statistics& other) {
    accepted += other.accepted;
    rejected_by_error += other.rejected_by_error;
    rejected_by_evaluation += other.rejected_by_evaluation;
    rejected_by_iteration += other.rejected_by_iteration;
    retracted += other.retracted;
    restarts += other.restarts;
    rhs.stages += other.rhs.stages;
    rhs.restarts += other.rhs.restarts;
    rhs.initial_step += other.rhs.initial_step;
    rhs.dense_output += other.rhs.dense_output;
    rhs.jacobians += other.rhs.jacobians;
    jacobians += other.jacobians;
    factorizations += other.factorizations;
    newton_iterations += other.newton_iterations;
    adjustment = std::max(adjustment, other.adjustment);
    adjustment_over_bound = std::max(adjustment_over_bound, other.adjustment_over_bound);
    return *this;
  }

  void fields(Archive& a) {
    a(accepted, rejected_by_error, rejected_by_evaluation, rejected_by_iteration, retracted, restarts, rhs,
      jacobians, factorizations, newton_iterations, adjustment, adjustment_over_bound);
  }
};

}  // namespace saltus::integrate
