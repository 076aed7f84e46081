#include "api/optimize/nonlinear_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "api/optimize/convex_program.hpp"

namespace saltus::api {
namespace {

// In units of the sizes: a quarter of a parameter is a bold first step, a thousand times it no bound.
constexpr double kFirstRadius = 0.25;
constexpr double kLargestRadius = 1e3;
// Functions have gradients of length 1 at the start, so that multipliers are of that size: ten times that is enough for most, and what needs a
// million is not met for any.
constexpr double kFirstPenalty = 10.0;
constexpr double kLargestPenalty = 1e6;
// A step is taken for this part of the gain that was predicted, and the region grows for that.
constexpr double kTaken = 1e-4;
constexpr double kGrows = 0.75;
constexpr double kPenaltyOverMultiplier = 1.5;
// Powell's damping.
constexpr double kDamping = 0.2;
// A violation that the linearised constraints lessen by less than this part is not lessened.
constexpr double kNoLess = 1e-3;
// Of steps that lessen the violation alone, the shortest: far less than what the penalty of 1 weighs.
constexpr double kShortest = 1e-4;
// A bound is active where the quadratic model pushes against it by more than this part of the gradients.
constexpr double kPush = 1e-6;
// How far from an unknown that has not moved values are looked at, of its size: the change is the square of it, and beyond the noise.
constexpr double kLook = 1e-2;
// Values are sums of terms, each rounded.
constexpr double kRoundingsOfObjective = 8.0;

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

double largest(const std::vector<double>& values) {
  double found = 0.0;
  for (const double value : values) {
    found = std::max(found, std::abs(value));
  }
  return found;
}

// In units: of unknowns, of the objective and of each constraint.
struct Scaled {
  double f = 0.0;
  std::vector<double> g;
  std::vector<double> c;
  std::vector<double> a;  // [constraint][unknown]
};

struct Step {
  std::vector<double> d;
  std::vector<double> multipliers;  // by constraint, of either sign for equalities
  std::vector<double> pushes;       // of bounds: > 0 at the upper one, < 0 at the lower one
  double left = 0.0;                // violation of the linearised constraints
  double gain = 0.0;                // of the penalty function, predicted
};

class Minimizer {
 public:
  explicit Minimizer(const NonlinearProgram& program)
      : program_(program), n_(program.start.size()), m_(program.is_equality.size()), x_(program.start) {}

  ProgramSolution run() {
    std::optional<ProgramPoint> first = evaluate(x_);
    if (!first) {
      solution_.message = std::exchange(solution_.point.problem, {});
      return finish(ProgramSolution::Status::failed);
    }
    take_units(*first);
    point_ = *std::move(first);
    at_ = scaled(point_);
    hessian_ = linalg::DenseMatrix::identity(static_cast<Index>(n_));
    for (;;) {
      if (std::optional<ProgramSolution::Status> end = iterate()) {
        return finish(*end);
      }
    }
  }

 private:
  std::optional<ProgramPoint> evaluate(const std::vector<double>& x) {
    ++solution_.trials;
    ProgramPoint point = program_.evaluate(x);
    if (!point.problem.empty()) {
      solution_.point.problem = point.problem;
      return std::nullopt;
    }
    return point;
  }

  void take_units(const ProgramPoint& point) {
    const auto length = [&](const double* gradient, double value) {
      double sum = 0.0;
      for (std::size_t i = 0; i < n_; ++i) {
        sum += gradient[i] * program_.sizes[i] * gradient[i] * program_.sizes[i];
      }
      return sum > 0.0 ? std::sqrt(sum) : value != 0.0 ? std::abs(value) : 1.0;
    };
    unit_f_ = length(point.gradient.data(), point.value);
    for (std::size_t j = 0; j < m_; ++j) {
      unit_c_.push_back(length(point.jacobian.data() + j * n_, point.constraints[j]));
    }
  }

