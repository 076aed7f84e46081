// Boost.odeint: its Dormand-Prince stepper with its standard step control, and the high-accuracy references.
#pragma once

#include <boost/numeric/odeint.hpp>
#include <vector>

#include "measured_run.hpp"

namespace saltus::bench {

namespace odeint = boost::numeric::odeint;

template <class Problem>
MeasuredRun solve_odeint(const Problem& problem, double tolerance) {
  return measure([&] {
    using State = std::vector<double>;
    MeasuredRun run;
    run.x_end = problem.data.x0;
    const auto rhs = [&](const State& x, State& dx, double t) {
      problem(t, x.data(), dx.data());
      ++run.n_rhs;
    };
    const auto stepper = odeint::make_controlled(tolerance, tolerance, odeint::runge_kutta_dopri5<State>());
    // odeint leaves the first step to the caller and counts accepted steps only.
    const double first_step = 1e-3 * problem.data.t_end;
    run.accepted = static_cast<std::int64_t>(
        odeint::integrate_adaptive(stepper, rhs, run.x_end, 0.0, problem.data.t_end, first_step));
    run.rejected = (run.n_rhs - 1) / 6 - run.accepted;  // six evaluations for each trial, one at the start
    return run;
  });
}

/// A reference in extended precision: Fehlberg 7(8) in long double with the given tolerance.
template <class Problem>
std::vector<double> reference_solution(const Problem& problem, long double tolerance) {
  using State = std::vector<long double>;
  State x(problem.data.x0.begin(), problem.data.x0.end());
  const auto rhs = [&](const State& at, State& dx, long double t) { problem(t, at.data(), dx.data()); };
  const auto stepper =
      odeint::make_controlled<odeint::runge_kutta_fehlberg78<State, long double>>(tolerance, tolerance);
  const auto t_end = static_cast<long double>(problem.data.t_end);
  odeint::integrate_adaptive(stepper, rhs, x, 0.0L, t_end, 1e-6L * t_end);
  return {x.begin(), x.end()};
}

}  // namespace saltus::bench
