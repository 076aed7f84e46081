#include "support/oracle/instants/instant_oracle.hpp"

#include <algorithm>
#include <cmath>

#include "support/oracle/instants/round_system.hpp"
#include "support/oracle/polynomial_root.hpp"

namespace saltus::test::instants {
namespace {

using Outcome = InstantRun::Outcome;

constexpr int kMostRounds = 200;
constexpr int kMostDecisions = 20;
constexpr std::size_t kMostInstants = 3000;
/// Times that are nearer than this, relative to 1 + |t|, are one instant.
constexpr Real kOneInstant = 1e-13L;
/// A whole number is at another level than before if its argument was further from that than this.
constexpr Real kFarFromLevel = 1e-6L;
/// What the first coefficient that is left out may contribute to a value.
constexpr Real kCutOff = 1e-21L;

/// Ends the run with an outcome of its own.
struct Ended {
  Outcome outcome;
  std::string why;
};

class Interpreter {
 public:
  Interpreter(const DiscreteModel& model, const std::vector<Real>& moved)
      : model_(model), conditions_(conditions_of(model)), system_(model, false), at_(model), moved_(moved) {
    for (std::size_t i = 0; i < model.variables.size(); ++i) {
      const Variable& variable = model.variables[i];
      at_.value[i] = {variable.start + (moved.empty() ? 0 : moved[i])};
      at_.pre[i] = variable.start;
    }
  }

  void run(InstantRun& run) {
    run_ = &run;
    start();
    while (at_.time[0] < model_.stop) {
      flow();
      move_on();
    }
  }

  [[nodiscard]] const std::string& doubt() const { return at_.doubt; }
  [[nodiscard]] Real time() const { return at_.time[0]; }

 private:
  [[nodiscard]] Real resolution() const { return kOneInstant * (1 + std::abs(at_.time[0])); }

  [[nodiscard]] Real next_time(const Clock& clock) const {
    const Real past = at_.time[0] + resolution();
    const Real k = past < clock.start ? 0 : std::floor((past - clock.start) / clock.interval) + 1;
    return clock.start + k * clock.interval;
  }

  void start() {
    at_.time = {0};
    at_.is_initial = true;
    const RoundSystem initial(model_, true);
    initial.solve(at_);
    for (const Node& node : model_.nodes) {
      if (node.op == Op::pre && model_.variables[node.which].role == Role::discrete &&
          initial.has_open_pre(node.which) && differs(at_.value[node.which][0], at_.pre[node.which])) {
        at_.doubt = "nothing determines pre(" + model_.variables[node.which].name + ") at the start";
      }
    }
    remember();
    at_.is_initial = false;
    for (std::size_t i = 0; i < model_.clocks.size(); ++i) {
      at_.is_due[i] = std::abs(model_.clocks[i].start) <= resolution();
    }
    settle(true);
  }

  /// pre(v) := v, and the same for the conditions of clauses.
  void remember() {
    std::vector<bool> now;
    for (const std::size_t condition : conditions_) {
      now.push_back(is_true(model_, at_, condition));
    }
    at_.before = now;
    for (std::size_t i = 0; i < at_.pre.size(); ++i) {
      at_.pre[i] = at_.value[i][0];
    }
  }

  [[nodiscard]] std::vector<Real> numbers() const {
    std::vector<Real> all;
    for (const Series& value : at_.value) {
      all.push_back(value[0]);
    }
    return all;
  }

  static bool differs(Real a, Real b) { return std::abs(a - b) > kNoise * (1 + std::abs(a)); }

  void settle(bool is_start) {
    Instant instant;
    instant.time = at_.time[0];
    instant.before = numbers();
    std::vector<bool> was_zero;
    for (std::size_t place = 0; place < model_.nodes.size(); ++place) {
      was_zero.push_back(model_.nodes[place].is_held && (is_start || guard_of(model_, at_, place).is_zero()));
    }
    for (int decision = 0;; ++decision) {
      rounds(instant);
      if (!decide(was_zero)) {
        break;
      }
      if (decision == kMostDecisions) {
        throw Ended{Outcome::sliding, "a surface attracts from both sides"};
      }
    }
    std::fill(at_.located.begin(), at_.located.end(), false);
    instant.after = numbers();
    for (std::size_t i = 0; i < model_.variables.size(); ++i) {
      instant.is_visible = instant.is_visible || (model_.variables[i].role == Role::discrete &&
                                                  differs(instant.before[i], instant.after[i]));
    }
    instant.is_visible = instant.is_visible || !instant.firings.empty() || is_start;
    record(instant);
    for (const std::size_t assertion : model_.assertions) {
      if (!is_true(model_, at_, assertion)) {
        throw Ended{Outcome::assertion, "an assertion does not hold"};
      }
    }
  }

