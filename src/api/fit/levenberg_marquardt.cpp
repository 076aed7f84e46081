#include "api/fit/levenberg_marquardt.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "api/fit/box_step.hpp"
#include "api/fit/loss.hpp"
#include "linalg/triangular_factor.hpp"

namespace saltus::api {
namespace {

constexpr double kStepOffset = 1e-5;        // of the standard errors; Bates and Watts take 1e-3
constexpr double kFirstDamping = 1e-3;      // Nielsen's τ, for a start that is believed in
constexpr double kLeastGain = 1e-4;         // a step with less is not taken (Moré 1978)
constexpr double kLeastShrink = 1.0 / 3.0;  // of μ in one step (Nielsen)
constexpr double kDampingGrowth = 2.0;      // of μ after a step that failed, doubled each time (Nielsen)
constexpr double kMostDamping = 1e100;      // steps are zero long before; μ must not overflow
constexpr double kShortStep = 0.03;   // in standard errors: that such a step fails is no matter of curvature
constexpr double kKinkOffset = 1e-3;  // of a minimum at a kink; Bates and Watts' own number
constexpr int kKinkTrials = 12;       // of steps along a kink …
constexpr double kKinkGrowth = 4.0;   // … each with so much more damping
constexpr int kBlendSearch = 40;      // thirds: α to 1e-7
// A step so much shorter, relative to x, changes its last digits only.
constexpr double kLeastStep = 1e-15;

class Iteration {
 public:
  Iteration(LeastSquaresProblem& problem, const LeastSquaresOptions& options)
      : problem_(problem), options_(options) {}

  LeastSquaresResult run(std::vector<double> start) {
    result_.point.x = std::move(start);
    const PointOutcome first = problem_.evaluate(result_.point);
    result_.is_held.assign(result_.point.x.size(), 0);
    if (first != PointOutcome::good) {
      return finish(first == PointOutcome::halted ? End::halted : End::impossible);
    }
    scale_.assign(result_.point.x.size(), 0.0);
    take_over();
    while (true) {
      const BoxStep whole = step(0.0);
      result_.is_held = whole.is_held;
      if (is_small(whole)) {
        return finish(End::converged);
      }
      if (result_.iterations == options_.max_iterations) {
        return finish(End::limit);
      }
      if (const std::optional<End> end = advance()) {
        return finish(*end);
      }
      ++result_.iterations;
    }
  }

 private:
  using End = LeastSquaresResult::End;

  LeastSquaresResult finish(End end) {
    result_.end = end;
    return std::move(result_);
  }

  struct Weighted {
    linalg::DenseMatrix jacobian;
    std::vector<double> residuals;
  };
  // As the loss counts them.
  [[nodiscard]] Weighted weighted(const LeastSquaresPoint& point) const {
    Weighted result{point.jacobian, point.residuals};
    for (std::size_t i = 0; i < result.residuals.size(); ++i) {
      const double root = std::sqrt(loss_of(options_.loss, options_.loss_scale, result.residuals[i]).weight);
      result.residuals[i] *= root;
      for (Index j = 0; j < result.jacobian.columns(); ++j) {
        result.jacobian(static_cast<Index>(i), j) *= root;
      }
    }
    return result;
  }

  // Of a new point.
  void take_over() {
    Weighted here = weighted(result_.point);
    for (Index j = 0; j < here.jacobian.columns(); ++j) {
      double sum = 0.0;
      for (const double entry : here.jacobian.column(j)) {
        sum += entry * entry;
      }
      double& scale = largest_[static_cast<std::size_t>(j)];
      scale = std::max(scale, std::sqrt(sum));
      // What nothing depends on does not move, however it is scaled.
      scale_[static_cast<std::size_t>(j)] = scale > 0.0 ? scale : 1.0;
    }
    factor_ = linalg::triangular_factor(std::move(here.jacobian), std::move(here.residuals));
    result_.cost = cost_of(result_.point.residuals, options_.loss, options_.loss_scale);
  }

  [[nodiscard]] BoxStep step(double damping) const { return step_of(factor_, damping); }

