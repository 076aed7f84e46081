#include "api/model/sampled_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <exception>
#include <limits>
#include <memory>
#include <numbers>
#include <utility>

#include "api/model/diagnostic_codes.hpp"

namespace saltus::api {
namespace {

constexpr std::size_t kDegree = 9;
constexpr std::size_t kChebyshevPoints = kDegree + 1;
constexpr double kAccuracy = 1e-12;
// A time within a segment is the sum of two and a product: some roundings, with room.
constexpr double kRoundingsOfTime = 16.0;
// Where more than this part of the values is rounding of time, segments are so short that the function jumps.
constexpr double kMostRounding = 1e-5;
constexpr std::size_t kFirstSegments = 16;
// Of the polynomials where they meet: as that of a spline, so that no knot is an event.
constexpr int kContinuity = 2;
constexpr std::size_t kMostSegments = 100'000;
// Shares of a segment, between its interpolation points, at which interpolant and function are compared.
constexpr std::array<double, 7> kLooks{-0.93, -0.61, -0.27, 0.04, 0.33, 0.69, 0.97};

struct Failure {
  std::string message;
};

using Coefficients = std::array<double, kChebyshevPoints>;

// Of powers of s in [-1, 1], from values at s_k = cos(π(n - k)/n), by Newton's divided differences.
Coefficients powers(const std::array<double, kChebyshevPoints>& s, Coefficients values) {
  for (std::size_t level = 1; level < kChebyshevPoints; ++level) {
    for (std::size_t k = kChebyshevPoints; k-- > level;) {
      values[k] = (values[k] - values[k - 1]) / (s[k] - s[k - level]);
    }
  }
  Coefficients result{};
  for (std::size_t k = kChebyshevPoints; k-- > 0;) {
    for (std::size_t i = kChebyshevPoints; i-- > 1;) {
      result[i] = result[i - 1] - s[k] * result[i];
    }
    result[0] = values[k] - s[k] * result[0];
  }
  return result;
}

class Sampler {
 public:
  explicit Sampler(const InputFunction& function) : function_(function) {
    for (std::size_t k = 0; k < kChebyshevPoints; ++k) {
      nodes_[k] = -std::cos(std::numbers::pi * static_cast<double>(k) / kDegree);
    }
  }

  [[nodiscard]] double value(double t) {
    double value = 0.0;
    try {
      value = function_.value(t);
    } catch (const std::exception& problem) {
      throw Failure{fmt::format("the function of the input '{}' failed at time {}: {}", function_.name, t,
                                problem.what())};
    } catch (...) {
      throw Failure{fmt::format("the function of the input '{}' failed at time {}", function_.name, t)};
    }
    if (!std::isfinite(value)) {
      throw Failure{fmt::format("the function of the input '{}' is {} at time {}", function_.name, value, t)};
    }
    return value;
  }

  // From a to b, which are breaks or not; a break at b belongs to what follows.
  flat::Pieces pieces(double a, double b, bool has_break_before, bool has_break_after) {
    end_ = has_break_after ? std::nextafter(b, a) : b;
    segments_.clear();
    if (a == b) {
      Segment& segment = segments_.emplace_back(Segment{a, b, {}});
      segment.coefficients[0] = value(a);
    }
    for (std::size_t k = 0; k < kFirstSegments && a < b; ++k) {
      const auto at = [&](std::size_t place) {
        return a + (b - a) * (static_cast<double>(place) / kFirstSegments);
      };
      divide(at(k), k + 1 == kFirstSegments ? b : at(k + 1));
    }
    flat::Pieces pieces;
    pieces.continuity = kContinuity;
    Numbers knots;
    Numbers origins;
    std::array<Numbers, kChebyshevPoints> numbers;
    const auto add = [&](double origin, const Coefficients& coefficients) {
      origins.push_back(origin);
      for (std::size_t i = 0; i < kChebyshevPoints; ++i) {
        numbers[i].push_back(coefficients[i]);
      }
    };
    // Zero beyond the breaks, so that nothing far away leaves the range of numbers.
    if (has_break_before) {
      add(a, {});
      knots.push_back(a);
    }
    for (const Segment& segment : segments_) {
      add(segment.middle, segment.coefficients);
      knots.push_back(segment.end);
    }
    if (has_break_after) {
      add(b, {});
    } else {
      knots.pop_back();
    }
    pieces.knots = std::make_shared<const Numbers>(std::move(knots));
    pieces.origins = std::make_shared<const Numbers>(std::move(origins));
    std::vector<SharedNumbers>& of_column = pieces.coefficients.emplace_back();
    for (Numbers& of_power : numbers) {
      of_column.push_back(std::make_shared<const Numbers>(std::move(of_power)));
    }
    return pieces;
  }