  void record(const Instant& instant) {
    if (!run_->instants.empty()) {
      run_->closest = std::min(run_->closest, instant.time - run_->instants.back().time);
    }
    run_->instants.push_back(instant);
    if (run_->instants.size() > kMostInstants) {
      throw Ended{Outcome::instants_without_end, "too many instants"};
    }
  }

  /// Rounds until nothing changes.
  void rounds(Instant& instant) {
    for (int round = 0;; ++round) {
      if (round == kMostRounds) {
        throw Ended{Outcome::rounds_without_end, "rounds do not end"};
      }
      system_.solve(at_);
      ++instant.rounds;
      bool is_changed = false;
      for (std::size_t i = 0; i < conditions_.size(); ++i) {
        is_changed = is_changed || is_true(model_, at_, conditions_[i]) != at_.before[i];
      }
      for (std::size_t i = 0; i < model_.variables.size(); ++i) {
        is_changed = is_changed ||
                     (model_.variables[i].role == Role::discrete && differs(at_.value[i][0], at_.pre[i]));
      }
      std::vector<std::pair<std::size_t, Series>> reinits;
      for (std::size_t clause = 0; clause < model_.clauses.size(); ++clause) {
        const std::size_t branch = active_branch(model_, at_, clause);
        if (branch == model_.clauses[clause].branches.size()) {
          continue;
        }
        instant.firings.push_back({clause, branch, instant.rounds});
        for (const Assignment& reinit : model_.clauses[clause].branches[branch].reinits) {
          reinits.emplace_back(reinit.variable, evaluate(model_, at_, reinit.value));
        }
      }
      // 8.3.6: after all other evaluations of the round, before x is copied to pre(x).
      std::vector<bool> now;
      for (const std::size_t condition : conditions_) {
        now.push_back(is_true(model_, at_, condition));
      }
      for (const auto& [state, value] : reinits) {
        at_.value[state] = value;
        instant.reinitialised.push_back(state);
      }
      for (std::size_t i = 0; i < at_.pre.size(); ++i) {
        at_.pre[i] = at_.value[i][0];
      }
      at_.before = now;
      std::fill(at_.is_due.begin(), at_.is_due.end(), false);
      if (!is_changed && reinits.empty()) {
        return;
      }
    }
  }

  /// Guards on their surface take the side to which the solution moves. True if a truth has changed by that.
  bool decide(const std::vector<bool>& was_zero) {
    Values ahead = at_;
    extend(ahead);
    bool is_changed = false;
    for (std::size_t place = 0; place < model_.nodes.size(); ++place) {
      const Node& node = model_.nodes[place];
      if (!node.is_held) {
        continue;
      }
      const Guard guard = guard_of(model_, ahead, place);
      if (!guard.is_zero()) {
        continue;
      }
      const auto first = std::find_if(guard.value.begin() + 1, guard.value.end(),
                                      [](Real c) { return std::abs(c) > kNoise; });
      const bool rests = first == guard.value.end();
      Real as_written = node.op == Op::greater ? 0 : 1;
      Real decided = rests ? as_written : *first > 0 ? 1 : 0;
      if (node.op == Op::floor) {
        const Real nearest = std::round(evaluate(model_, ahead, node.a)[0]);
        as_written = nearest;
        decided = rests || *first > 0 ? nearest : nearest - 1;
      }
      if (rests && at_.located[place]) {
        if (at_.held[place] != as_written) {
          at_.doubt = "a located guard rests on its surface";
        }
        decided = at_.held[place];
      }
      if (!was_zero[place] && !(decided == as_written && decided == at_.held[place])) {
        at_.doubt = "a body has put a guard on its surface";
      }
      is_changed = is_changed || decided != at_.held[place];
      at_.held[place] = decided;
    }
    return is_changed;
  }

  /// Errors of two stretches are not the same.
  [[nodiscard]] Real error_of_stretch() const { return std::cos(static_cast<Real>(run_->instants.size())); }

