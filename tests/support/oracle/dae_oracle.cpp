#include "support/oracle/dae_oracle.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "support/oracle/integrated_jump.hpp"
#include "support/oracle/linear_flow.hpp"
#include "support/oracle/polynomial_root.hpp"
#include "support/oracle/tiered_nearest.hpp"

namespace saltus::test::oracle {
namespace {

constexpr std::size_t kDegree = 18;
constexpr Real kStepNorm = 0.2371398746512L;
/// A guard nearer to zero than this after a jump decides nothing: the numbers involved are of order one.
constexpr Real kZero = 1e-12L;
/// What a transition sets is off by less where the system was perturbed, and by numbers of order one where it contradicts.
constexpr Real kContradiction = 1e-5L;

/// S of w' = S w.
Matrix generator(Real omega) {
  Matrix s(kForcings, Vector(kForcings, 0));
  s[1][0] = 1;
  s[2][1] = 2;
  s[3][4] = omega;
  s[4][3] = -omega;
  return s;
}

/// K of y₂ = K w: -Σ Nⁱ B₂ Sⁱ
Matrix algebraic_part(const DaeMode& mode, Real omega) {
  const Matrix s = generator(omega);
  Matrix term(mode.b.begin() + static_cast<std::ptrdiff_t>(mode.d), mode.b.end());
  Matrix k(term.size(), Vector(kForcings, 0));
  for (std::size_t power = 0; power <= mode.n.size(); ++power) {
    for (std::size_t i = 0; i < k.size(); ++i) {
      for (std::size_t j = 0; j < kForcings; ++j) {
        k[i][j] -= term[i][j];
      }
    }
    term = product(mode.n, product(term, s));
  }
  return k;
}

Vector with_forcings(const Vector& y, Real omega, Real t) {
  Vector z = y;
  const Vector w = forcings(omega, t);
  z.insert(z.end(), w.begin(), w.end());
  return z;
}

Real norm_of(const Matrix& m) {
  Real norm = 0.25L;
  for (const Vector& row : m) {
    Real sum = 0;
    for (const Real value : row) {
      sum += std::abs(value);
    }
    norm = std::max(norm, sum);
  }
  return norm;
}

/// Coefficients of the Taylor series of z.
std::vector<Vector> series_of(const Matrix& m, const Vector& z) {
  std::vector<Vector> series{z};
  for (std::size_t k = 1; k <= kDegree; ++k) {
    series.push_back(times(m, series.back()));
    for (Real& value : series.back()) {
      value /= static_cast<Real>(k);
    }
  }
  return series;
}

Vector value_at(const std::vector<Vector>& series, Real theta) {
  Vector z(series[0].size(), 0);
  for (std::size_t k = series.size(); k-- > 0;) {
    for (std::size_t i = 0; i < z.size(); ++i) {
      z[i] = z[i] * theta + series[k][i];
    }
  }
  return z;
}

/// y₁ of the mode whose x is nearest; none where what is set cannot be.
std::optional<Vector> nearest_coordinates(const SwitchedDae& system, std::size_t mode, const DaeFlow& flow,
                                          Real t, const Vector& x, const std::vector<bool>& is_set) {
  const Vector w = forcings(system.omega, t);
  const DaeMode& target = system.modes[mode];
  TieredNearest nearest(flow.d);
  for (const bool first : {true, false}) {
    for (const bool set : {true, false}) {
      Matrix rows;
      Vector wanted;
      for (std::size_t i = 0; i < system.n(); ++i) {
        if (is_set[i] == set && target.comes_first[i] == first && target.is_differential(i)) {
          const auto split = flow.x[i].begin() + static_cast<std::ptrdiff_t>(flow.d);
          rows.emplace_back(flow.x[i].begin(), split);
          std::for_each(rows.back().begin(), rows.back().end(),
                        [&](Real& value) { value /= system.nominal[i]; });
          wanted.push_back((x[i] - dot(Vector(split, flow.x[i].end()), w)) / system.nominal[i]);
        }
      }
      if (nearest.add_tier(rows, wanted) > kContradiction && set) {
        return std::nullopt;
      }
    }
  }
  return nearest.point();
}

class Solver {
 public:
  explicit Solver(const SwitchedDae& system) : system_(system) {
    for (std::size_t m = 0; m < system.modes.size(); ++m) {
      flows_.emplace_back(system, m);
    }
    z_ = with_forcings(system.y0, system.omega, 0);
  }

  DaeRun run() {
    run_.x0 = x();
    for (const DaeTransition& transition : system_.modes[0].transitions) {
      if (transition.g.at(0, run_.x0) > -kZero) {
        fail("a transition holds at the start");
      }
    }
    while (run_.outcome == DaeRun::Outcome::complete && t_ < system_.stop) {
      step();
    }
    if (run_.outcome == DaeRun::Outcome::complete) {
      run_.x = x();
      run_.mode = mode_;
    }
    return run_;
  }

 private:
  [[nodiscard]] Vector x() const { return times(flows_[mode_].x, z_); }
  void fail(const char* why) {
    run_.outcome = DaeRun::Outcome::ambiguous;
    run_.why = why;
  }

