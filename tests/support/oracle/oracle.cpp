#include "support/oracle/oracle.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "support/oracle/linear_flow.hpp"
#include "support/oracle/linear_series.hpp"
#include "support/oracle/only_assignment.hpp"
#include "support/oracle/polynomial_root.hpp"

namespace saltus::test::oracle {
namespace {

constexpr Real kZero = 1e-15L;  ///< of guards after a jump: the numbers involved are of order one
constexpr Real kOneInstant = 1e-15L;

/// What is watched on a step: leaving the positive side of a polynomial in local time.
struct Watch {
  enum class What { surface, weight, clause, transition };
  What what = What::surface;
  std::size_t which = 0;
  Side bound = Side::plus;  ///< of a weight
  AffineFunction g;
  Real sense = 1;  ///< sense·g is positive now
  int zeros = 0;   ///< order of the root at the beginning of the step
};

class Solver {
 public:
  explicit Solver(const SwitchedSystem& system) : system_(system), x_(system.x0) {}

  OracleRun run() {
    begin();
    while (failure_.empty() && t_ < system_.stop) {
      step();
      if (run_.events.size() > kMostEvents) {
        run_.outcome = OracleRun::Outcome::too_many_events;
        break;
      }
    }
    if (!failure_.empty()) {
      run_.outcome = OracleRun::Outcome::ambiguous;
      run_.why = failure_;
    }
    run_.x = x_;
    run_.mode = mode_;
    return run_;
  }

 private:
  void begin() {
    std::vector<std::size_t> zero;
    for (std::size_t j = 0; j < system_.surfaces.size(); ++j) {
      const Real g = system_.surfaces[j].g.at(0, x_);
      sides_.push_back(g > 0 ? Side::plus : Side::minus);
      zeros_.push_back(0);
      if (g == 0) {
        zero.push_back(j);
      }
    }
    for (const Clause& clause : system_.clauses) {
      const Real g = clause.g.at(0, x_);
      clause_true_.push_back(g > 0);
      clause_zeros_.push_back(0);
      if (g == 0) {
        failure_ = "a clause begins on its surface";
      }
    }
    for (const Transition& transition : system_.modes[0].transitions) {
      if (transition.g.at(0, x_) >= 0) {
        failure_ = "a transition holds at the start";
      }
    }
    transition_zeros_.assign(system_.modes[0].transitions.size(), 0);
    if (!zero.empty() && failure_.empty()) {
      start_on_surfaces(zero);
    }
  }

  /// At the start a guard that is zero has no side yet: going to either is an event.
  void start_on_surfaces(const std::vector<std::size_t>& zero) {
    decide(zero);
    for (const std::size_t j : zero) {
      zeros_[j] = 1;
      log(sides_[j] == Side::sliding ? Kind::slide_enter : Kind::condition, j);
    }
    finish_instant();
  }

  void log(Kind kind, std::size_t which) { run_.events.push_back({t_, kind, which}); }

  void finish_instant() {
    std::stable_sort(run_.events.begin() + static_cast<std::ptrdiff_t>(n_settled_), run_.events.end(),
                     [](const OracleEvent& a, const OracleEvent& b) {
                       return a.kind != b.kind ? a.kind < b.kind : a.which < b.which;
                     });
    n_settled_ = run_.events.size();
  }

  [[nodiscard]] std::vector<Watch> watches(const Flow& flow) const {
    std::vector<Watch> all;
    for (std::size_t j = 0; j < sides_.size(); ++j) {
      if (sides_[j] != Side::sliding) {
        all.push_back(
            {Watch::What::surface, j, Side::plus, system_.surfaces[j].g, sign_of(sides_[j]), zeros_[j]});
      }
    }
    for (std::size_t k = 0; k < flow.sliding.size(); ++k) {
      for (const Side bound : {Side::plus, Side::minus}) {
        AffineFunction rest{.c = flow.w[k], .e = 1 - sign_of(bound) * flow.w0[k], .f = 0};
        for (Real& c : rest.c) {
          c *= -sign_of(bound);
        }
        all.push_back({Watch::What::weight, flow.sliding[k], bound, rest, 1, 0});
      }
    }
    for (std::size_t c = 0; c < system_.clauses.size(); ++c) {
      all.push_back({Watch::What::clause, c, Side::plus, system_.clauses[c].g, clause_true_[c] ? 1.0L : -1.0L,
                     clause_zeros_[c]});
    }
    const std::vector<Transition>& transitions = system_.modes[mode_].transitions;
    for (std::size_t k = 0; k < transitions.size(); ++k) {
      all.push_back({Watch::What::transition, k, Side::plus, transitions[k].g, -1, transition_zeros_[k]});
    }
    return all;
  }