  /// States and all that follows from them as series; false if they go on behind the order.
  void extend(Values& at) const {
    at.time = {at.time[0], 1};
    for (std::size_t sweep = 0; sweep <= kOrder + 1; ++sweep) {
      system_.follow(at);
      bool is_same = true;
      for (std::size_t i = 0; i < model_.variables.size(); ++i) {
        const Variable& variable = model_.variables[i];
        if (variable.role != Role::state) {
          continue;
        }
        const Real share = moved_.empty() ? 1 : 1 + moved_[i] * error_of_stretch();
        const Series next = integral(at.value[i][0], share * at.value[variable.partner]);
        is_same = is_same && largest(next - at.value[i]) <= kRounding * (1 + largest(next));
        at.value[i] = next;
      }
      if (is_same) {
        break;
      }
    }
    system_.follow(at);
  }

  void flow() { extend(at_); }

  /// How far a series that was cut off is exact.
  static Real reach(const Series& series) {
    if (series.size() < kOrder) {
      return 1e30L;
    }
    Real h = 1e30L;
    for (std::size_t k = kOrder - 1; k < series.size(); ++k) {
      if (series[k] != 0) {
        const Real size = kCutOff * (1 + std::abs(series[0])) / std::abs(series[k]);
        h = std::min(h, std::pow(size, 1 / static_cast<Real>(k)));
      }
    }
    return h;
  }

  /// The first time in (0, h] at which what the node holds is no longer right, with what comes then.
  struct Crossing {
    Real tau = 1e30L;
    std::size_t node = 0;
    Real to = 0;
  };
  void add_crossings(std::size_t place, Real h, std::vector<Crossing>& found) {
    const Node& node = model_.nodes[place];
    const auto add = [&](Series guard, Real level, Real noise, bool only_up, bool only_down, Real to) {
      guard[0] -= level;
      if (std::abs(guard[0]) <= noise) {
        guard[0] = 0;
      }
      const auto first = std::find_if(guard.begin(), guard.end(), [](Real c) { return c != 0; });
      const std::vector<Real> roots = oracle::sign_changes(guard, h);
      if (roots.empty() || (only_up && *first > 0) || (only_down && *first < 0)) {
        return;
      }
      found.push_back({roots[0], place, to});
    };
    const Guard guard = guard_of(model_, at_, place);
    if (node.op != Op::floor) {
      add(guard.value, 0, guard.noise, at_.held[place] == 0, at_.held[place] != 0, 1 - at_.held[place]);
      return;
    }
    const Series argument = evaluate(model_, at_, node.a);
    add(argument, at_.held[place], guard.noise, false, true, at_.held[place] - 1);
    add(argument, at_.held[place] + 1, guard.noise, true, false, at_.held[place] + 1);
  }

  void move_on() {
    Real h = model_.stop - at_.time[0];
    for (const Clock& clock : model_.clocks) {
      h = std::min(h, next_time(clock) - at_.time[0]);
    }
    bool is_instant = h < model_.stop - at_.time[0] - resolution();
    for (const Series& value : at_.value) {
      if (reach(value) < h) {
        h = reach(value);
        is_instant = false;
      }
    }
    std::vector<Crossing> crossings;
    for (std::size_t place = 0; place < model_.nodes.size(); ++place) {
      if (model_.nodes[place].is_held) {
        add_crossings(place, h + resolution(), crossings);
      }
    }
    for (const Crossing& crossing : crossings) {
      h = std::min(h, crossing.tau);
      is_instant = true;
    }
    run_->stretches.push_back({at_.time[0], at_.time[0] + h, at_.value});
    const Real begin = at_.time[0];
    for (Series& value : at_.value) {
      value = {value_at(value, h)};
    }
    at_.time = {begin + h};
    if (begin + h + resolution() >= model_.stop) {
      at_.time = {std::max(begin + h, model_.stop)};
    }
    for (std::size_t i = 0; i < model_.clocks.size(); ++i) {
      const Clock& clock = model_.clocks[i];
      const Real k = std::round((at_.time[0] - clock.start) / clock.interval);
      at_.is_due[i] = k >= 0 && std::abs(clock.start + k * clock.interval - at_.time[0]) <= resolution();
      is_instant = is_instant || at_.is_due[i];
    }
    for (std::size_t i = 0; i < at_.pre.size(); ++i) {
      at_.pre[i] = at_.value[i][0];
    }
    if (!is_instant) {
      return;
    }
    held_before_ = at_.held;
    for (const Crossing& crossing : crossings) {
      if (crossing.tau <= h + resolution()) {
        at_.located[crossing.node] = true;
        at_.came[crossing.node] = at_.held[crossing.node];
        at_.held[crossing.node] = crossing.to;
      }
    }
    look_at_located();
    wake_resting();
    number_jumped();
    settle(false);
  }