  [[nodiscard]] Scaled scaled(const ProgramPoint& point) const {
    Scaled at;
    at.f = point.value / unit_f_;
    for (std::size_t i = 0; i < n_; ++i) {
      at.g.push_back(point.gradient[i] * program_.sizes[i] / unit_f_);
    }
    for (std::size_t j = 0; j < m_; ++j) {
      at.c.push_back(point.constraints[j] / unit_c_[j]);
      for (std::size_t i = 0; i < n_; ++i) {
        at.a.push_back(point.jacobian[j * n_ + i] * program_.sizes[i] / unit_c_[j]);
      }
    }
    return at;
  }

  // Of the objective in its units.
  [[nodiscard]] double noise() const {
    const double known = point_.noise / unit_f_;
    const double rounding = kRoundingsOfObjective * std::numeric_limits<double>::epsilon() * std::abs(at_.f);
    return std::isnan(known) ? program_.noise * std::abs(at_.f) : std::max(known, rounding);
  }

  [[nodiscard]] double violation(const std::vector<double>& c) const {
    double sum = 0.0;
    for (std::size_t j = 0; j < m_; ++j) {
      sum += program_.is_equality[j] ? std::abs(c[j]) : std::max(0.0, c[j]);
    }
    return sum;
  }
  [[nodiscard]] double penalty_function(const Scaled& at) const { return at.f + penalty_ * violation(at.c); }

  // Linearised, with the values c at the point from which d is counted.
  [[nodiscard]] std::vector<double> linear(const std::vector<double>& c, const std::vector<double>& d) const {
    std::vector<double> values = c;
    for (std::size_t j = 0; j < m_; ++j) {
      for (std::size_t i = 0; i < n_; ++i) {
        values[j] += at_.a[j * n_ + i] * d[i];
      }
    }
    return values;
  }

  // z = (d, v): rows for the box, for v ≥ 0 and for the constraints.
  [[nodiscard]] std::optional<Step> find_step(const std::vector<double>& c, double penalty, double radius,
                                              bool has_objective) const {
    const std::size_t n_rows = 2 * n_ + m_ + m_ + n_equalities();
    const auto n = static_cast<Index>(n_ + m_);
    ConvexProgram program{linalg::DenseMatrix(n, n), std::vector<double>(n_ + m_, 0.0),
                          linalg::DenseMatrix(static_cast<Index>(n_rows), n),
                          std::vector<double>(n_rows, 0.0)};
    for (std::size_t i = 0; i < n_; ++i) {
      program.linear[i] = has_objective ? at_.g[i] : 0.0;
      for (std::size_t k = 0; k < n_; ++k) {
        program.hessian(static_cast<Index>(i), static_cast<Index>(k)) =
            has_objective ? hessian_(static_cast<Index>(i), static_cast<Index>(k))
                          : (i == k ? kShortest : 0.0);
      }
    }
    std::vector<double> begin(n_ + m_, 0.0);
    std::vector<double> low(n_);
    std::vector<double> high(n_);
    for (std::size_t i = 0; i < n_; ++i) {
      high[i] = std::min(radius, (program_.upper[i] - x_[i]) / program_.sizes[i]);
      low[i] = std::max(-radius, (program_.lower[i] - x_[i]) / program_.sizes[i]);
      program.rows(static_cast<Index>(2 * i), static_cast<Index>(i)) = 1.0;
      program.limits[2 * i] = high[i];
      program.rows(static_cast<Index>(2 * i + 1), static_cast<Index>(i)) = -1.0;
      program.limits[2 * i + 1] = -low[i];
      begin[i] = 0.5 * (low[i] + high[i]);
    }
    std::size_t row = 2 * n_;
    std::vector<std::pair<std::size_t, double>> row_of;  // constraint and sign
    for (std::size_t j = 0; j < m_; ++j) {
      program.linear[n_ + j] = penalty;
      program.rows(static_cast<Index>(row), static_cast<Index>(n_ + j)) = -1.0;
      ++row;
      begin[n_ + j] = 1.0 + std::abs(c[j]);
    }
    for (std::size_t j = 0; j < m_; ++j) {
      for (const double sign : {1.0, -1.0}) {
        if (sign < 0.0 && !program_.is_equality[j]) {
          continue;
        }
        for (std::size_t i = 0; i < n_; ++i) {
          program.rows(static_cast<Index>(row), static_cast<Index>(i)) = sign * at_.a[j * n_ + i];
        }
        program.rows(static_cast<Index>(row), static_cast<Index>(n_ + j)) = -1.0;
        program.limits[row] = -sign * c[j];
        row_of.emplace_back(j, sign);
        ++row;
      }
    }
    const std::optional<ConvexSolution> found = solve(program, std::move(begin));
    if (!found) {
      return std::nullopt;
    }
    Step step;
    step.d.assign(found->z.begin(), found->z.begin() + static_cast<std::ptrdiff_t>(n_));
    for (std::size_t i = 0; i < n_; ++i) {
      step.d[i] = std::clamp(step.d[i], low[i], high[i]);
      step.pushes.push_back(found->multipliers[2 * i] - found->multipliers[2 * i + 1]);
    }
    step.multipliers.assign(m_, 0.0);
    for (std::size_t k = 0; k < row_of.size(); ++k) {
      step.multipliers[row_of[k].first] += row_of[k].second * found->multipliers[2 * n_ + m_ + k];
    }
    step.left = violation(linear(c, step.d));
    step.gain =
        -dot(at_.g, step.d) - 0.5 * dot(step.d, hessian_ * step.d) + penalty * (violation(at_.c) - step.left);
    return step;
  }

