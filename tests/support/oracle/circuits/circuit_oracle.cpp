#include "support/oracle/circuits/circuit_oracle.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "support/oracle/circuits/controls.hpp"
#include "support/oracle/circuits/diode_choice.hpp"

namespace saltus::test::circuits {
namespace {

using Outcome = CircuitRun::Outcome;

/// A guard that returns from nearer than this says nothing about events.
constexpr Real kGraze = 1e-3;
/// Rounding of a state beside a threshold.
constexpr Real kStateNoise = 1e-13;
/// A state that leaves a threshold more slowly may return.
constexpr Real kLeaves = 1e-6;
/// The grid after an instant begins at H/2^kFinest.
constexpr int kFinest = 24;
constexpr Real kGridPoints = 1024;
/// Instants nearer than this are one, and so many of them have no end.
constexpr Real kSameTime = 1e-12;
constexpr int kMostAtOnce = 4;
constexpr std::size_t kMostInstants = 300;
constexpr int kBisections = 52;

/// Where the truth changes from false at `low` to true at `high`.
template <class Truth>
Real root(Real low, Real high, const Truth& truth) {
  for (int i = 0; i < kBisections; ++i) {
    const Real middle = 0.5 * (low + high);
    (truth(middle) ? high : low) = middle;
  }
  return high;
}

Vector start_of(const Network& network, const Signals& signals) {
  Vector x(signals.n_states());
  for (Eigen::Index j = 0; j < x.size(); ++j) {
    x(j) = network.elements[signals.states[static_cast<std::size_t>(j)]].start;
  }
  return signals.at(network, 0, x);
}

class Solver {
 public:
  Solver(const Network& network, std::size_t most_enumerated)
      : network_(network),
        signals_(network),
        w_(start_of(network, signals_)),
        controls_(network, signals_, w_),
        diodes_(network, signals_, most_enumerated) {}

  CircuitRun run() {
    run_.largest = w_.head(signals_.n_states()).cwiseAbs();
    if (!begin_piece(0)) {
      return std::move(run_);
    }
    if (run_.has_jumps) {
      fail(Outcome::start, "start values that have to jump");
      return std::move(run_);
    }
    // A diode at zero has its first change at the start.
    const CircuitPiece& first = run_.pieces.front();
    const Vector g = first.combination->guards * w_;
    for (Eigen::Index row = 0; row < g.size(); ++row) {
      const bool is_blocked = ((first.truths.blocked >> static_cast<std::uint64_t>(row)) & 1U) != 0;
      run_.has_ties = run_.has_ties || (!is_blocked && std::abs(g(row)) < kNoise);
    }
    while (t_ < network_.stop && advance()) {
    }
    return std::move(run_);
  }

 private:
  /// What ends a step: a guard, or none.
  struct Hit {
    Real after = 0;
    Eigen::Index guard = -1;
  };

  bool fail(Outcome outcome, const std::string& why) {
    run_.outcome = outcome;
    run_.why = why + " at " + std::to_string(t_);
    return false;
  }

  /// From the diodes that conducted.
  bool begin_piece(std::uint64_t old) {
    // Neither fired nor conducting; what ends to conduct waits as well.
    const std::uint64_t waiting = controls_.thyristors() & ~controls_.fired();
    const Truths given{.conducting = old, .closed = controls_.closed(), .blocked = waiting & ~old};
    Choice choice = diodes_.choose(w_, given);
    if (choice.outcome == Choice::Outcome::none) {
      const std::optional<Vector> after = diodes_.jumped(w_, given);
      if (after.has_value()) {
        run_.has_jumps = true;
        w_ = *after;
        choice = diodes_.choose(w_, given);
      }
    }
    switch (choice.outcome) {
      case Choice::Outcome::one: break;
      case Choice::Outcome::none: return fail(Outcome::none, "no consistent combination");
      case Choice::Outcome::several: return fail(Outcome::several, "several solutions");
    }
    // What it does later depends on whether it counts as conducting.
    if (choice.has_ties && controls_.thyristors() != 0) {
      return fail(Outcome::several, "a thyristor at zero");
    }
    choice.truths.blocked = waiting & ~choice.truths.conducting;
    choice.combination = diodes_.combination(choice.truths);
    run_.has_ties = run_.has_ties || choice.has_ties;
    run_.changes_index = run_.changes_index || choice.combination->constraints.rows() > 0;
    run_.pieces.push_back(
        {.truths = choice.truths, .combination = choice.combination, .times = {t_}, .w = {w_}});
    powers_.clear();
    level_ = kFinest;
    return true;
  }

