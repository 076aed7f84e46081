#include "flat/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "base/number_text.hpp"

namespace saltus::flat {
namespace {

constexpr std::size_t kMostCoefficients = 4;
using Cubic = std::array<double, kMostCoefficients>;

// Second derivatives of the natural spline at its points.
Numbers second_derivatives(const Numbers& x, const Numbers& y) {
  const std::size_t n = x.size();
  Numbers second(n, 0.0);
  Numbers above(n, 0.0);  // the elimination's own
  for (std::size_t k = 1; k + 1 < n; ++k) {
    const double left = x[k] - x[k - 1];
    const double right = x[k + 1] - x[k];
    const double bend = 6.0 * ((y[k + 1] - y[k]) / right - (y[k] - y[k - 1]) / left);
    const double pivot = 2.0 * (left + right) - left * above[k - 1];
    above[k] = right / pivot;
    second[k] = (bend - left * second[k - 1]) / pivot;
  }
  for (std::size_t k = n - 1; k-- > 1;) {
    second[k] -= above[k] * second[k + 1];
  }
  return second;
}

// Polynomials of the intervals between successive points, in x - xₖ.
std::vector<Cubic> polynomials(const Numbers& x, const Numbers& y, Interpolation rule) {
  std::vector<Cubic> result;
  const Numbers second = rule == Interpolation::cubic ? second_derivatives(x, y) : Numbers();
  for (std::size_t k = 0; k + 1 < x.size(); ++k) {
    const double h = x[k + 1] - x[k];
    if (rule == Interpolation::hold) {
      result.push_back({y[k], 0.0, 0.0, 0.0});
      continue;
    }
    const double slope = h > 0.0 ? (y[k + 1] - y[k]) / h : 0.0;
    if (rule == Interpolation::linear) {
      result.push_back({y[k], slope, 0.0, 0.0});
    } else {
      result.push_back({y[k], slope - h * (2.0 * second[k] + second[k + 1]) / 6.0, 0.5 * second[k],
                        (second[k + 1] - second[k]) / (6.0 * h)});
    }
  }
  return result;
}

struct Segment {
  double begin = 0.0;  // not read of the first
  double origin = 0.0;
  std::vector<Cubic> of_column;
};

// Whether `next` goes on as `last` does: the knot between them is none. Exact: what differs by rounding is kept apart.
bool continues(const Segment& last, const Segment& next) {
  for (std::size_t j = 0; j < next.of_column.size(); ++j) {
    const Cubic& a = last.of_column[j];
    const Cubic& b = next.of_column[j];
    const bool is_line = a[2] == 0.0 && a[3] == 0.0 && b[2] == 0.0 && b[3] == 0.0;
    if (!is_line || a[1] != b[1] || a[0] + (next.begin - last.origin) * a[1] != b[0]) {
      return false;
    }
  }
  return true;
}

// A spline goes on beyond its ends; the others have what they hold there.
std::vector<Segment> segments_of(const Numbers& x, std::span<const Numbers> columns, Interpolation rule) {
  const bool has_outer = rule != Interpolation::cubic || x.size() < 2;
  std::vector<std::vector<Cubic>> inner;
  Segment first{.begin = x.front(), .origin = x.front(), .of_column = {}};
  Segment last{.begin = x.back(), .origin = x.back(), .of_column = {}};
  for (const Numbers& y : columns) {
    inner.push_back(polynomials(x, y, rule));
    first.of_column.push_back({y.front(), 0.0, 0.0, 0.0});
    last.of_column.push_back({y.back(), 0.0, 0.0, 0.0});
  }
  std::vector<Segment> segments;
  const auto add = [&segments](Segment next) {
    if (segments.empty() || !continues(segments.back(), next)) {
      segments.push_back(std::move(next));
    }
  };
  if (has_outer) {
    add(std::move(first));
  }
  for (std::size_t k = 0; k + 1 < x.size(); ++k) {
    if (x[k + 1] > x[k]) {
      Segment next{.begin = x[k], .origin = x[k], .of_column = {}};
      for (const std::vector<Cubic>& of_column : inner) {
        next.of_column.push_back(of_column[k]);
      }
      add(std::move(next));
    }
  }
  if (has_outer) {
    add(std::move(last));
  }
  return segments;
}

SharedNumbers shared(Numbers numbers) {
  return std::make_shared<const Numbers>(std::move(numbers));
}

}  // namespace

std::optional<Interpolation> interpolation_of(std::string_view name) {
  return name == "linear"  ? std::optional(Interpolation::linear)
         : name == "hold"  ? std::optional(Interpolation::hold)
         : name == "cubic" ? std::optional(Interpolation::cubic)
                           : std::nullopt;
}

std::string table_problem(std::string_view argument, const Numbers& x, Interpolation rule) {
  if (x.empty()) {
    return "there are no points";
  }
  for (std::size_t k = 0; k < x.size(); ++k) {
    const auto place = [&] { return fmt::format("{} = {} (point {})", argument, number_text(x[k]), k + 1); };
    if (!std::isfinite(x[k])) {
      return fmt::format("{} is not finite", place());
    }
    if (k > 0 && x[k] < x[k - 1]) {
      return fmt::format("{} comes after {}: points must ascend", place(), number_text(x[k - 1]));
    }
    if (k > 0 && x[k] == x[k - 1] && rule != Interpolation::linear) {
      return fmt::format("{} is given twice, which is a step with the rule 'linear' only", place());
    }
    if (k > 1 && x[k] == x[k - 2]) {
      return fmt::format("{} is given three times; twice is a step", place());
    }
  }
  return {};
}

Pieces pieces_of(const Numbers& x, std::span<const Numbers> columns, Interpolation rule) {
  const std::vector<Segment> segments = segments_of(x, columns, rule);
  Numbers knots;
  Numbers origins;
  for (std::size_t k = 0; k < segments.size(); ++k) {
    if (k > 0) {
      knots.push_back(segments[k].begin);
    }
    origins.push_back(segments[k].origin);
  }
  Pieces pieces;
  pieces.knots = shared(std::move(knots));
  pieces.origins = shared(std::move(origins));
  const bool has_step = std::adjacent_find(x.begin(), x.end()) != x.end();
  pieces.continuity = rule == Interpolation::cubic ? 2 : rule == Interpolation::hold || has_step ? -1 : 0;
  for (std::size_t j = 0; j < columns.size(); ++j) {
    std::vector<SharedNumbers>& coefficients = pieces.coefficients.emplace_back();
    std::size_t n = kMostCoefficients;
    while (n > 1 && std::all_of(segments.begin(), segments.end(),
                                [&](const Segment& segment) { return segment.of_column[j][n - 1] == 0.0; })) {
      --n;
    }
    for (std::size_t i = 0; i < n; ++i) {
      Numbers numbers;
      for (const Segment& segment : segments) {
        numbers.push_back(segment.of_column[j][i]);
      }
      coefficients.push_back(shared(std::move(numbers)));
    }
  }
  if (rule == Interpolation::cubic && x.size() > 1) {
    pieces.ends = shared({x.front(), x.back()});
    pieces.is_inside = shared({0.0, 1.0, 0.0});
    for (const Numbers& y : columns) {
      pieces.outside.push_back(shared({y.front(), 0.0, y.back()}));
    }
  }
  return pieces;
}

NodeId interpolant(expr::Graph& graph, NodeId argument, const Pieces& pieces, std::size_t column,
                   const HeldBySegment& held) {
  const auto number = [&](const SharedNumbers& numbers) {
    return pieces.knots->empty() ? graph.constant(numbers->front())
                                 : held(pieces.knots, numbers, pieces.continuity);
  };
  const std::vector<SharedNumbers>& coefficients = pieces.coefficients[column];
  NodeId value = number(coefficients.back());
  if (coefficients.size() > 1) {
    const NodeId distance = graph.subtract(argument, number(pieces.origins));
    for (std::size_t i = coefficients.size() - 1; i-- > 0;) {
      value = graph.add(number(coefficients[i]), graph.multiply(distance, value));
    }
  }
  if (pieces.ends == nullptr) {
    return value;
  }
  const auto at_ends = [&](const SharedNumbers& numbers) { return held(pieces.ends, numbers, 0); };
  return graph.add(at_ends(pieces.outside[column]), graph.multiply(at_ends(pieces.is_inside), value));
}

}  // namespace saltus::flat