  [[nodiscard]] std::size_t n_equalities() const {
    return static_cast<std::size_t>(
        std::count(program_.is_equality.begin(), program_.is_equality.end(), true));
  }

  // The penalty becomes larger where that lessens the violation of the linearised constraints, as far as they can be met.
  [[nodiscard]] std::optional<Step> choose_step() {
    std::optional<Step> step = find_step(at_.c, penalty_, radius_, true);
    const double enough = 0.1 * program_.accuracy;
    if (!step || step->left <= enough) {
      return step;
    }
    const std::optional<Step> feasible = find_step(at_.c, 1.0, radius_, false);
    if (!feasible) {
      return step;
    }
    // Nine tenths of what can be gained in feasibility.
    const double now = violation(at_.c);
    while (penalty_ < kLargestPenalty && step &&
           step->left - feasible->left > std::max(enough, kNoLess * now) &&
           now - step->left < 0.9 * (now - feasible->left)) {
      penalty_ *= 10.0;
      step = find_step(at_.c, penalty_, radius_, true);
    }
    return step;
  }

  std::optional<ProgramSolution::Status> iterate() {
    if (program_.stop_requested && program_.stop_requested()) {
      solution_.message = "it was interrupted";
      return ProgramSolution::Status::limit;
    }
    if (solution_.iterations >= program_.max_iterations) {
      solution_.message = fmt::format("{} iterations were not enough", program_.max_iterations);
      return ProgramSolution::Status::limit;
    }
    ++solution_.iterations;
    std::optional<Step> step = choose_step();
    if (!step) {
      solution_.message = "the quadratic model cannot be minimised: functions or derivatives are too large";
      return ProgramSolution::Status::limit;
    }
    step_ = *step;
    penalty_ = std::max(penalty_, kPenaltyOverMultiplier * largest(step->multipliers));
    if (std::optional<ProgramSolution::Status> end = verdict(*step)) {
      const bool goes_on = *end == ProgramSolution::Status::converged && leave_start();
      return goes_on ? std::nullopt : end;
    }
    if (!try_step(*step) && !correct(*step)) {
      radius_ = 0.5 * std::min(radius_, largest(step->d));
    }
    return std::nullopt;
  }

