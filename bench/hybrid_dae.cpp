// Work against precision on problems of index 1 with events, beside IDA with root finding in the same run.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "beside_ida.hpp"
#include "dae.hpp"
#include "hybrid_problems.hpp"

namespace saltus::bench {
namespace {

struct Errors {
  double end;
  double time;  ///< largest of an event, relative to the end; NaN if one is missed or one too many
};

// Events that are one instant are told twice by IDA where the roots differ by rounding.
std::vector<double> different_times(const std::vector<double>& times, double t_end) {
  constexpr double kSame = 1e-9;
  std::vector<double> different;
  for (const double time : times) {
    if (different.empty() || time - different.back() > kSame * t_end) {
      different.push_back(time);
    }
  }
  return different;
}

Errors errors_of(const MeasuredRun& run, const MeasuredRun& reference, double t_end) {
  const std::vector<double> found = different_times(run.event_times, t_end);
  Errors errors{relative_error(run.x_end, reference.x_end),
                found.size() == reference.event_times.size() ? 0.0 : NAN};
  for (std::size_t i = 0; i < found.size() && !std::isnan(errors.time); ++i) {
    errors.time = std::max(errors.time, std::abs(found[i] - reference.event_times[i]) / t_end);
  }
  return errors;
}

void print_row(const DaeProblemData& data, double tolerance, const MeasuredRun& run,
               const MeasuredRun& reference, Curve& curve) {
  if (!run.failure.empty()) {
    fmt::print("{:<20} {:7.0e} {:<7} {}\n", data.name, tolerance, curve.solver, run.failure);
    return;
  }
  const Errors errors = errors_of(run, reference, data.t_end);
  const std::size_t n_found = different_times(run.event_times, data.t_end).size();
  const auto n_missed =
      static_cast<std::int64_t>(reference.event_times.size()) - static_cast<std::int64_t>(n_found);
  if (n_missed == 0) {
    curve.points.push_back({std::max(errors.end, errors.time), run.seconds});
  }
  fmt::print("{:<20} {:7.0e} {:<7} {:7} {:5} {:8} {:6} {:6} {:9.2e} {:9.2e} {:10.4f}\n", data.name, tolerance,
             curve.solver, run.accepted, run.rejected, run.n_rhs, n_found, n_missed, errors.time, errors.end,
             1e3 * run.seconds);
}

// The method of saltus that is fastest at each error.
void print_best(const std::string& problem, const std::vector<Curve>& curves) {
  for (const double error : {1e-4, 1e-6, 1e-8}) {
    const auto ida = time_at(curves.back().points, error);
    std::optional<double> best;
    std::string method;
    for (std::size_t i = 0; i + 1 < curves.size(); ++i) {
      const auto own = time_at(curves[i].points, error);
      if (own && (!best || *own < *best)) {
        best = own;
        method = curves[i].solver;
      }
    }
    if (best && ida) {
      fmt::print("# {} at error {:.0e}: best {}, {:.2f} of IDA's time\n", problem, error, method,
                 *best / *ida);
    }
  }
}

template <class Problem>
void compare(const Problem& problem, const std::vector<double>& tolerances,
             const std::vector<std::string>& methods) {
  constexpr double kReferenceTolerance = 1e-12;
  const DaeProblemData& data = problem.data;
  const Model model = model_of(data);
  const MeasuredRun reference = solve_with(model, data, "radau5", kReferenceTolerance);
  const MeasuredRun second = solve_ida(problem, 1e-11);
  const Errors distance = errors_of(second, reference, data.t_end);
  fmt::print(
      "# {}: reference by radau5 at 1e-12, {} events{}; IDA at 1e-11 differs by {:.1e} in times, {:.1e} at "
      "the end {}\n",
      data.name, reference.event_times.size(), reference.failure, distance.time, distance.end,
      second.failure);
  const std::vector<Curve> curves = run_beside_ida(
      problem, model, tolerances, methods, [&](double tolerance, const MeasuredRun& run, Curve& curve) {
        print_row(data, tolerance, run, reference, curve);
      });
  print_best(data.name, curves);
}

}  // namespace

void print_hybrid(bool quick) {
  const std::vector<double> tolerances =
      quick ? std::vector<double>{1e-4, 1e-7}
            : std::vector<double>{1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10};
  fmt::print("\n{:<20} {:>7} {:<7} {:>7} {:>5} {:>8} {:>6} {:>6} {:>9} {:>9} {:>10}\n", "problem", "tol",
             "solver", "steps", "rej", "residual", "events", "missed", "time err", "end err", "time/ms");
  compare(BridgeRectifier{}, tolerances, {"radau5", "bdf", "dopri5"});
  compare(ReactorVapour{}, tolerances, {"radau5", "bdf", "dopri5"});
  compare(SwitchedLadder(10), tolerances, {"radau5", "bdf", "dopri5"});
  compare(SwitchedLadder(100), tolerances, {"radau5", "bdf"});
}

}  // namespace saltus::bench
