#include "comparison.hpp"

#include <fmt/format.h>

#include "peer_cvode.hpp"
#include "peer_dopri5.hpp"
#include "peer_odeint.hpp"
#include "peer_saltus.hpp"
#include "problems.hpp"

namespace saltus::bench {
namespace {

// Tolerances of the two references; their difference is the uncertainty that is printed.
constexpr long double kReferenceTolerance = 1e-17L;
constexpr long double kCoarserReferenceTolerance = 1e-15L;

void print_row(const std::string& problem, double tolerance, const std::string& solver,
               const MeasuredRun& run, const std::vector<double>& reference,
               const MeasuredRun& hand_written) {
  if (!run.failure.empty()) {
    fmt::print("{:<16} {:7.0e} {:<12} {}\n", problem, tolerance, solver, run.failure);
    return;
  }
  const auto per_rhs = [](const MeasuredRun& r) { return r.seconds / static_cast<double>(r.n_rhs); };
  fmt::print("{:<16} {:7.0e} {:<12} {:7} {:5} {:8} {:9.2e} {:10.4f} {:9.1f} {:8.2f} {:8.2f} {:8.2f}\n",
             problem, tolerance, solver, run.accepted, run.rejected, run.n_rhs,
             scaled_error(run.x_end, reference), 1e3 * run.seconds, 1e9 * per_rhs(run),
             static_cast<double>(run.n_rhs) / static_cast<double>(hand_written.n_rhs),
             run.seconds / hand_written.seconds, per_rhs(run) / per_rhs(hand_written));
}

template <class Problem>
void compare(const Problem& problem, const std::vector<double>& tolerances) {
  const std::vector<double> reference = reference_solution(problem, kReferenceTolerance);
  const double uncertainty = scaled_error(reference_solution(problem, kCoarserReferenceTolerance), reference);
  fmt::print(
      "# {}: reference by Fehlberg 7(8) in long double, tolerance 1e-17; differs from that at 1e-15 by "
      "{:.1e}\n",
      problem.data.name, uncertainty);
  const Model model = load_model(problem.data);
  for (const double tolerance : tolerances) {
    const std::string& name = problem.data.name;
    const MeasuredRun hand_written = solve_dopri5(problem, tolerance);
    print_row(name, tolerance, "saltus", solve_saltus(model, problem.data, tolerance), reference,
              hand_written);
    print_row(name, tolerance, "dopri5 (C++)", hand_written, reference, hand_written);
    print_row(name, tolerance, "odeint", solve_odeint(problem, tolerance), reference, hand_written);
    print_row(name, tolerance, "cvode adams", solve_cvode(problem, tolerance), reference, hand_written);
  }
}

// The published counts of the code DOPRI5 on the Arenstorf orbit, see peer_dopri5.hpp.
void check_against_published_counts() {
  const MeasuredRun run = Dopri5<Arenstorf>(Arenstorf{}, 1e-7).run();
  if (run.n_rhs != 1442 || run.accepted != 216) {
    fmt::print(
        "# WARNING: dopri5 (C++) took {} right-hand sides and {} accepted steps; published: 1442 and 216\n",
        run.n_rhs, run.accepted);
  }
}

}  // namespace

void print_comparison(bool quick) {
  const std::vector<double> tolerances = quick
                                             ? std::vector<double>{1e-4, 1e-8}
                                             : std::vector<double>{1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10};
  fmt::print("{:<16} {:>7} {:<12} {:>7} {:>5} {:>8} {:>9} {:>10} {:>9} {:>8} {:>8} {:>8}\n", "problem", "tol",
             "solver", "steps", "rej", "rhs", "error", "time/ms", "ns/rhs", "rhs x", "time x", "ns/rhs x");
  check_against_published_counts();
  compare(Arenstorf{}, tolerances);
  compare(Lorenz{}, tolerances);
  compare(Pleiades{}, tolerances);
  for (const int cells : {10, 100, 1000}) {
    compare(HeatChain(cells), tolerances);
  }
}

}  // namespace saltus::bench