  // Whether it is over.
  std::optional<ProgramSolution::Status> verdict(const Step& step) {
    const double now = violation(at_.c);
    const bool is_feasible = now <= program_.accuracy;
    const double length = largest(step.d);
    const bool is_free = length < 0.99 * radius_;  // the trust region does not hold it
    const double floor = std::max(noise(), program_.noise * program_.accuracy);
    if (is_feasible && ((is_free && length <= program_.accuracy) || gain_of_free_step(step) <= floor)) {
      return ProgramSolution::Status::converged;
    }
    if (!is_feasible) {
      const std::optional<Step> feasible = find_step(at_.c, 1.0, std::max(radius_, program_.accuracy), false);
      if (feasible && now - feasible->left <= kNoLess * std::min(now, radius_)) {
        solution_.message = fmt::format(
            "the constraints cannot be met near this point: the violation ({:.3g} in units of "
            "the parameters) does not become less in any direction",
            now);
        return ProgramSolution::Status::infeasible;
      }
    }
    if (radius_ < 1e-3 * program_.accuracy) {
      solution_.message =
          "no step is an improvement: values are less accurate, or not as smooth, as their derivatives say";
      return ProgramSolution::Status::limit;
    }
    return std::nullopt;
  }

  // From where no step has led away, though values beside it are lower.
  bool leave_start() {
    solution_.without_influence.assign(n_, false);
    for (std::size_t i = 0; i < n_; ++i) {
      if (x_[i] != program_.start[i] || std::abs(step_.pushes[i]) > kPush) {
        continue;
      }
      bool is_same = true;
      for (const double sign : {1.0, -1.0}) {
        std::vector<double> d(n_, 0.0);
        d[i] = sign * kLook;
        const std::vector<double> x = moved(d);
        std::optional<ProgramPoint> point = x == x_ ? std::nullopt : evaluate(x);
        if (!point) {
          continue;
        }
        const Scaled there = scaled(*point);
        const double gained = penalty_function(at_) - penalty_function(there);
        if (gained > std::max(noise(), program_.noise * program_.accuracy)) {
          x_ = x;
          at_ = there;
          point_ = *std::move(point);
          hessian_ = linalg::DenseMatrix::identity(static_cast<Index>(n_));
          is_first_update_ = true;
          radius_ = std::max(radius_, kFirstRadius);
          return true;
        }
        is_same = is_same && there.f == at_.f && there.c == at_.c;
      }
      solution_.without_influence[i] = is_same;
    }
    return false;
  }

  // What a step that the trust region does not hold would gain.
  [[nodiscard]] double gain_of_free_step(const Step& step) const {
    const bool is_held = largest(step.d) >= 0.99 * radius_;
    if (!is_held) {
      return step.gain;
    }
    const std::optional<Step> free = find_step(at_.c, penalty_, kFirstRadius, true);
    return free ? free->gain : std::numeric_limits<double>::infinity();
  }

  [[nodiscard]] std::vector<double> moved(const std::vector<double>& d) const {
    std::vector<double> x = x_;
    for (std::size_t i = 0; i < n_; ++i) {
      x[i] = std::clamp(x[i] + d[i] * program_.sizes[i], program_.lower[i], program_.upper[i]);
    }
    return x;
  }

  // Takes it where it is an improvement.
  bool try_step(const Step& step) {
    const std::vector<double> x = moved(step.d);
    std::optional<ProgramPoint> point = evaluate(x);
    if (!point) {
      ++solution_.refused;
      corrected_.clear();
      return false;
    }
    const Scaled there = scaled(*point);
    const double gained = penalty_function(at_) - penalty_function(there);
    const double slack = 0.1 * noise();
    if (!(gained + slack >= kTaken * step.gain) || !(gained + slack > 0.0)) {
      ++solution_.refused;
      corrected_ = there.c;
      return false;
    }
    update_hessian(step, there);
    if (gained >= kGrows * step.gain && largest(step.d) >= 0.99 * radius_) {
      radius_ = std::min(2.0 * radius_, kLargestRadius);
    }
    x_ = x;
    at_ = there;
    point_ = *std::move(point);
    return true;
  }