  void step() {
    const std::optional<Flow> flow = flow_of(system_, mode_, sides_);
    if (!flow) {
      failure_ = "no weights";
      return;
    }
    const Real h = std::min(system_.stop - t_, longest_step(*flow));
    const Series series = series_of(*flow, x_);
    const std::vector<Watch> all = watches(*flow);
    std::vector<std::pair<Real, const Watch*>> roots;
    Real earliest = h;
    for (const Watch& watch : all) {
      const std::optional<Real> root = first_exit(watch, series, h);
      if (root) {
        roots.emplace_back(*root, &watch);
        earliest = std::min(earliest, *root);
      }
    }
    if (!failure_.empty()) {
      return;
    }
    x_ = series_at(series, earliest);
    t_ += earliest;
    clear_zeros();
    if (roots.empty()) {
      if (h == system_.stop - (t_ - earliest)) {
        t_ = system_.stop;
      }
      return;
    }
    std::vector<const Watch*> crossed;
    for (const auto& [root, watch] : roots) {
      if (root - earliest <= kOneInstant * std::max(1.0L, t_)) {
        crossed.push_back(watch);
      }
    }
    run_.closest = std::min(run_.closest, t_ - last_instant_);
    last_instant_ = t_;
    settle(crossed);
    finish_instant();
  }

  std::optional<Real> first_exit(const Watch& watch, const Series& series, Real h) {
    Polynomial p = along_step(watch.g, watch.sense, series, t_, h);
    for (std::size_t k = 0; k < static_cast<std::size_t>(watch.zeros) && k < p.size(); ++k) {
      p[k] = 0;
    }
    const auto first = std::find_if(p.begin(), p.end(), [](Real c) { return c != 0; });
    if (first == p.end()) {
      failure_ = "a guard stays zero";
      return std::nullopt;
    }
    if (*first < 0) {
      failure_ = "a guard is on the wrong side";
      return std::nullopt;
    }
    const std::vector<Real> roots = sign_changes(p, 1);
    return roots.empty() ? std::nullopt : std::optional<Real>(roots.front() * h);
  }

  void clear_zeros() {
    std::fill(zeros_.begin(), zeros_.end(), 0);
    std::fill(clause_zeros_.begin(), clause_zeros_.end(), 0);
    std::fill(transition_zeros_.begin(), transition_zeros_.end(), 0);
  }

  void settle(const std::vector<const Watch*>& crossed) {
    std::vector<bool> zero(sides_.size(), false);
    std::vector<std::size_t> fired;
    std::optional<std::size_t> taken;
    bool needs_decision = false;
    for (const Watch* watch : crossed) {
      switch (watch->what) {
        case Watch::What::surface:
          zero[watch->which] = true;
          needs_decision = true;
          break;
        case Watch::What::weight: leave(*watch, crossed.size()); break;
        case Watch::What::clause:
          clause_zeros_[watch->which] = 1;
          clause_true_[watch->which] = !clause_true_[watch->which];
          if (clause_true_[watch->which]) {
            fired.push_back(watch->which);
          }
          break;
        case Watch::What::transition:
          transition_zeros_[watch->which] = 1;
          taken = taken ? std::min(*taken, watch->which) : watch->which;
          break;
      }
    }
    const bool moved = !fired.empty() || taken;
    rounds(std::move(fired), taken);
    if (needs_decision || moved) {
      settle_surfaces(zero, moved);
    }
    settle_clauses();
  }

  /// A clause that is zero takes the side to which it moves.
  void settle_clauses() {
    const std::optional<Flow> flow = flow_of(system_, mode_, sides_);
    for (std::size_t c = 0; c < system_.clauses.size() && flow; ++c) {
      if (clause_zeros_[c] == 0) {
        continue;
      }
      const int moves = direction(system_.clauses[c].g, *flow, x_);
      if (moves == 0 || (moves > 0 && !clause_true_[c])) {
        failure_ = "a clause stays on its surface or fires twice";
      }
      clause_true_[c] = moves > 0;
    }
  }

  /// The weight of a surface has reached ±1: it is left on that side, with ġ = 0 at first.
  void leave(const Watch& watch, std::size_t n_crossed) {
    if (n_crossed > 1) {
      failure_ = "an exit together with something else";
    }
    sides_[watch.which] = watch.bound;
    zeros_[watch.which] = 2;
    log(Kind::slide_exit, watch.which);
    const std::optional<Flow> flow = flow_of(system_, mode_, sides_);
    const int moves = flow ? direction(system_.surfaces[watch.which].g, *flow, x_) : 0;
    if (moves != static_cast<int>(watch.bound)) {
      failure_ = "an exit that does not leave";
    }
  }

  void rounds(std::vector<std::size_t> fired, std::optional<std::size_t> taken) {
    bool entered = false;
    for (int round = 1; !fired.empty() || taken; ++round) {
      if (round > 20) {
        failure_ = "rounds without an end";
        return;
      }
      const Vector before = x_;
      for (const std::size_t c : fired) {
        log(Kind::when, c);
        apply(system_.clauses[c].reset, before);
      }
      if (!fired.empty()) {
        taken = transition_in_round(taken, before);
      }
      if (taken) {
        const Transition& transition = system_.modes[mode_].transitions[*taken];
        for (const Reset& reset : transition.resets) {
          apply(reset, before);
        }
        log(entered ? Kind::immediate : Kind::transition, transition.target);
        mode_ = transition.target;
      }
      entered = taken.has_value();  // only what holds on entry is immediate
      fired = clauses_again();
      taken = transitions_again(taken.has_value());
    }
  }