  /// All guards of a combination, diodes first, then thresholds; ≥ 0 while it lasts.
  [[nodiscard]] Vector guards(const Combination& c, const Vector& w, bool is_rate) const {
    const auto n = c.guards.rows();
    const Vector of = is_rate ? Vector(c.a * w) : w;
    Vector g(n + static_cast<Eigen::Index>(controls_.n_watches()));
    g.head(n) = c.guards * of;
    for (std::size_t k = 0; k < controls_.n_watches(); ++k) {
      g(n + static_cast<Eigen::Index>(k)) = controls_.distance(k, of, is_rate);
    }
    return g;
  }
  [[nodiscard]] Real noise(const Combination& c, Eigen::Index row) const {
    return row < c.guards.rows() ? kNoise * size_of(c.guards.row(row), w_) : kStateNoise;
  }
  [[nodiscard]] Vector ahead(const Combination& c, Real h) const { return exponential(c.a * h) * w_; }

  [[nodiscard]] Real grid_step() const { return network_.stop / kGridPoints * std::ldexp(1.0, -level_); }
  const Matrix& power(const Combination& c) {
    auto& known = powers_[level_];
    if (known.size() == 0) {
      known = exponential(c.a * grid_step());
    }
    return known;
  }

  /// One step of the grid, or to an instant within it.
  bool advance() {
    const Combination& c = *run_.pieces.back().combination;
    const std::vector<Real>& due = controls_.due();
    while (next_due_ < due.size() && due[next_due_] <= t_ + kSameTime) {
      ++next_due_;
    }
    const Real end = next_due_ < due.size() ? due[next_due_] : network_.stop;
    const bool is_last = t_ + grid_step() >= end;
    const Real h = is_last ? end - t_ : grid_step();
    const Vector w1 = is_last ? ahead(c, h) : Vector(power(c) * w_);
    const std::optional<Hit> hit = first_hit(c, h, w1);
    if (!hit.has_value()) {
      return fail(Outcome::touches, "a threshold is touched");
    }
    if (hit->guard < 0 && !is_last) {
      keep(t_ + h, w1);
      level_ = std::max(0, level_ - 1);
      return true;
    }
    return settle(c, *hit, hit->guard < 0 ? end : t_ + hit->after);
  }

  /// The first guard that changes its sign between w_ and w1, h later; none if a threshold is touched.
  [[nodiscard]] std::optional<Hit> first_hit(const Combination& c, Real h, const Vector& w1) {
    Hit hit{.after = h};
    const Vector g0 = guards(c, w_, false);
    const Vector g1 = guards(c, w1, false);
    const Vector r0 = guards(c, w_, true);
    const Vector r1 = guards(c, w1, true);
    for (Eigen::Index row = 0; row < g0.size(); ++row) {
      const Real allowed = noise(c, row);
      Real right = h;
      if (g1(row) >= -allowed) {
        if (!(r0(row) < 0 && r1(row) > 0)) {
          continue;
        }
        // A minimum in between.
        right = root(0, h, [&](Real s) { return guards(c, ahead(c, s), true)(row) > 0; });
        const Real least = guards(c, ahead(c, right), false)(row);
        const bool is_near = std::abs(least) < kGraze * std::max({1.0, g0(row), g1(row)});
        if (is_near && row >= c.guards.rows()) {
          return std::nullopt;
        }
        run_.grazes = run_.grazes || is_near;
        if (least >= -allowed) {
          continue;
        }
      }
      const Real limit = g0(row) > allowed ? 0 : -allowed;
      const Real at = root(0, right, [&](Real s) { return guards(c, ahead(c, s), false)(row) < limit; });
      if (at < hit.after || hit.guard < 0) {
        hit = {.after = at, .guard = row};
      }
    }
    return hit;
  }

