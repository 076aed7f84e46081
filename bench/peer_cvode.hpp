// SUNDIALS CVODE with Adams formulas and fixed-point iteration, its setting for problems that are not stiff.
#pragma once

#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include <chrono>
#include <cmath>
#include <limits>

#include "measured_run.hpp"

namespace saltus::bench {

template <class Problem>
int cvode_rhs(realtype t, N_Vector x, N_Vector dx, void* user) {
  (*static_cast<const Problem*>(user))(t, N_VGetArrayPointer(x), N_VGetArrayPointer(dx));
  return 0;
}

template <class Problem>
MeasuredRun solve_cvode(const Problem& problem, double tolerance) {
  return measure([&] {
    MeasuredRun run;
    const std::size_t n = problem.data.x0.size();
    SUNContext context = nullptr;
    SUNContext_Create(nullptr, &context);
    N_Vector x = N_VNew_Serial(static_cast<sunindextype>(n), context);
    std::copy(problem.data.x0.begin(), problem.data.x0.end(), N_VGetArrayPointer(x));
    void* memory = CVodeCreate(CV_ADAMS, context);
    CVodeInit(memory, cvode_rhs<Problem>, 0.0, x);
    CVodeSStolerances(memory, tolerance, tolerance);
    CVodeSetUserData(memory, const_cast<Problem*>(&problem));
    CVodeSetMaxNumSteps(memory, std::numeric_limits<int>::max());
    CVodeSetStopTime(memory, problem.data.t_end);
    SUNNonlinearSolver solver = SUNNonlinSol_FixedPoint(x, 0, context);
    CVodeSetNonlinearSolver(memory, solver);

    double t = 0.0;
    const auto begin =
        std::chrono::steady_clock::now();  // the context alone takes longer than a short solution
    const int status = CVode(memory, problem.data.t_end, x, &t, CV_NORMAL);
    run.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (status < 0) {
      run.failure = "CVODE flag " + std::to_string(status);
    }
    long accepted = 0;
    long evaluations = 0;
    long rejected = 0;
    CVodeGetNumSteps(memory, &accepted);
    CVodeGetNumRhsEvals(memory, &evaluations);
    CVodeGetNumErrTestFails(memory, &rejected);
    run.accepted = accepted;
    run.rejected = rejected;
    run.n_rhs = evaluations;
    run.x_end.assign(N_VGetArrayPointer(x), N_VGetArrayPointer(x) + n);

    SUNNonlinSolFree(solver);
    CVodeFree(&memory);
    N_VDestroy(x);
    SUNContext_Free(&context);
    return run;
  });
}

}  // namespace saltus::bench
