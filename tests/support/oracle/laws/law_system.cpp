#include "support/oracle/laws/law_system.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace saltus::test::laws {
namespace {

constexpr std::size_t kParts = 6;
constexpr std::size_t kMostSteps = 400000;
constexpr double kFewestSteps = 300;

double value_of(const Terms& terms, const std::vector<double>& x) {
  double sum = 0;
  for (const Term& term : terms) {
    sum += term.factor * x[term.state];
  }
  return sum;
}

/// LU with partial pivoting, in place; false where it is singular.
class Solver {
 public:
  bool factorize(std::vector<double> matrix, std::size_t n) {
    matrix_ = std::move(matrix);
    n_ = n;
    pivots_.resize(n);
    for (std::size_t k = 0; k < n; ++k) {
      std::size_t best = k;
      for (std::size_t i = k + 1; i < n; ++i) {
        best = std::abs(matrix_[i * n + k]) > std::abs(matrix_[best * n + k]) ? i : best;
      }
      pivots_[k] = best;
      for (std::size_t j = 0; j < n; ++j) {
        std::swap(matrix_[k * n + j], matrix_[best * n + j]);
      }
      if (matrix_[k * n + k] == 0) {
        return false;
      }
      for (std::size_t i = k + 1; i < n; ++i) {
        const double factor = matrix_[i * n + k] /= matrix_[k * n + k];
        for (std::size_t j = k + 1; factor != 0 && j < n; ++j) {
          matrix_[i * n + j] -= factor * matrix_[k * n + j];
        }
      }
    }
    return true;
  }
  void solve(std::vector<double>& b) const {
    for (std::size_t k = 0; k < n_; ++k) {
      std::swap(b[k], b[pivots_[k]]);
    }
    for (std::size_t i = 0; i < n_; ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        b[i] -= matrix_[i * n_ + j] * b[j];
      }
    }
    for (std::size_t i = n_; i-- > 0;) {
      for (std::size_t j = i + 1; j < n_; ++j) {
        b[i] -= matrix_[i * n_ + j] * b[j];
      }
      b[i] /= matrix_[i * n_ + i];
    }
  }

 private:
  std::vector<double> matrix_;
  std::vector<std::size_t> pivots_;
  std::size_t n_ = 0;
};

/// A step of length h from (t, x) with its error; false: it cannot be made.
bool extrapolated_step(const LawSystem& system, double t, const std::vector<double>& x, double h,
                       double epsilon, std::vector<double>& result, std::vector<double>& error) {
  const std::size_t n = system.size();
  const std::vector<double> jacobian = slopes(system, x, epsilon);
  std::vector<std::vector<double>> row;
  std::vector<std::vector<double>> before;
  Solver solver;
  for (std::size_t parts = 1; parts <= kParts; ++parts) {
    const double part = h / static_cast<double>(parts);
    std::vector<double> matrix(n * n);
    for (std::size_t i = 0; i < n * n; ++i) {
      matrix[i] = (i % (n + 1) == 0 ? 1.0 : 0.0) - part * jacobian[i];
    }
    if (!solver.factorize(std::move(matrix), n)) {
      return false;
    }
    std::vector<double> y = x;
    for (std::size_t k = 0; k < parts; ++k) {
      std::vector<double> step = rates(system, t + static_cast<double>(k + 1) * part, y, epsilon);
      std::for_each(step.begin(), step.end(), [part](double& value) { value *= part; });
      solver.solve(step);
      for (std::size_t i = 0; i < n; ++i) {
        y[i] += step[i];
      }
    }
    before = std::move(row);
    row = {y};
    for (std::size_t k = 1; k < parts; ++k) {
      const double ratio = static_cast<double>(parts) / static_cast<double>(parts - k) - 1.0;
      std::vector<double> next(n);
      for (std::size_t i = 0; i < n; ++i) {
        next[i] = row[k - 1][i] + (row[k - 1][i] - before[k - 1][i]) / ratio;
      }
      row.push_back(std::move(next));
    }
  }
  result = row[kParts - 1];
  error = row[kParts - 1];
  for (std::size_t i = 0; i < n; ++i) {
    error[i] -= row[kParts - 2][i];
  }
  return std::all_of(result.begin(), result.end(), [](double value) { return std::isfinite(value); });
}

/// Steps are linear in the laws: one that bends sharply within a step holds the solution where its tangent would, in all parts alike.
bool bends(const LawSystem& system, const std::vector<double>& x, const std::vector<double>& end,
           double epsilon) {
  constexpr double kMostBent = 0.05;
  return std::any_of(system.elements.begin(), system.elements.end(), [&](const Element& element) {
    const double a = value_of(element.argument, x) + element.offset;
    const double b = value_of(element.argument, end) + element.offset;
    const double tangent = law(element.kind, a, epsilon) + slope(element.kind, a, epsilon) * (b - a);
    return element.kind == LawKind::sign && std::abs(law(element.kind, b, epsilon) - tangent) > kMostBent;
  });
}

