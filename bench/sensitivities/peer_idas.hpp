// IDAS with forward sensitivities under error control, equations and Jacobian written by hand; consistent values are given.
#pragma once

#include <idas/idas.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "measured_run.hpp"
#include "sensitivities/problems.hpp"

namespace saltus::bench {

template <class Problem>
int idas_residual(realtype, N_Vector y, N_Vector dy, N_Vector r, void* user) {
  static_cast<const Problem*>(user)->residual(N_VGetArrayPointer(y), N_VGetArrayPointer(dy),
                                              N_VGetArrayPointer(r));
  return 0;
}
template <class Problem>
int idas_jacobian(realtype, realtype alpha, N_Vector y, N_Vector, N_Vector, SUNMatrix j, void* user, N_Vector,
                  N_Vector, N_Vector) {
  static_cast<const Problem*>(user)->jacobian(alpha, N_VGetArrayPointer(y), j);
  return 0;
}
template <class Problem>
int idas_columns(int n, realtype, N_Vector y, N_Vector, N_Vector, N_Vector* s, N_Vector* ds, N_Vector* r,
                 void* user, N_Vector, N_Vector, N_Vector) {
  for (int k = 0; k < n; ++k) {
    static_cast<const Problem*>(user)->column(k, N_VGetArrayPointer(y), N_VGetArrayPointer(s[k]),
                                              N_VGetArrayPointer(ds[k]), N_VGetArrayPointer(r[k]));
  }
  return 0;
}

/// S at the end, [state][parameter], in x_end. `how`: IDA_SIMULTANEOUS or IDA_STAGGERED.
template <class Problem>
MeasuredRun solve_idas(const Problem& problem, int how, double tolerance) {
  return measure([&] {
    MeasuredRun run;
    const auto n = static_cast<sunindextype>(problem.data.y0.size());
    const auto n_parameters = static_cast<int>(problem.data.parameters.size());
    SUNContext context = nullptr;
    SUNContext_Create(nullptr, &context);
    N_Vector y = N_VNew_Serial(n, context);
    N_Vector dy = N_VClone(y);
    N_Vector atol = N_VClone(y);
    N_Vector* s = N_VCloneVectorArray(n_parameters, y);
    N_Vector* ds = N_VCloneVectorArray(n_parameters, y);
    const auto fill = [](const std::vector<double>& values, N_Vector to) {
      std::copy(values.begin(), values.end(), N_VGetArrayPointer(to));
    };
    fill(problem.data.y0, y);
    fill(Problem::initial_rates(), dy);
    for (sunindextype i = 0; i < n; ++i) {
      N_VGetArrayPointer(atol)[i] = tolerance * problem.data.nominal[static_cast<std::size_t>(i)];
    }
    for (int k = 0; k < n_parameters; ++k) {
      N_VConst(0.0, s[k]);
      fill(Problem::initial_rates_of(k), ds[k]);
    }
    void* memory = IDACreate(context);
    IDAInit(memory, idas_residual<Problem>, 0.0, y, dy);
    IDASVtolerances(memory, tolerance, atol);
    IDASetUserData(memory, const_cast<Problem*>(&problem));
    IDASetErrFile(memory, nullptr);
    IDASetMaxNumSteps(memory, std::numeric_limits<int>::max());
    SUNMatrix matrix = SUNDenseMatrix(n, n, context);
    SUNLinearSolver solver = SUNLinSol_Dense(y, matrix, context);
    IDASetLinearSolver(memory, solver, matrix);
    IDASetJacFn(memory, idas_jacobian<Problem>);
    IDASensInit(memory, n_parameters, how, idas_columns<Problem>, s, ds);
    std::vector<double> sizes = problem.data.values;
    IDASetSensParams(memory, nullptr, sizes.data(), nullptr);
    IDASensEEtolerances(memory);
    IDASetSensErrCon(memory, 1);
    IDASetStopTime(memory, problem.data.t_end);
    double t = 0.0;
    const double begin = thread_seconds();
    const int status = IDASolve(memory, problem.data.t_end, &t, y, dy, IDA_NORMAL);
    IDAGetSens(memory, &t, s);
    run.seconds = thread_seconds() - begin;
    if (status < 0) {
      run.failure = "IDAS flag " + std::to_string(status);
    }
    long steps = 0;
    IDAGetNumSteps(memory, &steps);
    run.accepted = steps;
    for (sunindextype i = 0; i < n; ++i) {
      for (int k = 0; k < n_parameters; ++k) {
        run.x_end.push_back(N_VGetArrayPointer(s[k])[i]);
      }
    }
    IDAFree(&memory);
    SUNLinSolFree(solver);
    SUNMatDestroy(matrix);
    N_VDestroyVectorArray(s, n_parameters);
    N_VDestroyVectorArray(ds, n_parameters);
    for (N_Vector vector : {y, dy, atol}) {
      N_VDestroy(vector);
    }
    SUNContext_Free(&context);
    return run;
  });
}

}  // namespace saltus::bench