  [[nodiscard]] BoxStep step_of(const linalg::TriangularFactor& factor, double damping) const {
    const std::vector<double>& x = result_.point.x;
    BoxProblem box{factor, scale_, options_.lower, options_.upper, damping, options_.least_pivot};
    for (std::size_t j = 0; j < x.size(); ++j) {
      box.lower[j] -= x[j];
      box.upper[j] -= x[j];
    }
    return box_step(box);
  }

  // ‖J·p‖/√n over ‖r + J·p‖/√(m - n): the step in standard errors.
  [[nodiscard]] double offset_of(const BoxStep& whole) const {
    const auto n = static_cast<double>(std::count(whole.is_held.begin(), whole.is_held.end(), 0));
    const double freedom = static_cast<double>(result_.point.residuals.size()) - n;
    return freedom > 0.0 && n > 0.0
               ? whole.length / std::sqrt(n) / std::sqrt((whole.left + factor_.rest) / freedom)
               : std::numeric_limits<double>::infinity();
  }

  [[nodiscard]] bool is_small(const BoxStep& whole) const {
    const double left = std::sqrt(whole.left + factor_.rest);
    return offset_of(whole) <= kStepOffset || whole.length <= result_.point.jacobian_accuracy * left ||
           whole.length <= result_.point.accuracy;
  }

  // One step that lowers the cost, after as many as it takes.
  std::optional<End> advance() {
    while (true) {
      const BoxStep tried = step(damping_);
      LeastSquaresPoint next;
      next.x = moved(tried.p);
      const double promised = 0.5 * (square(factor_.c) - tried.left);
      if (is_same(next.x) || damping_ > kMostDamping) {
        return End::stalled;
      }
      const PointOutcome outcome = problem_.evaluate(next);
      if (outcome == PointOutcome::halted) {
        return End::halted;
      }
      if (outcome == PointOutcome::good) {
        if (const double gain = gain_of(next, promised); gain > kLeastGain) {
          damping_ *= std::max(kLeastShrink, 1.0 - std::pow(2.0 * gain - 1.0, 3));
          growth_ = kDampingGrowth;
          accept(std::move(next));
          return std::nullopt;
        }
        const bool is_short = tried.length <= result_.point.accuracy;
        if (is_short || offset_of(tried) <= kShortStep) {
          switch (step_along_kink(next, is_short || offset_of(tried) <= kKinkOffset)) {
            case KinkOutcome::minimum: result_.is_kink = true; return End::converged;
            case KinkOutcome::moved: return std::nullopt;
            case KinkOutcome::halted: return End::halted;
            case KinkOutcome::none: break;
          }
        }
        if (is_short) {
          return End::stalled;
        }
      }
      damping_ *= growth_;
      growth_ *= 2.0;
    }
  }

  [[nodiscard]] double gain_of(const LeastSquaresPoint& next, double promised) const {
    const double won = result_.cost - cost_of(next.residuals, options_.loss, options_.loss_scale);
    return promised > 0.0 ? won / promised : -1.0;
  }

  void accept(LeastSquaresPoint next) {
    result_.point = std::move(next);
    take_over();
  }

  enum class KinkOutcome { none, minimum, moved, halted };

  // `beyond`: close by, where the gradient is another; `is_near`: so close that the kink is here.
  KinkOutcome step_along_kink(const LeastSquaresPoint& beyond, bool is_near) {
    const std::optional<linalg::TriangularFactor> blended = least_promise(beyond);
    if (!blended) {
      return KinkOutcome::none;
    }
    const BoxStep whole = step_of(*blended, 0.0);
    if (offset_of(whole) <= kKinkOffset || whole.length <= result_.point.accuracy) {
      return is_near ? KinkOutcome::minimum : KinkOutcome::none;
    }
    double damping = kFirstDamping;
    for (int k = 0; k < kKinkTrials; ++k, damping *= kKinkGrowth) {
      const BoxStep tried = step_of(*blended, damping);
      LeastSquaresPoint next;
      next.x = moved(tried.p);
      if (is_same(next.x) || tried.length <= result_.point.accuracy) {
        break;
      }
      const PointOutcome outcome = problem_.evaluate(next);
      if (outcome == PointOutcome::halted) {
        return KinkOutcome::halted;
      }
      if (outcome == PointOutcome::good &&
          gain_of(next, 0.5 * (square(blended->c) - tried.left)) > kLeastGain) {
        accept(std::move(next));
        return KinkOutcome::moved;
      }
    }
    return KinkOutcome::none;
  }

