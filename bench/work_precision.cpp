#include "work_precision.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace saltus::bench {

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

void print_ratios(const std::string& problem, const std::vector<Curve>& curves) {
  for (const double error : {1e-4, 1e-6, 1e-8}) {
    const auto ida = time_at(curves.back().points, error);
    for (std::size_t i = 0; i + 1 < curves.size(); ++i) {
      const auto own = time_at(curves[i].points, error);
      if (own && ida) {
        fmt::print("# {} at error {:.0e}: {} {:.3f} ms, {} {:.3f} ms, ratio {:.2f}\n", problem, error,
                   curves[i].solver, 1e3 * *own, curves.back().solver, 1e3 * *ida, *own / *ida);
      } else {
        fmt::print("# {} at error {:.0e}: not reached by {}\n", problem, error,
                   own   ? curves.back().solver
                   : ida ? curves[i].solver
                         : curves[i].solver + " and " + curves.back().solver);
      }
    }
  }
}

}  // namespace saltus::bench
