// SUNDIALS CVODE with root finding on the relay oscillator x'' = -sign(x): at every root the sign is turned and the integrator begins anew.
#pragma once

#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include <chrono>
#include <cmath>
#include <limits>

#include "measured_run.hpp"
#include "trajectory/compensated_time.hpp"

namespace saltus::bench {

struct RelayRun {
  double seconds = 0.0;
  std::int64_t n_events = 0;
  std::int64_t n_rhs = 0;
  double error = 0.0;
  std::string failure;
};

inline int relay_rhs(realtype, N_Vector x, N_Vector dx, void* side) {
  const double* value = N_VGetArrayPointer(x);
  double* derivative = N_VGetArrayPointer(dx);
  derivative[0] = value[1];
  derivative[1] = -*static_cast<const double*>(side);
  return 0;
}

inline int relay_guard(realtype, N_Vector x, realtype* guard, void*) {
  guard[0] = N_VGetArrayPointer(x)[0];
  return 0;
}

struct RelayByCvode {
  int method = CV_ADAMS;  ///< or CV_BDF
  double tolerance = 1e-9;
  /// CVODE takes a root to be known when it is known to 100 eps (|t| + |h|): the system does not depend on time, so every new
  /// beginning may be at time 0. Then also with the initial step that it chose at the first one.
  bool begins_at_zero = false;
};

/// From x = 1/2, v = 0 to t_end, where x is 1/2 again (t_end a multiple of 4).
inline RelayRun relay_by_cvode(const RelayByCvode& settings, double t_end) {
  const int method = settings.method;
  RelayRun run;
  SUNContext context = nullptr;
  SUNContext_Create(nullptr, &context);
  N_Vector x = N_VNew_Serial(2, context);
  double* value = N_VGetArrayPointer(x);
  value[0] = 0.5;
  value[1] = 0.0;
  double side = 1.0;
  void* memory = CVodeCreate(method, context);
  CVodeInit(memory, relay_rhs, 0.0, x);
  CVodeSStolerances(memory, settings.tolerance, settings.tolerance);
  CVodeSetUserData(memory, &side);
  CVodeRootInit(memory, 1, relay_guard);
  CVodeSetNoInactiveRootWarn(memory);
  CVodeSetMaxNumSteps(memory, std::numeric_limits<int>::max());
  CVodeSetStopTime(memory, t_end);
  SUNNonlinearSolver fixed_point = nullptr;
  SUNMatrix matrix = nullptr;
  SUNLinearSolver linear = nullptr;
  if (method == CV_ADAMS) {
    fixed_point = SUNNonlinSol_FixedPoint(x, 0, context);
    CVodeSetNonlinearSolver(memory, fixed_point);
  } else {
    matrix = SUNDenseMatrix(2, 2, context);
    linear = SUNLinSol_Dense(x, matrix, context);
    CVodeSetLinearSolver(memory, linear, matrix);
  }
  double t = 0.0;
  trajectory::CompensatedTime origin(0.0);  // of t
  double initial_step = 0.0;
  const auto begin = std::chrono::steady_clock::now();
  while (true) {
    const int status = CVode(memory, t_end - origin.value(), x, &t, CV_NORMAL);
    if (status == CV_ROOT_RETURN) {
      ++run.n_events;
      side = value[1] > 0.0 ? 1.0 : -1.0;
      long evaluations = 0;
      CVodeGetNumRhsEvals(memory, &evaluations);  // set to zero by the new beginning
      run.n_rhs += evaluations;
      if (settings.begins_at_zero) {
        if (run.n_events == 1) {
          CVodeGetActualInitStep(memory, &initial_step);
        }
        origin.advance(t);
        t = 0.0;
      }
      CVodeReInit(memory, t, x);
      CVodeSetStopTime(memory, t_end - origin.value());
      CVodeSetInitStep(memory, initial_step);  // 0: chosen anew
    } else if (status < 0) {
      run.failure = "CVODE flag " + std::to_string(status);
      break;
    } else {
      break;
    }
  }
  run.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  run.error = std::max(std::abs(value[0] - 0.5), std::abs(value[1]));
  if (fixed_point != nullptr) {
    SUNNonlinSolFree(fixed_point);
  }
  if (linear != nullptr) {
    SUNLinSolFree(linear);
    SUNMatDestroy(matrix);
  }
  CVodeFree(&memory);
  N_VDestroy(x);
  SUNContext_Free(&context);
  return run;
}

}  // namespace saltus::bench