  // R of this side, and Rᵀ·c the blended gradient for which an undamped step promises least: a convex problem in α.
  [[nodiscard]] std::optional<linalg::TriangularFactor> least_promise(const LeastSquaresPoint& beyond) const {
    const std::optional<std::vector<double>> other = right_side_of(beyond);
    if (!other) {
      return std::nullopt;
    }
    linalg::TriangularFactor blended = factor_;
    const auto promise = [&](double alpha) {
      for (std::size_t i = 0; i < blended.c.size(); ++i) {
        blended.c[i] = (1.0 - alpha) * factor_.c[i] + alpha * (*other)[i];
      }
      return square(blended.c) - step_of(blended, 0.0).left;
    };
    double low = 0.0;
    double high = 1.0;
    for (int k = 0; k < kBlendSearch; ++k) {
      const double third = (high - low) / 3.0;
      const bool is_left = promise(low + third) < promise(high - third);
      high = is_left ? high - third : high;
      low = is_left ? low : low + third;
    }
    (void)promise(0.5 * (low + high));
    return blended;
  }

  // c with Rᵀ·c = the gradient there; none: R is singular.
  [[nodiscard]] std::optional<std::vector<double>> right_side_of(const LeastSquaresPoint& beyond) const {
    const Weighted there = weighted(beyond);
    const Index n = factor_.r.columns();
    std::vector<double> c(static_cast<std::size_t>(n));
    for (Index j = 0; j < n; ++j) {
      const double pivot = factor_.r(j, j);
      if (std::abs(pivot) <= options_.least_pivot * scale_[static_cast<std::size_t>(j)]) {
        return std::nullopt;
      }
      const std::span<const double> column = there.jacobian.column(j);
      double sum = std::inner_product(column.begin(), column.end(), there.residuals.begin(), 0.0);
      for (Index i = 0; i < j; ++i) {
        sum -= factor_.r(i, j) * c[static_cast<std::size_t>(i)];
      }
      c[static_cast<std::size_t>(j)] = sum / pivot;
    }
    return c;
  }

  [[nodiscard]] static double square(const std::vector<double>& v) {
    return std::inner_product(v.begin(), v.end(), v.begin(), 0.0);
  }

  [[nodiscard]] std::vector<double> moved(const std::vector<double>& p) const {
    std::vector<double> x = result_.point.x;
    for (std::size_t j = 0; j < x.size(); ++j) {
      // On a bound to the last bit, so that it is known to be there.
      const bool is_lower = p[j] == options_.lower[j] - x[j];
      const bool is_upper = p[j] == options_.upper[j] - x[j];
      x[j] = is_lower   ? options_.lower[j]
             : is_upper ? options_.upper[j]
                        : std::clamp(x[j] + p[j], options_.lower[j], options_.upper[j]);
    }
    return x;
  }

  [[nodiscard]] bool is_same(const std::vector<double>& x) const {
    for (std::size_t j = 0; j < x.size(); ++j) {
      if (std::abs(x[j] - result_.point.x[j]) > kLeastStep * std::abs(result_.point.x[j])) {
        return false;
      }
    }
    return true;
  }

  LeastSquaresProblem& problem_;
  const LeastSquaresOptions& options_;
  LeastSquaresResult result_;
  linalg::TriangularFactor factor_;
  std::vector<double> largest_ = std::vector<double>(options_.lower.size(), 0.0);
  std::vector<double> scale_;
  double damping_ = kFirstDamping;
  double growth_ = kDampingGrowth;
};

}  // namespace

LeastSquaresResult least_squares(LeastSquaresProblem& problem, std::vector<double> start,
                                 const LeastSquaresOptions& options) {
  return Iteration(problem, options).run(std::move(start));
}

double cost_of(const std::vector<double>& residuals, Loss loss, double scale) {
  double sum = 0.0;
  for (const double residual : residuals) {
    sum += loss_of(loss, scale, residual).rho;
  }
  return 0.5 * sum;
}

}  // namespace saltus::api
