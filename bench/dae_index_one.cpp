// Work against precision on problems of index 1, beside IDA in the same run; the last lines of each problem give the times at equal
// errors, interpolated in log-log between the best runs (those that no other run beats in both).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "dae.hpp"
#include "dae_problems.hpp"
#include "peer_ida.hpp"
#include "peer_saltus.hpp"

namespace saltus::bench {
namespace {

struct Point {
  double error;
  double seconds;
};

MeasuredRun solve_with(const Model& model, const DaeProblemData& problem, const std::string& method,
                       double tolerance) {
  return solve_saltus(model, problem.t_end, problem.names, {.tolerance = tolerance, .method = method});
}

// Errors relative to the largest size of an unknown at the end: components of 1e-5 count as well as those of 1.
double relative_error(const std::vector<double>& x, const std::vector<double>& reference) {
  double error = x.size() == reference.size() ? 0.0 : NAN;
  for (std::size_t i = 0; i < std::min(x.size(), reference.size()); ++i) {
    error = std::max(error, std::abs(x[i] - reference[i]) / std::max(std::abs(reference[i]), 1e-3));
  }
  return error;
}

std::optional<double> time_at(std::vector<Point> points, double error) {
  std::sort(points.begin(), points.end(),
            [](const Point& a, const Point& b) { return a.seconds < b.seconds; });
  std::vector<Point> best;
  for (const Point& point : points) {
    if (point.error > 0.0 && (best.empty() || point.error < best.back().error)) {
      best.push_back(point);
    }
  }
  if (!best.empty() && best.front().error <= error) {
    return best.front().seconds;
  }
  for (std::size_t i = 1; i < best.size(); ++i) {
    if (best[i].error <= error) {
      const double part = std::log(best[i - 1].error / error) / std::log(best[i - 1].error / best[i].error);
      return best[i - 1].seconds * std::pow(best[i].seconds / best[i - 1].seconds, part);
    }
  }
  return std::nullopt;
}

struct Curve {
  std::string solver;
  std::vector<Point> points;
};

void print_row(const std::string& problem, double tolerance, const MeasuredRun& run,
               const std::vector<double>& reference, Curve& curve) {
  if (!run.failure.empty()) {
    fmt::print("{:<22} {:7.0e} {:<8} {}\n", problem, tolerance, curve.solver, run.failure);
    return;
  }
  const double error = relative_error(run.x_end, reference);
  curve.points.push_back({error, run.seconds});
  fmt::print("{:<22} {:7.0e} {:<8} {:7} {:5} {:8} {:9.2e} {:10.4f}\n", problem, tolerance, curve.solver,
             run.accepted, run.rejected, run.n_rhs, error, 1e3 * run.seconds);
}

template <class Problem>
void compare(const Problem& problem, const std::vector<double>& tolerances) {
  const DaeProblemData& data = problem.data;
  const Model model = Model::from_text(data.model_file, model_text(data.model_file, data.settings)).value();
  std::vector<double> reference = data.reference;
  if (reference.empty()) {
    reference = solve_with(model, data, "radau5", 1e-12).x_end;
    fmt::print("# {}: reference by radau5 at 1e-12; differs from IDA at 1e-11 by {:.1e}\n", data.name,
               relative_error(solve_ida(problem, 1e-11).x_end, reference));
  }
  std::vector<Curve> curves{{"radau5", {}}, {"bdf", {}}, {"IDA", {}}};
  for (const double tolerance : tolerances) {
    print_row(data.name, tolerance, solve_with(model, data, "radau5", tolerance), reference, curves[0]);
    print_row(data.name, tolerance, solve_with(model, data, "bdf", tolerance), reference, curves[1]);
    print_row(data.name, tolerance, solve_ida(problem, tolerance), reference, curves[2]);
  }
  for (const double error : {1e-4, 1e-6, 1e-8}) {
    const auto ida = time_at(curves[2].points, error);
    for (std::size_t i = 0; i < 2; ++i) {
      const auto own = time_at(curves[i].points, error);
      if (own && ida) {
        fmt::print("# {} at error {:.0e}: {} {:.3f} ms, IDA {:.3f} ms, ratio {:.2f}\n", data.name, error,
                   curves[i].solver, 1e3 * *own, 1e3 * *ida, *own / *ida);
      } else {
        fmt::print("# {} at error {:.0e}: {} or IDA does not reach it\n", data.name, error, curves[i].solver);
      }
    }
  }
}

}  // namespace

void print_index_one(bool quick) {
  const std::vector<double> tolerances =
      quick ? std::vector<double>{1e-5, 1e-8}
            : std::vector<double>{1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11};
  fmt::print("{:<22} {:>7} {:<8} {:>7} {:>5} {:>8} {:>9} {:>10}\n", "problem", "tol", "solver", "steps",
             "rej", "residual", "error", "time/ms");
  compare(Robertson{}, tolerances);
  compare(Hires{}, tolerances);
  compare(AkzoNobel{}, tolerances);
  compare(TransistorAmplifier{}, tolerances);
  for (const int cells : {10, 100, 1000}) {
    compare(DiodeLadder(cells), tolerances);
  }
  const std::vector<double> few{1e-4, 1e-6};
  for (const int cells : {10'000, 100'000}) {
    if (!quick) {
      compare(DiodeLadder(cells), few);
    }
  }
}

}  // namespace saltus::bench