  /// To time t with the signals there; sines anew, so that they do not drift, levels of square waves as they are.
  void keep(Real t, const Vector& w) {
    t_ = t;
    w_ = signals_.at(network_, t_, w.head(signals_.n_states()));
    for (std::size_t e = 0; e < network_.elements.size(); ++e) {
      if (signals_.place[e] >= 0 && network_.elements[e].wave.kind != Wave::Kind::sine) {
        w_(signals_.place[e]) = w(signals_.place[e]);
      }
    }
    run_.pieces.back().times.push_back(t_);
    run_.pieces.back().w.push_back(w_);
    run_.largest = run_.largest.cwiseMax(w_.head(signals_.n_states()).cwiseAbs());
  }

  /// An instant at time t.
  bool settle(const Combination& c, const Hit& hit, Real t) {
    const bool is_due = hit.guard < 0;
    n_at_once_ = hit.after < kSameTime ? n_at_once_ + 1 : 0;
    keep(t, ahead(c, hit.after));
    if (is_due && t >= network_.stop) {
      return true;
    }
    if (n_at_once_ > kMostAtOnce) {
      return fail(Outcome::none, "no progress");
    }
    if (run_.instants.size() >= kMostInstants) {
      return fail(Outcome::too_many, "too many instants");
    }
    CircuitInstant instant{.time = t_, .before = run_.pieces.back().truths, .is_scheduled = is_due};
    const bool is_threshold = hit.guard >= c.guards.rows();
    const auto watch = static_cast<std::size_t>(std::max<Eigen::Index>(0, hit.guard - c.guards.rows()));
    if (!is_due) {
      instant.slope = guards(c, w_, true)(hit.guard);
      instant.gains = is_threshold ? Vector(Vector::Unit(signals_.n_states(), controls_.state_of(watch)))
                                   : Vector(c.guards.row(hit.guard).transpose().head(signals_.n_states()));
    }
    if (is_threshold) {
      controls_.cross(watch);
    }
    const Vector before = w_;
    w_ = is_due ? signals_.at(network_, t_, w_.head(signals_.n_states())) : w_;
    controls_.at(t_);
    if (!begin_piece(instant.before.conducting)) {
      return false;
    }
    instant.after = run_.pieces.back().truths;
    const Combination& now = *run_.pieces.back().combination;
    if (is_threshold && controls_.distance(watch, now.a * w_, true) < kLeaves) {
      return fail(Outcome::slides, "a switch returns at once");
    }
    run_.instants.push_back(std::move(instant));
    return true;
  }

  const Network& network_;
  Signals signals_;
  Real t_ = 0;
  Vector w_;
  Controls controls_;
  DiodeChoice diodes_;
  std::map<int, Matrix> powers_;  ///< of the piece, by level of the grid
  std::size_t next_due_ = 0;
  int level_ = kFinest;
  int n_at_once_ = 0;
  CircuitRun run_;
};

}  // namespace

const char* to_string(Outcome outcome) {
  switch (outcome) {
    case Outcome::complete: return "complete";
    case Outcome::none: return "none";
    case Outcome::several: return "several";
    case Outcome::start: return "start";
    case Outcome::slides: return "slides";
    case Outcome::touches: return "touches";
    case Outcome::too_many: return "too_many";
  }
  return "";
}

const CircuitPiece& CircuitRun::piece_at(Real t, bool is_after) const {
  std::size_t k = 0;
  while (k + 1 < pieces.size() &&
         (is_after ? pieces[k + 1].times.front() <= t : pieces[k + 1].times.front() < t)) {
    ++k;
  }
  return pieces[k];
}

Vector CircuitRun::w_at(const CircuitPiece& piece, Real t) {
  const auto after = std::upper_bound(piece.times.begin(), piece.times.end(), t);
  const auto k = static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, after - piece.times.begin() - 1));
  return exponential(piece.combination->a * (t - piece.times[k])) * piece.w[k];
}

CircuitRun solve(const Network& network, std::size_t most_enumerated) {
  if (network.of_kind(Element::Kind::diode).size() > kMostDiodes) {
    CircuitRun run;
    run.outcome = Outcome::too_many;
    run.why = "too many diodes";
    return run;
  }
  return Solver(network, most_enumerated).run();
}

}  // namespace saltus::test::circuits
