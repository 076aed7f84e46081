// CVODES with forward sensitivities under error control, equations and Jacobian written by hand.
#pragma once

#include <cvodes/cvodes.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_band.h>
#include <sunlinsol/sunlinsol_dense.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "measured_run.hpp"
#include "sensitivities/problems.hpp"

namespace saltus::bench {

template <class Problem>
int cvodes_rhs(realtype, N_Vector y, N_Vector f, void* user) {
  static_cast<const Problem*>(user)->rhs(N_VGetArrayPointer(y), N_VGetArrayPointer(f));
  return 0;
}
template <class Problem>
int cvodes_jacobian(realtype, N_Vector y, N_Vector, SUNMatrix j, void* user, N_Vector, N_Vector, N_Vector) {
  static_cast<const Problem*>(user)->jacobian(N_VGetArrayPointer(y), j);
  return 0;
}
template <class Problem>
int cvodes_column(int, realtype, N_Vector y, N_Vector, int k, N_Vector s, N_Vector ds, void* user, N_Vector,
                  N_Vector) {
  static_cast<const Problem*>(user)->column(k, N_VGetArrayPointer(y), N_VGetArrayPointer(s),
                                            N_VGetArrayPointer(ds));
  return 0;
}

/// S at the end, [state][parameter], in x_end. `formulas`: CV_BDF or CV_ADAMS; `how`: CV_SIMULTANEOUS or CV_STAGGERED.
template <class Problem>
MeasuredRun solve_cvodes(const Problem& problem, int formulas, int how, double tolerance) {
  return measure([&] {
    MeasuredRun run;
    const auto n = static_cast<sunindextype>(problem.data.y0.size());
    const auto n_parameters = static_cast<int>(problem.data.parameters.size());
    SUNContext context = nullptr;
    SUNContext_Create(nullptr, &context);
    N_Vector y = N_VNew_Serial(n, context);
    std::copy(problem.data.y0.begin(), problem.data.y0.end(), N_VGetArrayPointer(y));
    N_Vector* s = N_VCloneVectorArray(n_parameters, y);
    for (int k = 0; k < n_parameters; ++k) {
      N_VConst(0.0, s[k]);
    }
    void* memory = CVodeCreate(formulas, context);
    CVodeInit(memory, cvodes_rhs<Problem>, 0.0, y);
    CVodeSStolerances(memory, tolerance, tolerance);
    CVodeSetUserData(memory, const_cast<Problem*>(&problem));
    CVodeSetErrFile(memory, nullptr);
    CVodeSetMaxNumSteps(memory, std::numeric_limits<int>::max());
    constexpr sunindextype kBand = Problem::kHalfBand;
    SUNMatrix matrix = kBand == 0 ? SUNDenseMatrix(n, n, context) : SUNBandMatrix(n, kBand, kBand, context);
    SUNLinearSolver solver =
        kBand == 0 ? SUNLinSol_Dense(y, matrix, context) : SUNLinSol_Band(y, matrix, context);
    CVodeSetLinearSolver(memory, solver, matrix);
    CVodeSetJacFn(memory, cvodes_jacobian<Problem>);
    CVodeSensInit1(memory, n_parameters, how, cvodes_column<Problem>, s);
    std::vector<double> sizes = problem.data.values;
    CVodeSetSensParams(memory, nullptr, sizes.data(), nullptr);
    CVodeSensEEtolerances(memory);
    CVodeSetSensErrCon(memory, 1);
    CVodeSetStopTime(memory, problem.data.t_end);
    double t = 0.0;
    const double begin = thread_seconds();
    const int status = CVode(memory, problem.data.t_end, y, &t, CV_NORMAL);
    CVodeGetSens(memory, &t, s);
    run.seconds = thread_seconds() - begin;
    if (status < 0) {
      run.failure = "CVODES flag " + std::to_string(status);
    }
    long steps = 0;
    CVodeGetNumSteps(memory, &steps);
    run.accepted = steps;
    for (sunindextype i = 0; i < n; ++i) {
      for (int k = 0; k < n_parameters; ++k) {
        run.x_end.push_back(N_VGetArrayPointer(s[k])[i]);
      }
    }
    CVodeFree(&memory);
    SUNLinSolFree(solver);
    SUNMatDestroy(matrix);
    N_VDestroyVectorArray(s, n_parameters);
    N_VDestroy(y);
    SUNContext_Free(&context);
    return run;
  });
}

}  // namespace saltus::bench