  // Constraints with their values at the end of the step, minus what the linear model had there.
  bool correct(const Step& step) {
    if (corrected_.empty() || m_ == 0) {
      return false;
    }
    std::vector<double> c = at_.c;
    const std::vector<double> predicted = linear(at_.c, step.d);
    for (std::size_t j = 0; j < m_; ++j) {
      c[j] += corrected_[j] - predicted[j];
    }
    std::optional<Step> second = find_step(c, penalty_, radius_, true);
    if (!second) {
      return false;
    }
    second->gain = step.gain;
    second->multipliers = step.multipliers;
    return try_step(*second);
  }

  // Of the Lagrangian.
  void update_hessian(const Step& step, const Scaled& there) {
    std::vector<double> y(n_);
    for (std::size_t i = 0; i < n_; ++i) {
      y[i] = there.g[i] - at_.g[i];
      for (std::size_t j = 0; j < m_; ++j) {
        y[i] += step.multipliers[j] * (there.a[j * n_ + i] - at_.a[j * n_ + i]);
      }
    }
    const std::vector<double>& s = step.d;
    const double sy = dot(s, y);
    if (std::exchange(is_first_update_, false) && sy > 0.0) {
      hessian_ = (dot(y, y) / sy) * linalg::DenseMatrix::identity(static_cast<Index>(n_));
    }
    const std::vector<double> bs = hessian_ * s;
    const double sbs = dot(s, bs);
    if (!(sbs > 0.0)) {
      return;
    }
    const double theta = sy >= kDamping * sbs ? 1.0 : (1.0 - kDamping) * sbs / (sbs - sy);
    std::vector<double> r(n_);
    for (std::size_t i = 0; i < n_; ++i) {
      r[i] = theta * y[i] + (1.0 - theta) * bs[i];
    }
    const double sr = dot(s, r);
    for (std::size_t i = 0; i < n_ && sr > 0.0; ++i) {
      for (std::size_t k = 0; k < n_; ++k) {
        hessian_(static_cast<Index>(i), static_cast<Index>(k)) += r[i] * r[k] / sr - bs[i] * bs[k] / sbs;
      }
    }
  }

  ProgramSolution finish(ProgramSolution::Status status) {
    solution_.status = status;
    solution_.x = x_;
    if (status == ProgramSolution::Status::failed) {
      return std::move(solution_);
    }
    solution_.point = point_;
    solution_.multipliers.assign(m_, 0.0);
    solution_.is_active.assign(m_, false);
    solution_.at_bound.assign(n_, false);
    solution_.without_influence.resize(n_, false);
    for (std::size_t j = 0; j < m_ && !step_.multipliers.empty(); ++j) {
      solution_.multipliers[j] = step_.multipliers[j] * unit_f_ / unit_c_[j];
      solution_.is_active[j] = std::abs(step_.multipliers[j]) > kPush;
    }
    for (std::size_t i = 0; i < n_ && !step_.pushes.empty(); ++i) {
      const double near = program_.accuracy * program_.sizes[i];
      const bool is_low = x_[i] - program_.lower[i] <= near && step_.pushes[i] < -kPush;
      const bool is_high = program_.upper[i] - x_[i] <= near && step_.pushes[i] > kPush;
      solution_.at_bound[i] = is_low || is_high;
    }
    return std::move(solution_);
  }

  const NonlinearProgram& program_;
  std::size_t n_;
  std::size_t m_;
  std::vector<double> x_;
  ProgramPoint point_;
  Scaled at_;
  double unit_f_ = 1.0;
  std::vector<double> unit_c_;
  linalg::DenseMatrix hessian_;
  bool is_first_update_ = true;
  double radius_ = kFirstRadius;
  double penalty_ = kFirstPenalty;
  Step step_;
  std::vector<double> corrected_;  // constraints at the end of the refused step
  ProgramSolution solution_;
};

}  // namespace

ProgramSolution minimize(const NonlinearProgram& program) {
  return Minimizer(program).run();
}

}  // namespace saltus::api
