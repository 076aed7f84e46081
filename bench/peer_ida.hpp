// SUNDIALS IDA on F(t, y, y') = 0: dense with its own difference quotients for small systems, KLU with a given Jacobian for large
// ones; consistent initial values by IDACalcIC, outside of the measured time. Problems with events: roots by IDARootInit, times of
// changes as stop times; after each the mode changes, and IDAReInit and IDACalcIC (measured) begin anew.
#pragma once

#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunmatrix/sunmatrix_sparse.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "dae_problems.hpp"
#include "measured_run.hpp"

namespace saltus::bench {

template <class Problem>
int ida_residual(realtype t, N_Vector y, N_Vector dy, N_Vector r, void* user) {
  static_cast<const Problem*>(user)->residual(t, N_VGetArrayPointer(y), N_VGetArrayPointer(dy),
                                              N_VGetArrayPointer(r));
  return 0;
}

template <class Problem>
int ida_jacobian(realtype t, realtype alpha, N_Vector y, N_Vector dy, N_Vector, SUNMatrix matrix, void* user,
                 N_Vector, N_Vector, N_Vector) {
  static_cast<const Problem*>(user)->jacobian(
      t, alpha, N_VGetArrayPointer(y), N_VGetArrayPointer(dy), SUNSparseMatrix_IndexPointers(matrix),
      SUNSparseMatrix_IndexValues(matrix), SUNSparseMatrix_Data(matrix));
  return 0;
}

/// Problems with a function `jacobian` go to KLU.
template <class Problem>
concept HasSparseJacobian = requires {
  &Problem::n_entries;
};

/// Problems with events: `n_roots`, `roots`, `directions` (1 up, -1 down, 0 both), `known_times` (ascending), `change` and `settle`.
template <class Problem>
concept HasEvents = requires {
  &Problem::n_roots;
};

template <class Problem>
int ida_roots(realtype t, N_Vector y, N_Vector, realtype* values, void* user) {
  static_cast<const Problem*>(user)->roots(t, N_VGetArrayPointer(y), values);
  return 0;
}

/// Counts of one stretch between events; a new beginning sets those of IDA to zero.
inline void add_counts(void* memory, MeasuredRun& run) {
  long accepted = 0;
  long evaluations = 0;
  long rejected = 0;
  IDAGetNumSteps(memory, &accepted);
  IDAGetNumResEvals(memory, &evaluations);
  IDAGetNumErrTestFails(memory, &rejected);
  run.accepted += accepted;
  run.rejected += rejected;
  run.n_rhs += evaluations;
}

/// From event to event to the end; the flag of IDA.
template <class Problem>
int solve_with_events(void* memory, Problem& problem, N_Vector y, N_Vector dy, MeasuredRun& run) {
  const double t_end = problem.data.t_end;
  double* const values = N_VGetArrayPointer(y);
  std::vector<int> directions(static_cast<std::size_t>(problem.n_roots()));
  std::vector<int> found(directions.size());
  std::size_t next_known = 0;
  double t = 0.0;
  while (true) {
    const bool has_known = next_known < problem.known_times.size();
    const double stop = has_known ? problem.known_times[next_known] : t_end;
    IDASetStopTime(memory, stop);
    problem.directions(directions.data());
    IDASetRootDirection(memory, directions.data());
    int status = IDASolve(memory, stop, &t, y, dy, IDA_NORMAL);
    if (status < 0 || (status != IDA_ROOT_RETURN && !has_known)) {
      return status;
    }
    std::fill(found.begin(), found.end(), 0);
    if (status == IDA_ROOT_RETURN) {
      IDAGetRootInfo(memory, found.data());
    } else {
      ++next_known;
    }
    run.event_times.push_back(t);
    problem.change(t, found.data(), values);
    add_counts(memory, run);
    // A guess of the algebraic unknowns may lie beyond a switch: then the mode changes again at once.
    constexpr int kMostChanges = 5;
    bool is_settled = false;
    for (int i = 0; i < kMostChanges && !is_settled; ++i) {
      IDAReInit(memory, t, y, dy);
      status = IDACalcIC(memory, IDA_YA_YDP_INIT, t + 1e-6 * t_end);
      if (status < 0) {
        return status;
      }
      IDAGetConsistentIC(memory, y, dy);
      is_settled = problem.settle(values);
    }
  }
}

template <class Problem>
MeasuredRun solve_ida(const Problem& problem, double tolerance) {
  return measure([&] {
    MeasuredRun run;
    Problem current = problem;  // its mode changes
    const auto n = static_cast<sunindextype>(problem.data.y0.size());
    SUNContext context = nullptr;
    SUNContext_Create(nullptr, &context);
    N_Vector y = N_VNew_Serial(n, context);
    N_Vector dy = N_VNew_Serial(n, context);
    N_Vector id = N_VNew_Serial(n, context);
    N_Vector atol = N_VNew_Serial(n, context);
    std::copy(problem.data.y0.begin(), problem.data.y0.end(), N_VGetArrayPointer(y));
    N_VConst(0.0, dy);
    for (sunindextype i = 0; i < n; ++i) {
      const auto k = static_cast<std::size_t>(i);
      N_VGetArrayPointer(id)[i] = problem.data.is_differential[k] ? 1.0 : 0.0;
      N_VGetArrayPointer(atol)[i] = tolerance * problem.data.nominal[k];
    }
    void* memory = IDACreate(context);
    IDAInit(memory, ida_residual<Problem>, 0.0, y, dy);
    IDASVtolerances(memory, tolerance, atol);
    IDASetUserData(memory, &current);
    IDASetId(memory, id);
    IDASetErrFile(memory, nullptr);  // what fails is in the table
    IDASetMaxNumSteps(memory, std::numeric_limits<int>::max());
    SUNMatrix matrix = nullptr;
    SUNLinearSolver solver = nullptr;
    if constexpr (HasSparseJacobian<Problem>) {
      matrix = SUNSparseMatrix(n, n, static_cast<sunindextype>(problem.n_entries()), CSC_MAT, context);
      solver = SUNLinSol_KLU(y, matrix, context);
    } else {
      matrix = SUNDenseMatrix(n, n, context);
      solver = SUNLinSol_Dense(y, matrix, context);
    }
    IDASetLinearSolver(memory, solver, matrix);
    if constexpr (HasSparseJacobian<Problem>) {
      IDASetJacFn(memory, ida_jacobian<Problem>);
    }
    int status =
        problem.data.initial_values_known ? 0 : IDACalcIC(memory, IDA_YA_YDP_INIT, 1e-6 * problem.data.t_end);
    if constexpr (HasEvents<Problem>) {
      IDARootInit(memory, current.n_roots(), ida_roots<Problem>);
      IDASetNoInactiveRootWarn(memory);
    }
    IDASetStopTime(memory, problem.data.t_end);
    [[maybe_unused]] double t = 0.0;
    const double begin = thread_seconds();
    if (status >= 0) {
      if constexpr (HasEvents<Problem>) {
        status = solve_with_events(memory, current, y, dy, run);
      } else {
        status = IDASolve(memory, problem.data.t_end, &t, y, dy, IDA_NORMAL);
      }
    }
    run.seconds = thread_seconds() - begin;
    if (status < 0) {
      run.failure = "IDA flag " + std::to_string(status);
    }
    add_counts(memory, run);
    run.x_end.assign(N_VGetArrayPointer(y), N_VGetArrayPointer(y) + problem.data.compared);
    SUNLinSolFree(solver);
    SUNMatDestroy(matrix);
    IDAFree(&memory);
    for (N_Vector vector : {y, dy, id, atol}) {
      N_VDestroy(vector);
    }
    SUNContext_Free(&context);
    return run;
  });
}

}  // namespace saltus::bench
