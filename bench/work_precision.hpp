// Time against error: what tables beside a peer share.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace saltus::bench {

struct Point {
  double error;
  double seconds;
};

struct Curve {
  std::string solver;
  std::vector<Point> points;
};

/// Largest error of an unknown relative to its size, at least 1e-3: components of 1e-5 count as well as those of 1.
[[nodiscard]] double relative_error(const std::vector<double>& x, const std::vector<double>& reference);

/// The time at an error, interpolated in log-log between the best runs (those that no other run beats in both).
[[nodiscard]] std::optional<double> time_at(std::vector<Point> points, double error);

/// Times at equal errors 1e-4, 1e-6, 1e-8, each method over the last curve, which is the peer's.
void print_ratios(const std::string& problem, const std::vector<Curve>& curves);

}  // namespace saltus::bench