/// No evaluation lies at the end of a step: a law that has changed its side there may not have been seen. Where that is so, the part of the step
/// that ends just before; 1: nothing has changed, or within ε.
double part_before_change(const LawSystem& system, const std::vector<double>& x,
                          const std::vector<double>& end, double epsilon) {
  constexpr double kBefore = 0.999;
  double part = 1.0;
  for (const Element& element : system.elements) {
    const double a = value_of(element.argument, x) + element.offset;
    const double b = value_of(element.argument, end) + element.offset;
    if (element.kind != LawKind::linear && a * b < 0 && std::abs(b - a) > epsilon) {
      part = std::min(part, std::max(kBefore * std::abs(a), 0.5 * epsilon) / std::abs(b - a));
    }
  }
  return part;
}

}  // namespace

double law(LawKind kind, double d, double epsilon) {
  switch (kind) {
    case LawKind::root_one_way:
      if (d <= 0) {
        return 0;
      }
      [[fallthrough]];
    case LawKind::root_both_ways: return d == 0 ? 0 : d / std::sqrt(std::hypot(d, epsilon));
    case LawKind::sign: return d / std::hypot(d, epsilon);
    case LawKind::linear: return d;
  }
  return 0;
}

double slope(LawKind kind, double d, double epsilon) {
  const double size = std::hypot(d, epsilon);
  switch (kind) {
    case LawKind::root_one_way:
      if (d <= 0) {
        return 0;
      }
      [[fallthrough]];
    case LawKind::root_both_ways: {
      const double part = d / size;
      return (1.0 - 0.5 * part * part) / std::sqrt(size);
    }
    case LawKind::sign: return epsilon * epsilon / (size * size * size);
    case LawKind::linear: return 1;
  }
  return 0;
}

std::vector<double> rates(const LawSystem& system, double t, const std::vector<double>& x, double epsilon) {
  std::vector<double> rate(system.size(), 0.0);
  for (const Element& element : system.elements) {
    const double value = law(element.kind, value_of(element.argument, x) + element.offset, epsilon);
    for (const Term& term : element.effect) {
      rate[term.state] += term.factor * value;
    }
  }
  for (const Forcing& forcing : system.forcings) {
    // A step that ends where a source does is still within it; one that begins there is not yet.
    if (t > forcing.begin && t <= forcing.end) {
      rate[forcing.state] += forcing.amplitude *
                             (forcing.frequency == 0 ? 1.0 : std::sin(forcing.frequency * t + forcing.phase));
    }
  }
  return rate;
}

std::vector<double> slopes(const LawSystem& system, const std::vector<double>& x, double epsilon) {
  const std::size_t n = system.size();
  std::vector<double> matrix(n * n, 0.0);
  for (const Element& element : system.elements) {
    const double value = slope(element.kind, value_of(element.argument, x) + element.offset, epsilon);
    for (const Term& row : element.effect) {
      for (const Term& column : element.argument) {
        matrix[row.state * n + column.state] += row.factor * value * column.factor;
      }
    }
  }
  return matrix;
}

std::vector<std::vector<double>> solve_regularised(const LawSystem& system, const std::vector<double>& times,
                                                   double epsilon, double tolerance) {
  std::vector<double> ends = times;
  for (const Forcing& forcing : system.forcings) {
    ends.push_back(forcing.begin);
    ends.push_back(forcing.end);
  }
  std::sort(ends.begin(), ends.end());
  std::vector<std::vector<double>> result;
  std::vector<double> x = system.start;
  std::vector<double> next;
  std::vector<double> error;
  double t = 0;
  // Longer steps might not see a law that is switched on and off within them.
  const double longest = system.stop / kFewestSteps;
  double h = longest;
  std::size_t n_steps = 0;
  for (const double end : ends) {
    if (end > times.back()) {
      break;
    }
    while (t < end) {
      h = std::min(h, longest);
      const bool is_last = t + h >= end;
      const double step = is_last ? end - t : h;
      if (++n_steps > kMostSteps) {
        return {};
      }
      if (!extrapolated_step(system, t, x, step, epsilon, next, error)) {
        h = 0.1 * step;
        continue;
      }
      if (const double part = part_before_change(system, x, next, epsilon); part < 1.0) {
        h = part * step;
        continue;
      }
      if (bends(system, x, next, epsilon)) {
        h = 0.3 * step;
        continue;
      }
      double size = 0;
      for (std::size_t i = 0; i < x.size(); ++i) {
        size = std::max(size, std::abs(error[i]) / (tolerance * (1.0 + std::abs(x[i]))));
      }
      const double factor = std::clamp(0.8 * std::pow(std::max(size, 1e-10), -1.0 / kParts), 0.1, 4.0);
      if (size <= 1.0) {
        t = is_last ? end : t + step;
        x = next;
        h = is_last && factor >= 1.0 ? std::max(h, factor * step) : factor * step;
      } else {
        h = factor * step;
      }
    }
    for (std::size_t k = result.size(); k < times.size() && times[k] <= end; ++k) {
      result.push_back(x);
    }
  }
  return result;
}

}  // namespace saltus::test::laws