  void apply(const Reset& reset, const Vector& before) {
    x_[reset.target] = reset.factor * before[reset.target] + reset.offset;
  }

  std::vector<std::size_t> clauses_again() {
    std::vector<std::size_t> fired;
    for (std::size_t c = 0; c < system_.clauses.size(); ++c) {
      const Real g = system_.clauses[c].g.at(t_, x_);
      if (std::abs(g) <= kZero) {
        clause_zeros_[c] = 1;
        continue;
      }
      clause_zeros_[c] = 0;
      if ((g > 0) != clause_true_[c]) {
        clause_true_[c] = g > 0;
        if (g > 0) {
          fired.push_back(c);
        }
      }
    }
    return fired;
  }

  /// A transition is over the values that the clauses of its round give: one that was located and is still zero holds.
  /// One that sets what it reads itself, or what a clause reads that sets what it reads, has the values before.
  std::optional<std::size_t> transition_in_round(std::optional<std::size_t> located, const Vector& before) {
    const std::vector<Transition>& transitions = system_.modes[mode_].transitions;
    const auto sets_what_is_read = [](const Transition& transition, const AffineFunction& g) {
      return std::any_of(transition.resets.begin(), transition.resets.end(),
                         [&g](const Reset& reset) { return g.c[reset.target] != 0; });
    };
    for (std::size_t k = 0; k < transitions.size(); ++k) {
      const bool is_in_a_loop =
          sets_what_is_read(transitions[k], transitions[k].g) ||
          std::any_of(system_.clauses.begin(), system_.clauses.end(), [&](const Clause& clause) {
            return sets_what_is_read(transitions[k], clause.g) &&
                   transitions[k].g.c[clause.reset.target] != 0;
          });
      const Real g = transitions[k].g.at(t_, is_in_a_loop ? before : x_);
      if (g > kZero || (located == k && std::abs(g) <= kZero)) {
        return k;
      }
    }
    return std::nullopt;
  }

  std::optional<std::size_t> transitions_again(bool entered) {
    const std::vector<Transition>& transitions = system_.modes[mode_].transitions;
    if (entered) {
      transition_zeros_.assign(transitions.size(), 0);
    }
    std::optional<std::size_t> taken;
    for (std::size_t k = 0; k < transitions.size(); ++k) {
      const Real g = transitions[k].g.at(t_, x_);
      if (std::abs(g) <= kZero) {
        const std::optional<Flow> flow = flow_of(system_, mode_, sides_);
        if (!flow || direction(transitions[k].g, *flow, x_) != -1) {
          failure_ = "a transition begins on its surface";
        }
        transition_zeros_[k] = 1;
      } else if (g > 0 && !taken) {
        taken = k;
      }
    }
    return taken;
  }

  void decide(const std::vector<std::size_t>& zero) {
    if (zero.empty() || !failure_.empty()) {
      return;
    }
    Assignment found = only_assignment(system_, mode_, x_, sides_, zero);
    sides_ = std::move(found.sides);
    failure_ = std::move(found.failure);
  }

  void settle_surfaces(const std::vector<bool>& crossed, bool moved) {
    const std::vector<Side> before = sides_;
    std::vector<std::size_t> zero;
    for (std::size_t j = 0; j < sides_.size(); ++j) {
      const Real g = system_.surfaces[j].g.at(t_, x_);
      const bool on_it = crossed[j] || before[j] == Side::sliding;
      if (!moved ? on_it : std::abs(g) <= kZero) {
        zero.push_back(j);
        zeros_[j] = 1;
      } else if (moved) {
        sides_[j] = g > 0 ? Side::plus : Side::minus;
        zeros_[j] = 0;
      }
    }
    decide(zero);
    for (std::size_t j = 0; j < sides_.size(); ++j) {
      if (sides_[j] == before[j]) {
        continue;
      }
      if (sides_[j] == Side::sliding) {
        log(Kind::slide_enter, j);
      } else {
        log(before[j] == Side::sliding ? Kind::slide_exit : Kind::condition, j);
      }
    }
  }

  const SwitchedSystem& system_;
  Real t_ = 0;
  Vector x_;
  std::size_t mode_ = 0;
  std::vector<Side> sides_;
  std::vector<bool> clause_true_;
  // Orders of the roots at the beginning of the next step.
  std::vector<int> zeros_;
  std::vector<int> clause_zeros_;
  std::vector<int> transition_zeros_;
  Real last_instant_ = 0;
  std::size_t n_settled_ = 0;
  std::string failure_;
  OracleRun run_;
};

}  // namespace

const char* to_string(Kind kind) {
  switch (kind) {
    case Kind::condition: return "condition";
    case Kind::slide_enter: return "slide_enter";
    case Kind::slide_exit: return "slide_exit";
    case Kind::when: return "when";
    case Kind::transition: return "transition";
    case Kind::immediate: return "immediate";
  }
  return "";
}

OracleRun solve(const SwitchedSystem& system) {
  return Solver(system).run();
}

}  // namespace saltus::test::oracle