  /// The guard of a relation on the stretch that ends here.
  [[nodiscard]] Guard guard_before(std::size_t place) const {
    Values on_stretch = at_;
    on_stretch.value = run_->stretches.back().values;
    on_stretch.held = held_before_;
    on_stretch.time = {run_->stretches.back().begin, 1};
    return guard_of(model_, on_stretch, place);
  }

  [[nodiscard]] Series evaluate_on_stretch(std::size_t node) const {
    Values on_stretch = at_;
    on_stretch.value = run_->stretches.back().values;
    on_stretch.held = held_before_;
    on_stretch.time = {run_->stretches.back().begin, 1};
    return evaluate(model_, on_stretch, node);
  }

  [[nodiscard]] static bool vanishes(const Guard& guard) { return largest(guard.value) <= guard.noise; }

  /// Guards that rested on their surface up to this instant and that the sides of those located here move leave it with these, before any
  /// clause has done anything: nothing sees the new truth of one beside the old truth of the other.
  void wake_resting() {
    std::vector<std::size_t> resting;
    for (std::size_t place = 0; place < model_.nodes.size(); ++place) {
      if (model_.nodes[place].is_held && model_.nodes[place].op != Op::floor && !at_.located[place] &&
          vanishes(guard_before(place))) {
        resting.push_back(place);
      }
    }
    bool is_changed = !resting.empty();
    for (std::size_t turn = 0; is_changed && turn <= resting.size(); ++turn) {
      is_changed = false;
      Values trial = at_;
      if (!is_extended(trial)) {
        return;
      }
      for (const std::size_t place : resting) {
        const Real sign = motion_of(trial, place, at_.held[place]);
        const Real side = sign > 0 ? 1 : 0;
        if (sign != 0 && at_.held[place] != side) {
          at_.held[place] = side;
          is_changed = true;
        }
      }
    }
    if (is_changed) {
      at_.doubt = "guards that rested do not agree on their sides";
    }
  }

  /// A whole number whose argument others have put onto a level that it was not on: the one to which the argument goes on.
  void number_jumped() {
    for (std::size_t place = 0; place < model_.nodes.size(); ++place) {
      if (!model_.nodes[place].is_held || model_.nodes[place].op != Op::floor) {
        continue;
      }
      const Real before =
          value_at(evaluate_on_stretch(model_.nodes[place].a), at_.time[0] - run_->stretches.back().begin);
      Values trial = at_;
      if (!is_extended(trial) || !guard_of(model_, trial, place).is_zero()) {
        continue;
      }
      const Series argument = evaluate(model_, trial, model_.nodes[place].a);
      const auto first =
          std::find_if(argument.begin() + 1, argument.end(), [](Real c) { return std::abs(c) > kNoise; });
      const Real level = std::round(argument[0]);
      if (std::abs(level - before) > kFarFromLevel && first != argument.end()) {
        at_.held[place] = *first > 0 ? level : level - 1;
      }
    }
  }

  /// What becomes of guards that were located, before any clause has done anything. One that others turn back at their common instant does
  /// not go beyond its surface: it touches it, and that is no crossing (the peak of a triangle is not exceeded, not for a round). All that
  /// touch hold what they held, and move back with that; where that does not come to an end, a surface attracts from both sides.
  void look_at_located() {
    const Values behind = at_;
    const std::size_t most = model_.nodes.size() + 1;
    std::size_t turn = 0;
    for (bool is_changed = true; is_changed && turn <= most; ++turn) {
      is_changed = false;
      Values trial = at_;
      if (!is_extended(trial)) {
        return;
      }
      for (std::size_t place = 0; place < model_.nodes.size(); ++place) {
        if (!behind.located[place]) {
          continue;
        }
        const bool touches = !at_.located[place];
        const Real back = at_.came[place] > behind.held[place] ? 1 : -1;
        const bool moves_back = motion_of(trial, place, at_.held[place]) == back;
        if (moves_back != touches) {
          is_changed = true;
          at_.located[place] = touches;
          at_.held[place] = touches ? behind.held[place] : at_.came[place];
        }
      }
    }
    if (turn > most) {
      at_.doubt = "a surface attracts from both sides";
    }
  }

