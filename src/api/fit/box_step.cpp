#include "api/fit/box_step.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "linalg/minimum_norm.hpp"

namespace saltus::api {
namespace {

// Each set is left for a lower value, so that none comes again but for rounding: more than these is rounding.
constexpr std::size_t kSetsPerParameter = 4;
// A multiplier that is smaller, relative to what its sum is made of, is zero.
constexpr double kZeroMultiplier = 64.0 * std::numeric_limits<double>::epsilon();

enum class Hold : char { free, lower, upper };

class ActiveSets {
 public:
  explicit ActiveSets(const BoxProblem& problem)
      : problem_(problem), n_(problem.scale.size()), p_(n_, 0.0), hold_(n_, Hold::free) {
    for (std::size_t j = 0; j < n_; ++j) {
      if (problem.lower[j] == 0.0 || problem.upper[j] == 0.0) {
        const double slope = multiplier(j).value;
        hold_[j] = problem.lower[j] == 0.0 && slope >= 0.0   ? Hold::lower
                   : problem.upper[j] == 0.0 && slope <= 0.0 ? Hold::upper
                                                             : Hold::free;
      }
      if (problem.lower[j] == problem.upper[j]) {
        hold_[j] = Hold::lower;
      }
    }
  }

  BoxStep run() {
    for (std::size_t k = 0; k < kSetsPerParameter * (n_ + 1); ++k) {
      if (move_to(minimum()) && !release()) {
        break;
      }
    }
    BoxStep step{p_, std::vector<char>(n_), 0.0, 0.0};
    for (std::size_t j = 0; j < n_; ++j) {
      step.is_held[j] = static_cast<char>(hold_[j] != Hold::free);
    }
    for (std::size_t i = 0; i < n_; ++i) {
      const double change = row(i);
      const double left = change + problem_.factor.c[i];
      step.length += change * change;
      step.left += left * left;
    }
    step.length = std::sqrt(step.length);
    return step;
  }

 private:
  [[nodiscard]] double row(std::size_t i) const {
    double sum = 0.0;
    for (std::size_t j = i; j < n_; ++j) {
      sum += problem_.factor.r(static_cast<Index>(i), static_cast<Index>(j)) * p_[j];
    }
    return sum;
  }

  struct Multiplier {
    double value = 0.0;
    double size = 0.0;  ///< sum of the absolute parts
  };
  // Derivative by p_j.
  [[nodiscard]] Multiplier multiplier(std::size_t j) const {
    const double damped = problem_.damping * problem_.scale[j] * problem_.scale[j] * p_[j];
    Multiplier sum{damped, std::abs(damped)};
    for (std::size_t i = 0; i <= j; ++i) {
      const double part =
          problem_.factor.r(static_cast<Index>(i), static_cast<Index>(j)) * (row(i) + problem_.factor.c[i]);
      sum.value += part;
      sum.size += std::abs(part);
    }
    return sum;
  }

  // Over what is free, the rest as it is.
  [[nodiscard]] std::vector<double> minimum() {
    std::vector<std::size_t> free;
    for (std::size_t j = 0; j < n_; ++j) {
      if (hold_[j] == Hold::free) {
        free.push_back(j);
      }
    }
    std::vector<double> result = p_;
    if (free.empty()) {
      return result;
    }
    const bool is_damped = problem_.damping > 0.0;
    const std::size_t rows = n_ + (is_damped ? free.size() : 0);
    solver_.resize(static_cast<Index>(rows), static_cast<Index>(free.size()));
    const std::span<double> matrix = solver_.matrix();
    std::fill(matrix.begin(), matrix.end(), 0.0);
    std::vector<double> b(rows, 0.0);
    for (std::size_t i = 0; i < n_; ++i) {
      double fixed = row(i);
      for (std::size_t k = 0; k < free.size(); ++k) {
        const double entry = problem_.factor.r(static_cast<Index>(i), static_cast<Index>(free[k]));
        fixed -= entry * p_[free[k]];
        matrix[i * free.size() + k] = entry / problem_.scale[free[k]];
      }
      b[i] = -(problem_.factor.c[i] + fixed);
    }
    for (std::size_t k = 0; is_damped && k < free.size(); ++k) {
      matrix[(n_ + k) * free.size() + k] = std::sqrt(problem_.damping);
    }
    if (!solver_.factorize(problem_.least_pivot)) {
      return result;  // numbers beyond the range: nothing moves
    }
    std::vector<double> scaled(free.size());
    solver_.solve(b, scaled);
    for (std::size_t k = 0; k < free.size(); ++k) {
      result[free[k]] = scaled[k] / problem_.scale[free[k]];
    }
    return result;
  }

  // True: arrived; else what a bound stopped is held from now on.
  bool move_to(const std::vector<double>& target) {
    double part = 1.0;
    for (std::size_t j = 0; j < n_; ++j) {
      const double bound = target[j] < problem_.lower[j]   ? problem_.lower[j]
                           : target[j] > problem_.upper[j] ? problem_.upper[j]
                                                           : target[j];
      if (bound != target[j]) {
        part = std::min(part, (bound - p_[j]) / (target[j] - p_[j]));
      }
    }
    if (part == 1.0) {
      p_ = target;
      return true;
    }
    part = std::max(part, 0.0);
    for (std::size_t j = 0; j < n_; ++j) {
      if (hold_[j] != Hold::free) {
        continue;
      }
      const double next = p_[j] + part * (target[j] - p_[j]);
      if (target[j] < problem_.lower[j] && (bound_part(j, target[j], problem_.lower[j]) <= part)) {
        p_[j] = problem_.lower[j];
        hold_[j] = Hold::lower;
      } else if (target[j] > problem_.upper[j] && (bound_part(j, target[j], problem_.upper[j]) <= part)) {
        p_[j] = problem_.upper[j];
        hold_[j] = Hold::upper;
      } else {
        p_[j] = std::clamp(next, problem_.lower[j], problem_.upper[j]);
      }
    }
    return false;
  }

  [[nodiscard]] double bound_part(std::size_t j, double target, double bound) const {
    return (bound - p_[j]) / (target - p_[j]);
  }

  // False: every bound that holds is needed.
  bool release() {
    std::size_t worst = n_;
    double most = 0.0;
    for (std::size_t j = 0; j < n_; ++j) {
      if (hold_[j] == Hold::free || problem_.lower[j] == problem_.upper[j]) {
        continue;
      }
      const Multiplier slope = multiplier(j);
      const double inward = (hold_[j] == Hold::lower ? -slope.value : slope.value) / problem_.scale[j];
      if (std::abs(slope.value) > kZeroMultiplier * slope.size && inward > most) {
        most = inward;
        worst = j;
      }
    }
    if (worst == n_) {
      return false;
    }
    hold_[worst] = Hold::free;
    return true;
  }

  const BoxProblem& problem_;
  std::size_t n_;
  std::vector<double> p_;
  std::vector<Hold> hold_;
  linalg::MinimumNorm solver_;
};

}  // namespace

BoxStep box_step(const BoxProblem& problem) {
  return ActiveSets(problem).run();
}

}  // namespace saltus::api