 private:
  struct Segment {
    double middle = 0.0;
    double end = 0.0;
    Coefficients coefficients{};  // of powers of the distance from the middle
  };

  [[nodiscard]] double before_end(double t) { return value(std::min(t, end_)); }

  [[nodiscard]] Failure not_smooth(double t) const {
    return {fmt::format(
        "the function of the input '{}' is not smooth near time {:.6g}: give the times at which it, or a "
        "derivative of it, jumps",
        function_.name, t)};
  }

  void divide(double a, double b) {
    const double middle = 0.5 * (a + b);
    const double half = 0.5 * (b - a);
    if (segments_.size() >= kMostSegments || !(a < middle && middle < b)) {
      throw not_smooth(middle);
    }
    Coefficients values{};
    double size = 0.0;
    double lowest = HUGE_VAL;
    double highest = -HUGE_VAL;
    for (std::size_t k = 0; k < kChebyshevPoints; ++k) {
      // Ends are met exactly, so that neighbours agree there.
      const double t = k == 0 ? a : k == kDegree ? b : middle + half * nodes_[k];
      values[k] = before_end(t);
      size = std::max(size, std::abs(values[k]));
      lowest = std::min(lowest, values[k]);
      highest = std::max(highest, values[k]);
    }
    // Times are rounded too: late in a run a fast function is not known better.
    const double rounding = kRoundingsOfTime * std::numeric_limits<double>::epsilon() * std::abs(middle) *
                            (highest - lowest) / half;
    const double allowed = kAccuracy * size + rounding;
    if (rounding > kMostRounding * size) {
      throw not_smooth(middle);
    }
    const Coefficients of_share = powers(nodes_, values);
    const bool is_good = std::all_of(kLooks.begin(), kLooks.end(), [&](double s) {
      double found = 0.0;
      for (std::size_t i = kChebyshevPoints; i-- > 0;) {
        found = of_share[i] + s * found;
      }
      return std::abs(found - before_end(middle + half * s)) <= allowed;
    });
    if (!is_good) {
      divide(a, middle);
      divide(middle, b);
      return;
    }
    Segment& segment = segments_.emplace_back(Segment{middle, b, of_share});
    double scale = 1.0;
    for (double& coefficient : segment.coefficients) {
      coefficient /= scale;
      scale *= half;
    }
  }

  const InputFunction& function_;
  std::array<double, kChebyshevPoints> nodes_{};
  double end_ = 0.0;
  std::vector<Segment> segments_;
};

}  // namespace

Result<SampledInput> sample_input(const InputFunction& function, double start, double stop) {
  Diagnostics problems;
  const auto [low, high] = std::minmax(start, stop);
  for (std::size_t k = 0; k < function.breaks.size(); ++k) {
    if (!std::isfinite(function.breaks[k]) || (k > 0 && !(function.breaks[k] > function.breaks[k - 1]))) {
      problems.error(kWrongInputTable,
                     fmt::format("the breaks of the input '{}' must be finite and ascend", function.name));
      return Unexpected(std::move(problems));
    }
  }
  if (!function.value) {
    problems.error(kWrongInputTable, fmt::format("the input '{}' has no function", function.name));
    return Unexpected(std::move(problems));
  }
  SampledInput result;
  result.name = function.name;
  for (const double at : function.breaks) {
    if (at > low && at < high) {
      result.breaks.push_back(at);
    }
  }
  Sampler sampler(function);
  try {
    for (std::size_t k = 0; k <= result.breaks.size(); ++k) {
      const bool is_first = k == 0;
      const bool is_last = k == result.breaks.size();
      result.pieces.push_back(sampler.pieces(is_first ? low : result.breaks[k - 1],
                                             is_last ? high : result.breaks[k], !is_first, !is_last));
    }
  } catch (const Failure& failure) {
    problems.error(kInputFunctionFailed, failure.message);
    return Unexpected(std::move(problems));
  }
  return result;
}

}  // namespace saltus::api