  /// The sign of what a guard on its surface does; 0: it rests, is elsewhere, or holds something else than `side`.
  Real motion_of(Values& extended, std::size_t place, Real side) const {
    const Guard guard = guard_of(model_, extended, place);
    const auto first =
        std::find_if(guard.value.begin() + 1, guard.value.end(), [](Real c) { return std::abs(c) > kNoise; });
    if (extended.held[place] != side || !guard.is_zero() || first == guard.value.end()) {
      return 0;
    }
    return *first > 0 ? 1 : -1;
  }

  /// Values and motion where no condition has an edge; false: there are none.
  bool is_extended(Values& trial) const {
    std::fill(trial.before.begin(), trial.before.end(), true);
    std::fill(trial.is_due.begin(), trial.is_due.end(), false);
    try {
      system_.solve(trial);
      extend(trial);
    } catch (const NoSolution&) {
      return false;
    } catch (const Unsupported&) {
      return false;
    }
    return true;
  }

  const DiscreteModel& model_;
  std::vector<std::size_t> conditions_;
  RoundSystem system_;
  Values at_;
  std::vector<Real> moved_;
  std::vector<Real> held_before_;  // on the stretch that ended last
  InstantRun* run_ = nullptr;
};

}  // namespace

const char* to_string(Outcome outcome) {
  switch (outcome) {
    case Outcome::complete: return "complete";
    case Outcome::assertion: return "assertion";
    case Outcome::no_solution: return "no_solution";
    case Outcome::cycle: return "cycle";
    case Outcome::sliding: return "sliding";
    case Outcome::rounds_without_end: return "rounds_without_end";
    case Outcome::instants_without_end: return "instants_without_end";
    case Outcome::unsupported: return "unsupported";
  }
  return "";
}

Real InstantRun::value(const std::string& name, Real t) const {
  const auto place = static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
  Real result = instants.at(0).after.at(place);
  for (const Stretch& stretch : stretches) {
    if (stretch.begin <= t + kOneInstant && t < stretch.end) {
      result = value_at(stretch.values.at(place), t - stretch.begin);
    }
  }
  // Behind the last stretch: the end.
  return t < end ? result : final(name);
}

Real InstantRun::final(const std::string& name) const {
  const auto place = static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
  if (!stretches.empty() && instants.back().time + kOneInstant < stretches.back().end) {
    return value_at(stretches.back().values.at(place), stretches.back().end - stretches.back().begin);
  }
  return instants.back().after.at(place);
}

std::vector<Real> InstantRun::changes(const std::string& name) const {
  const auto place = static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
  std::vector<Real> times;
  for (const Instant& instant : instants) {
    if (instant.before.at(place) != instant.after.at(place)) {
      times.push_back(instant.time);
    }
  }
  return times;
}

InstantRun interpret(const DiscreteModel& model, const std::vector<Real>& moved) {
  InstantRun run;
  for (const Variable& variable : model.variables) {
    run.names.push_back(variable.name);
    run.is_discrete.push_back(variable.role == Role::discrete);
  }
  try {
    Interpreter interpreter(model, moved);
    try {
      interpreter.run(run);
    } catch (const Ended& ended) {
      run.outcome = ended.outcome;
      run.why = ended.why;
    } catch (const NoSolution& none) {
      run.outcome = Outcome::no_solution;
      run.why = none.what();
    } catch (const Unsupported& unsupported) {
      run.outcome = Outcome::unsupported;
      run.why = unsupported.what();
    }
    run.end = interpreter.time();
    run.doubt = interpreter.doubt();
  } catch (const DiscreteCycle& cycle) {
    run.outcome = Outcome::cycle;
    run.why = cycle.what();
  } catch (const Unsupported& unsupported) {
    run.outcome = Outcome::unsupported;
    run.why = unsupported.what();
  }
  return run;
}

InstantRun interpret(const std::string& text) {
  try {
    return interpret(read_model(text));
  } catch (const Unsupported& unsupported) {
    InstantRun run;
    run.outcome = Outcome::unsupported;
    run.why = unsupported.what();
    return run;
  }
}

}  // namespace saltus::test::instants
