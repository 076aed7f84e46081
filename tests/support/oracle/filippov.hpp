/// One switching surface with any fields on its two sides, solved slowly in long double.
///
/// Method       RK4 with small fixed steps; the surface is found by bisection of the last step; on the surface the
///              directions ∇g·f± decide: through, or sliding with Filippov's α = ∇g·f₋ / ∇g·(f₋ − f₊); sliding ends
///              where ∇g·f₊ or ∇g·f₋ changes its sign. The state is put back onto the surface along ∇g after every step.
/// Contract     Shares nothing with src. Errors are O(h⁴) and below 1e-11 at the default step for fields of order one.
#pragma once

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "support/oracle/switched_system.hpp"

namespace saltus::test::oracle {

struct FilippovProblem {
  std::function<Vector(Real, const Vector&)> above;  ///< f₊, where g > 0
  std::function<Vector(Real, const Vector&)> below;  ///< f₋
  std::function<Real(Real, const Vector&)> g;
  std::function<Vector(Real, const Vector&)> gradient;                                       ///< ∂g/∂x
  std::function<Real(Real, const Vector&)> rate = [](Real, const Vector&) { return 0.0L; };  ///< ∂g/∂t
  Vector x0;
  Real stop = 1;
};

struct FilippovRun {
  struct Event {
    Real time = 0;
    std::string kind;
  };
  std::vector<Event> events;
  Vector x;
};

class FilippovSolver {
 public:
  FilippovSolver(const FilippovProblem& problem, Real step) : problem_(problem), h_(step), x_(problem.x0) {}

  FilippovRun run() {
    side_ = problem_.g(0, x_) > 0 ? 1 : -1;
    while (t_ < problem_.stop) {
      const Real h = std::min(h_, problem_.stop - t_);
      const Vector next = advanced(h);
      if (is_beyond(t_ + h, next)) {
        Real low = 0;
        Real high = h;
        for (int k = 0; k < 70; ++k) {
          const Real middle = (low + high) / 2;
          (is_beyond(t_ + middle, advanced(middle)) ? high : low) = middle;
        }
        x_ = advanced(high);
        t_ += high;
        switch_sides();
      } else {
        x_ = next;
        t_ += h;
        if (side_ == 0) {
          put_back();
        }
        skip_ = false;
      }
    }
    result_.x = x_;
    return result_;
  }

 private:
  static Real dot(const Vector& a, const Vector& b) {
    Real sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      sum += a[i] * b[i];
    }
    return sum;
  }
  [[nodiscard]] Real direction(Real t, const Vector& x, const Vector& field) const {
    return dot(problem_.gradient(t, x), field) + problem_.rate(t, x);
  }
  [[nodiscard]] Vector field(Real t, const Vector& x) const {
    if (side_ != 0) {
      return side_ > 0 ? problem_.above(t, x) : problem_.below(t, x);
    }
    const Vector up = problem_.above(t, x);
    const Vector down = problem_.below(t, x);
    const Real rise = direction(t, x, up);
    const Real fall = direction(t, x, down);
    const Real alpha = fall / (fall - rise);
    Vector mixed(up.size());
    for (std::size_t i = 0; i < up.size(); ++i) {
      mixed[i] = alpha * up[i] + (1 - alpha) * down[i];
    }
    return mixed;
  }
  [[nodiscard]] Vector advanced(Real h) const {
    const auto moved = [&](const Vector& k, Real factor) {
      Vector y = x_;
      for (std::size_t i = 0; i < y.size(); ++i) {
        y[i] += factor * k[i];
      }
      return y;
    };
    const Vector k1 = field(t_, x_);
    const Vector k2 = field(t_ + h / 2, moved(k1, h / 2));
    const Vector k3 = field(t_ + h / 2, moved(k2, h / 2));
    const Vector k4 = field(t_ + h, moved(k3, h));
    Vector y = x_;
    for (std::size_t i = 0; i < y.size(); ++i) {
      y[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
    }
    return y;
  }
  /// Whether the stretch has ended before (t, x): the surface crossed, or one side no longer pushes.
  [[nodiscard]] bool is_beyond(Real t, const Vector& x) const {
    if (side_ != 0) {
      // Just after an event g is zero to rounding: the first step leaves the surface and is not looked at.
      return !skip_ && static_cast<Real>(side_) * problem_.g(t, x) < 0;
    }
    return direction(t, x, problem_.above(t, x)) > 0 || direction(t, x, problem_.below(t, x)) < 0;
  }
  void switch_sides() {
    const Real rise = direction(t_, x_, problem_.above(t_, x_));
    const Real fall = direction(t_, x_, problem_.below(t_, x_));
    if (side_ == 0) {
      side_ = rise > 0 ? 1 : -1;
      result_.events.push_back({t_, "slide_exit"});
    } else if (rise < 0 && fall > 0) {
      side_ = 0;
      put_back();
      result_.events.push_back({t_, "slide_enter"});
    } else {
      side_ = -side_;
      result_.events.push_back({t_, "condition"});
    }
    skip_ = side_ != 0;
  }
  void put_back() {
    const Vector gradient = problem_.gradient(t_, x_);
    const Real factor = problem_.g(t_, x_) / dot(gradient, gradient);
    for (std::size_t i = 0; i < x_.size(); ++i) {
      x_[i] -= factor * gradient[i];
    }
  }

  const FilippovProblem& problem_;
  Real h_;
  Real t_ = 0;
  Vector x_;
  int side_ = 1;  ///< 0: sliding
  bool skip_ = false;
  FilippovRun result_;
};

[[nodiscard]] inline FilippovRun solve(const FilippovProblem& problem, Real step = 1.0L / 2048) {
  return FilippovSolver(problem, step).run();
}

}  // namespace saltus::test::oracle
