// Forward sensitivities beside CVODES and IDAS: times at equal errors of S at the end.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "saltus/model.hpp"
#include "saltus/simulate.hpp"
#include "sensitivities/model_file.hpp"
#include "sensitivities/peer_cvodes.hpp"
#include "sensitivities/peer_idas.hpp"
#include "sensitivities/tables.hpp"
#include "work_precision.hpp"

namespace saltus::bench {
namespace {

MeasuredRun solve_with(const Model& model, const SensitivityProblem& problem, const std::string& method,
                       double tolerance) {
  SimulationOptions options;
  options.start = 0.0;
  options.stop = problem.t_end;
  options.interval = problem.t_end;
  options.keep_dense = false;
  options.keep_rows = false;
  options.method = method;
  options.tolerance = tolerance;
  options.sensitivities = problem.parameters;
  return measure([&] {
    MeasuredRun run;
    const double begin = thread_seconds();
    const SimulationResult result = simulate(model, options).value();
    run.seconds = thread_seconds() - begin;
    run.accepted = result.statistics.accepted_steps;
    if (!result.ok()) {
      run.failure = result.message;
      return run;
    }
    for (const std::string& state : problem.states) {
      const auto found = std::find_if(result.variables.begin(), result.variables.end(),
                                      [&](const VariableInfo& variable) { return variable.name == state; });
      const auto row =
          result.sensitivities->final_row(static_cast<std::size_t>(found - result.variables.begin()));
      run.x_end.insert(run.x_end.end(), row.begin(), row.end());
    }
    return run;
  });
}

// Of a column relative to its largest entry; the largest over the columns.
double column_error(const std::vector<double>& s, const std::vector<double>& reference, std::size_t n) {
  double error = s.size() == reference.size() ? 0.0 : NAN;
  for (std::size_t k = 0; k < n; ++k) {
    double largest = 0.0;
    double difference = 0.0;
    for (std::size_t e = k; e < std::min(s.size(), reference.size()); e += n) {
      largest = std::max(largest, std::abs(reference[e]));
      difference = std::max(difference, std::abs(s[e] - reference[e]));
    }
    error = std::max(error, difference / largest);
  }
  return error;
}

struct Solver {
  std::string name;
  std::function<MeasuredRun(double tolerance)> run;
};

// The last solvers are those of the peer, of which the faster one counts at each tolerance.
void compare(const SensitivityProblem& problem, const std::vector<Solver>& own,
             const std::vector<Solver>& peers, const std::vector<double>& tolerances) {
  const std::size_t n = problem.parameters.size();
  constexpr double kFine = 1e-12;
  const std::vector<double> reference = own.front().run(kFine).x_end;
  fmt::print("# {}: reference by {} at {:.0e}; {} at 1e-11 differs by {:.1e}\n", problem.name,
             own.front().name, kFine, peers.front().name,
             column_error(peers.front().run(1e-11).x_end, reference, n));
  std::vector<Curve> curves;
  const auto measure_all = [&](const Solver& solver, Curve& curve) {
    for (const double tolerance : tolerances) {
      const MeasuredRun run = solver.run(tolerance);
      if (!run.failure.empty()) {
        fmt::print("{:<16} {:7.0e} {:<22} {}\n", problem.name, tolerance, solver.name, run.failure);
        continue;
      }
      const double error = column_error(run.x_end, reference, n);
      curve.points.push_back({error, run.seconds});
      fmt::print("{:<16} {:7.0e} {:<22} {:7} {:9.2e} {:10.4f}\n", problem.name, tolerance, solver.name,
                 run.accepted, error, 1e3 * run.seconds);
    }
  };
  for (const Solver& solver : own) {
    curves.push_back({solver.name, {}});
    measure_all(solver, curves.back());
  }
  curves.push_back({peers.front().name.substr(0, peers.front().name.find(' ')), {}});
  for (const Solver& solver : peers) {
    measure_all(solver, curves.back());
  }
  print_ratios(problem.name, curves);
}

template <class Problem>
std::vector<Solver> own_solvers(const Problem& problem, const Model& model,
                                const std::vector<std::string>& methods) {
  std::vector<Solver> solvers;
  for (const std::string& method : methods) {
    solvers.push_back({method, [&problem, &model, method](double tolerance) {
                         return solve_with(model, problem.data, method, tolerance);
                       }});
  }
  return solvers;
}

template <class Problem>
void beside_cvodes(const Problem& problem, const std::vector<std::string>& methods, int formulas,
                   const std::vector<double>& tolerances) {
  const Model model = model_of_file(problem.data.model_file);
  const auto peer = [&](int how) {
    return [&problem, formulas, how](double tolerance) {
      return solve_cvodes(problem, formulas, how, tolerance);
    };
  };
  compare(problem.data, own_solvers(problem, model, methods),
          {{"CVODES simultaneous", peer(CV_SIMULTANEOUS)}, {"CVODES staggered", peer(CV_STAGGERED)}},
          tolerances);
}

}  // namespace

void print_sensitivities_beside_sundials(bool quick) {
  const std::vector<double> tolerances = quick
                                             ? std::vector<double>{1e-5, 1e-8}
                                             : std::vector<double>{1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10};
  fmt::print("{:<16} {:>7} {:<22} {:>7} {:>9} {:>10}\n", "problem", "tol", "solver", "steps", "error",
             "time/ms");
  beside_cvodes(LotkaVolterra{}, {"dopri5"}, CV_ADAMS, tolerances);
  beside_cvodes(ReactionChain{}, {"radau5", "bdf"}, CV_BDF, tolerances);
  const RobertsonRates robertson;
  const Model model = model_of_file(robertson.data.model_file);
  const auto idas = [&](int how) {
    return [&robertson, how](double tolerance) { return solve_idas(robertson, how, tolerance); };
  };
  compare(robertson.data, own_solvers(robertson, model, {"radau5", "bdf"}),
          {{"IDAS simultaneous", idas(IDA_SIMULTANEOUS)}, {"IDAS staggered", idas(IDA_STAGGERED)}},
          tolerances);
}

}  // namespace saltus::bench
