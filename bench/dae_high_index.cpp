// Mechanisms of index 3 as they stand in examples/, beside the same problems reduced to index 1 by hand and solved by the same
// method: what the automatic reduction and the projection onto all constraints cost, and what they gain.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "dae.hpp"
#include "measured_run.hpp"
#include "peer_saltus.hpp"

namespace saltus::bench {
namespace {

struct HighIndexProblem {
  std::string name;
  std::string file;
  std::string file_by_hand;
  double t_end;
  std::vector<std::string> names;
  std::vector<double> reference;
};

// The values of the test set (GAMD in quadruple precision) and of tests/support/problems/dae_references.py.
const std::vector<HighIndexProblem>& problems() {
  static const std::vector<HighIndexProblem> all{
      {"car_axis",
       "examples/car_axis.mo",
       "bench/models/car_axis_by_hand.mo",
       3.0,
       {"xl", "yl", "xr", "yr", "ul", "vl", "ur", "vr"},
       {0.0493455784275402809122, 0.496989460230171153861, 1.04174252488542151681, 0.373911027265361256927,
        -0.0770583684040972357970, 0.00744686658723778553466, 0.0175568157537232222276,
        0.770341043779251976443}},
      {"cartesian_pendulum",
       "examples/cartesian_pendulum.mo",
       "bench/models/pendulum_by_hand.mo",
       10.0,
       {"x", "y", "vx", "vy"},
       {-0.915728346703793, 0.40179795301014, -1.86291852664197, -4.24573417974249}},
  };
  return all;
}

Model load(const std::string& file) {
  std::ifstream in(std::string(SALTUS_SOURCE_DIR) + "/" + file);
  std::ostringstream text;
  text << in.rdbuf();
  return Model::from_text(file, text.str()).value();
}

MeasuredRun solve(const Model& model, const HighIndexProblem& problem, const std::string& method,
                  double tolerance) {
  return solve_saltus(model, problem.t_end, problem.names, {.tolerance = tolerance, .method = method});
}

void print_row(const HighIndexProblem& problem, double tolerance, const std::string& method,
               const std::string& form, const MeasuredRun& run, double seconds_by_hand) {
  if (!run.failure.empty()) {
    fmt::print("{:<20} {:7.0e} {:<8} {:<8} {}\n", problem.name, tolerance, method, form, run.failure);
    return;
  }
  fmt::print("{:<20} {:7.0e} {:<8} {:<8} {:7} {:5} {:8} {:9.2e} {:10.4f} {:7.2f}\n", problem.name, tolerance,
             method, form, run.accepted, run.rejected, run.n_rhs, scaled_error(run.x_end, problem.reference),
             1e3 * run.seconds, run.seconds / seconds_by_hand);
}

}  // namespace

void print_high_index(bool quick) {
  const std::vector<double> tolerances =
      quick ? std::vector<double>{1e-6} : std::vector<double>{1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9};
  fmt::print("{:<20} {:>7} {:<8} {:<8} {:>7} {:>5} {:>8} {:>9} {:>10} {:>7}\n", "problem", "tol", "method",
             "form", "steps", "rej", "rhs", "error", "time/ms", "time x");
  for (const HighIndexProblem& problem : problems()) {
    const Model model = load(problem.file);
    const Model by_hand = load(problem.file_by_hand);
    for (const std::string method : {"dopri5", "radau5", "bdf"}) {
      for (const double tolerance : tolerances) {
        const MeasuredRun hand = solve(by_hand, problem, method, tolerance);
        print_row(problem, tolerance, method, "as is", solve(model, problem, method, tolerance),
                  hand.seconds);
        print_row(problem, tolerance, method, "by hand", hand, hand.seconds);
      }
    }
  }
}

}  // namespace saltus::bench