  void step() {
    const DaeFlow& flow = flows_[mode_];
    const Real h = std::min(kStepNorm / norm_of(flow.m), system_.stop - t_);
    const std::vector<Vector> series = series_of(flow.m, z_);
    std::vector<Vector> x_series;
    for (const Vector& z : series) {
      x_series.push_back(times(flow.x, z));
    }
    Real first = h;
    const DaeTransition* taken = nullptr;
    for (const DaeTransition& transition : system_.modes[mode_].transitions) {
      Polynomial g;
      for (const Vector& coefficient : x_series) {
        g.push_back(dot(transition.g.c, coefficient));
      }
      g[0] += transition.g.e + transition.g.f * t_;
      g[1] += transition.g.f;
      const std::vector<Real> roots = sign_changes(g, h);
      if (!roots.empty() && roots.front() < first) {
        first = roots.front();
        taken = &transition;
      }
    }
    z_ = value_at(series, first);
    t_ = taken == nullptr && first == system_.stop - t_ ? system_.stop : t_ + first;
    restore_forcings();
    if (taken != nullptr) {
      instant(*taken);
    }
  }

  /// Their series are exact as well; this keeps rounding from adding up.
  void restore_forcings() {
    z_.resize(flows_[mode_].d);
    z_ = with_forcings(z_, system_.omega, t_);
  }

  void instant(const DaeTransition& first) {
    if (!run_.events.empty()) {
      run_.closest = std::min(run_.closest, t_ - run_.events.back().time);
    }
    const DaeTransition* next = &first;
    for (std::size_t count = 0; next != nullptr; ++count) {
      if (run_.events.size() == kMostDaeEvents || count > kMostImmediate) {
        run_.outcome = DaeRun::Outcome::too_many_events;
        return;
      }
      take(*next, count > 0);
      if (run_.outcome != DaeRun::Outcome::complete) {
        return;
      }
      next = nullptr;
      const Vector now = x();
      for (const DaeTransition& transition : system_.modes[mode_].transitions) {
        const Real g = transition.g.at(t_, now);
        if (std::abs(g) < kZero) {
          fail("a guard is zero after a jump");
          return;
        }
        if (g > 0) {
          next = &transition;
          break;
        }
      }
    }
  }

  void take(const DaeTransition& transition, bool is_immediate) {
    DaeEvent event{
        .time = t_, .is_immediate = is_immediate, .target = transition.target, .before = x(), .after = {}};
    Vector wanted = event.before;
    std::vector<bool> is_set(system_.n(), false);
    const Vector w = forcings(system_.omega, t_);
    for (const DaeReset& reset : transition.resets) {
      wanted[reset.target] = dot(reset.before, event.before) + dot(reset.forced, w);
      is_set[reset.target] = true;
    }
    mode_ = transition.target;
    const std::optional<Vector> y =
        transition.resets.empty() ? integrated_jump(system_, mode_, t_, event.before).y
                                  : nearest_coordinates(system_, mode_, flows_[mode_], t_, wanted, is_set);
    if (!y) {
      run_.outcome = DaeRun::Outcome::contradiction;
      return;
    }
    z_ = *y;
    restore_forcings();
    event.after = x();
    run_.events.push_back(std::move(event));
  }

  const SwitchedDae& system_;
  std::vector<DaeFlow> flows_;
  Vector z_;
  Real t_ = 0;
  std::size_t mode_ = 0;
  DaeRun run_;
};

}  // namespace

DaeFlow::DaeFlow(const SwitchedDae& system, std::size_t mode) : d(system.modes[mode].d) {
  const DaeMode& canonical = system.modes[mode];
  const std::size_t size = d + kForcings;
  m.assign(size, Vector(size, 0));
  Matrix y(system.n(), Vector(size, 0));  // y = (y₁, y₂) by z
  for (std::size_t i = 0; i < d; ++i) {
    std::copy(canonical.j[i].begin(), canonical.j[i].end(), m[i].begin());
    std::copy(canonical.b[i].begin(), canonical.b[i].end(), m[i].begin() + static_cast<std::ptrdiff_t>(d));
    y[i][i] = 1;
  }
  const Matrix s = generator(system.omega);
  for (std::size_t k = 0; k < kForcings; ++k) {
    std::copy(s[k].begin(), s[k].end(), m[d + k].begin() + static_cast<std::ptrdiff_t>(d));
  }
  const Matrix algebraic = algebraic_part(canonical, system.omega);
  for (std::size_t i = 0; i < algebraic.size(); ++i) {
    std::copy(algebraic[i].begin(), algebraic[i].end(), y[d + i].begin() + static_cast<std::ptrdiff_t>(d));
  }
  x = product(canonical.q_inverse, y);
}

DaeRun solve(const SwitchedDae& system) {
  return Solver(system).run();
}

Vector start_coordinates(const SwitchedDae& system) {
  SwitchedDae alike = system;
  alike.modes[0].comes_first.assign(system.n(), false);
  return *nearest_coordinates(alike, 0, DaeFlow(system, 0), 0, system.start,
                              std::vector<bool>(system.n(), false));
}

Vector advanced(const SwitchedDae& system, std::size_t mode, Real t, const Vector& x, Real after) {
  const DaeFlow flow(system, mode);
  const std::vector<bool> is_set(system.n(), false);
  Vector z = with_forcings(*nearest_coordinates(system, mode, flow, t, x, is_set), system.omega, t);
  const auto steps = static_cast<std::size_t>(std::ceil(after * norm_of(flow.m) / kStepNorm));
  for (std::size_t k = 0; k < steps; ++k) {
    z = value_at(series_of(flow.m, z), after / static_cast<Real>(steps));
  }
  return times(flow.x, z);
}

}  // namespace saltus::test::oracle
