#include "support/landing/landing_model.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <stdexcept>

#include "support/known_solutions/random.hpp"
#include "support/landing/fraction.hpp"

namespace saltus::test::landing {
namespace {

using known::Random;

constexpr std::size_t kInstants = 3;  // at 1, 2 and 3
constexpr int kMostCrossings = 60;
const Fraction kEnd(15, 4);
constexpr std::size_t kOverTime[] = {0, 1, 4, 5, 6, 7};  // kinds of levels, in draw_level()

/// Σ factor·item + constant.
struct Sum {
  struct Term {
    enum class Kind : std::uint8_t { level, state, choice };
    Kind kind = Kind::level;
    std::size_t item = 0;
    Fraction factor;
  };
  std::vector<Term> terms;
  Fraction constant;
};

struct Level {
  std::array<Fraction, kInstants + 1> values;  // by how many instants have passed
  std::string text;
  std::string declarations;
};

struct State {
  Fraction start;
  Sum rate;
  std::size_t reset_at = 0;  // instant of its reinit; 0: none
  Fraction reset;
  bool is_reset_by_state = false;
};

struct Guard {
  Sum value;
  std::string relation;  // > >= < <=
  Fraction if_true, if_false;
  bool is_named = false;  // readers use the Boolean

  [[nodiscard]] bool holds(int side) const {
    return relation == ">" ? side > 0 : relation == ">=" ? side >= 0 : relation == "<" ? side < 0 : side <= 0;
  }
};

struct Draft {
  std::vector<Level> levels;
  std::vector<State> states;
  std::vector<Guard> guards;
};

/// Of a sum just before and just after each instant.
struct Seen {
  std::array<Fraction, kInstants + 1> before, after;
};

class Reference {
 public:
  explicit Reference(const Draft& draft, const Sum* probe = nullptr) : draft_(draft), probe_(probe) {}

  void run() {
    const std::size_t n = draft_.guards.size();
    for (const State& state : draft_.states) {
      x_.push_back(state.start);
    }
    sides_.assign(n, 0);
    z_.assign(n, Fraction(0));
    rises_.assign(n, 0);
    is_open_.assign(n, false);
    for (std::size_t m = 0; m < n; ++m) {
      sides_[m] = value(draft_.guards[m].value, sides_).sign();
      if (sides_[m] == 0) {
        throw std::overflow_error("a guard begins at zero");
      }
    }
    for (int crossings = 0; step(); ++crossings) {
      if (crossings > kMostCrossings) {
        throw std::overflow_error("too many crossings");
      }
    }
  }

  [[nodiscard]] const Seen& seen() const { return seen_; }
  [[nodiscard]] Truth truth(std::size_t m) const {
    return {std::to_string(m), draft_.guards[m].holds(sides_[m]), z_[m].value(),
            is_open_[m] ? std::nullopt : std::optional(rises_[m])};
  }

 private:
  using Sides = std::vector<int>;

  [[nodiscard]] Fraction value(const Sum& sum, const Sides& sides) const {
    Fraction result = sum.constant;
    for (const Sum::Term& term : sum.terms) {
      switch (term.kind) {
        case Sum::Term::Kind::level:
          result = result + term.factor * draft_.levels[term.item].values[passed_];
          break;
        case Sum::Term::Kind::state: result = result + term.factor * x_[term.item]; break;
        case Sum::Term::Kind::choice: {
          const Guard& guard = draft_.guards[term.item];
          result = result + term.factor * (guard.holds(sides[term.item]) ? guard.if_true : guard.if_false);
          break;
        }
      }
    }
    return result;
  }

  [[nodiscard]] Fraction rate(const Sum& sum, const Sides& sides) const {
    Fraction result;
    for (const Sum::Term& term : sum.terms) {
      if (term.kind == Sum::Term::Kind::state) {
        result = result + term.factor * value(draft_.states[term.item].rate, sides);
      }
    }
    return result;
  }

  // False: the end is reached.
  bool step() {
    const Fraction due = passed_ < kInstants ? Fraction(static_cast<std::int64_t>(passed_) + 1) : kEnd;
    Fraction next = due;
    for (const Guard& guard : draft_.guards) {
      const Fraction v = value(guard.value, sides_);
      const Fraction r = rate(guard.value, sides_);
      if (v.sign() * r.sign() < 0 && time_ - v / r < next) {
        next = time_ - v / r;
      }
    }
    const Fraction length = next - time_;
    std::vector<Fraction> rates;
    for (const State& state : draft_.states) {
      rates.push_back(value(state.rate, sides_));
    }
    for (std::size_t i = 0; i < x_.size(); ++i) {
      x_[i] = x_[i] + length * rates[i];
    }
    for (std::size_t m = 0; m < z_.size(); ++m) {
      z_[m] = draft_.guards[m].holds(sides_[m]) ? z_[m] + length : z_[m] - length;
    }
    time_ = next;
    if (time_ == kEnd) {
      for (const Guard& guard : draft_.guards) {
        if (value(guard.value, sides_).sign() == 0 && rate(guard.value, sides_).sign() != 0) {
          throw std::overflow_error("a guard crosses at the stop");
        }
      }
      return false;
    }
    const bool is_due = time_ == due;
    if (is_due && probe_ != nullptr) {
      seen_.before[passed_ + 1] = value(*probe_, sides_);
    }
    settle(is_due);
    if (is_due && probe_ != nullptr) {
      seen_.after[passed_] = value(*probe_, sides_);
    }
    return true;
  }

  [[nodiscard]] Sides signs(const Sides& at_zero) const {
    Sides sides = at_zero;
    for (std::size_t m = 0; m < sides.size(); ++m) {
      const int sign = value(draft_.guards[m].value, sides).sign();
      sides[m] = sign != 0 ? sign : at_zero[m];
    }
    return sides;
  }

  // Those that have come to zero are beyond it, whatever the instant does to their rates.
  [[nodiscard]] Sides sides_beyond() const {
    Sides sides = sides_;
    for (std::size_t m = 0; m < sides.size(); ++m) {
      const bool is_zero = value(draft_.guards[m].value, sides_).sign() == 0;
      sides[m] = is_zero && rate(draft_.guards[m].value, sides_).sign() * sides[m] < 0 ? -sides[m] : sides[m];
    }
    return sides;
  }

  [[nodiscard]] Sides decided() const {
    Sides sides = sides_;
    for (std::size_t m = 0; m < sides.size(); ++m) {
      const int sign = value(draft_.guards[m].value, sides).sign();
      sides[m] = sign != 0 ? sign : rate(draft_.guards[m].value, sides).sign();
    }
    return sides;
  }

  void settle(bool is_due) {
    const Sides crossed = sides_beyond();
    passed_ += is_due ? 1 : 0;
    const Sides before = sides_;
    std::vector<std::vector<Sides>> ways = {{signs(before)}, {signs(decided())}, {signs(crossed)}};
    bool is_reset = false;
    for (std::size_t i = 0; i < x_.size() && is_due; ++i) {
      if (draft_.states[i].reset_at == passed_) {
        x_[i] = draft_.states[i].reset;
        is_reset = true;
      }
    }
    sides_ = decided();
    for (std::vector<Sides>& rounds : ways) {
      if (is_reset) {
        rounds.push_back(signs(rounds.back()));
      }
      rounds.push_back(sides_);
    }
    std::vector<bool> is_open_here(sides_.size(), false);
    for (std::size_t m = 0; m < sides_.size(); ++m) {
      const int rises = edges(before, ways[0], m);
      const std::vector<Sum::Term>& terms = draft_.guards[m].value.terms;
      is_open_here[m] = rises != edges(before, ways[1], m) || rises != edges(before, ways[2], m) ||
                        std::any_of(terms.begin(), terms.end(), [&](const Sum::Term& term) {
                          return term.kind == Sum::Term::Kind::choice && is_open_here[term.item];
                        });
      is_open_[m] = is_open_[m] || is_open_here[m];
      rises_[m] += rises;
    }
  }

  [[nodiscard]] int edges(const Sides& before, const std::vector<Sides>& rounds, std::size_t m) const {
    bool held = draft_.guards[m].holds(before[m]);
    int count = 0;
    for (const Sides& round : rounds) {
      const bool holds = draft_.guards[m].holds(round[m]);
      count += holds && !held ? 1 : 0;
      held = holds;
    }
    return count;
  }

  const Draft& draft_;
  const Sum* probe_;
  Seen seen_;
  Fraction time_;
  std::size_t passed_ = 0;
  std::vector<Fraction> x_, z_;
  Sides sides_;
  std::vector<int> rises_;
  std::vector<bool> is_open_;
};

Fraction small(Random& random) {
  const Fraction sizes[] = {{1, 2}, {1}, {3, 2}, {2}, {1, 4}, {3}};
  const Fraction size = sizes[random.below(6)];
  return random.chance(0.5) ? size : -size;
}

std::string name(const char* stem, std::size_t number) {
  return stem + std::to_string(number);
}

std::string text_of(const Sum& sum, const std::string& last) {
  std::string text;
  for (const Sum::Term& term : sum.terms) {
    const char* const stem = term.kind == Sum::Term::Kind::level   ? "L"
                             : term.kind == Sum::Term::Kind::state ? "x"
                                                                   : "S";
    text += (text.empty() ? "" : " + ") + term.factor.text() + "*" + name(stem, term.item);
  }
  return text.empty() ? last : text + last;
}

Level draw_level(Random& random, std::size_t number, Causes causes) {
  Level level;
  const std::size_t at = 1 + random.below(kInstants);
  const Fraction before = small(random);
  const Fraction after = small(random);
  const std::string own = name("L", number);
  const std::string clock = name("c", number);
  const std::string when = std::to_string(at);
  const std::string choice = " then " + after.text() + " else " + before.text() + ";\n";
  const std::string body = " then\n  " + own + " = " + after.text() + ";\n end when;\n";
  const std::string held = " discrete Real " + own + "(start = " + before.text() + ", fixed = true);\n";
  const std::string plain = " Real " + own + ";\n";
  const std::string state = " Real " + clock + "(start = -" + when + ", fixed = true);\n";
  const std::string motion = " der(" + clock + ") = 1;\n";
  const std::string linear = after.text() + "*";
  for (std::size_t k = 0; k <= kInstants; ++k) {
    level.values[k] = k >= at ? after : before;
  }
  const std::size_t kind = causes == Causes::time ? kOverTime[random.below(6)] : random.below(8);
  if (kind >= 6) {
    for (std::size_t k = 0; k <= kInstants; ++k) {
      level.values[k] = before + after * Fraction(static_cast<std::int64_t>(k));
    }
  }
  switch (kind) {
    case 0: level.declarations = plain, level.text = " " + own + " = if time >= " + when + choice; break;
    case 1: level.declarations = held, level.text = " when time >= " + when + body; break;
    case 2: level.declarations = held + state, level.text = motion + " when " + clock + " > 0" + body; break;
    case 3:
      level.declarations = plain + state,
      level.text = motion + " " + own + " = if " + clock + " > 0" + choice;
      break;
    case 4: level.declarations = held, level.text = " when sample(" + when + ", 10)" + body; break;
    case 5:
      level.declarations = plain + " Boolean " + name("B", number) + ";\n",
      level.text = " " + name("B", number) + " = time >= " + when + ";\n " + own + " = if " +
                   name("B", number) + choice;
      break;
    case 6:
      level.declarations = plain;
      level.text = " " + own + " = " + linear + "floor(time) + " + before.text() + ";\n";
      break;
    default:
      level.declarations = plain + " Integer " + name("k", number) + "(start = 0, fixed = true);\n";
      level.text = " when sample(1, 1) then\n  " + name("k", number) + " = pre(" + name("k", number) +
                   ") + 1;\n end when;\n " + own + " = " + linear + name("k", number) + " + " +
                   before.text() + ";\n";
  }
  return level;
}

// Of levels and of choices over earlier guards.
Sum draw_rate(Random& random, const Draft& draft) {
  Sum sum;
  for (std::size_t k = 0; k < draft.levels.size(); ++k) {
    if (random.chance(0.4)) {
      sum.terms.push_back({Sum::Term::Kind::level, k, small(random)});
    }
  }
  for (std::size_t m = 0; m < draft.guards.size(); ++m) {
    if (random.chance(0.4)) {
      sum.terms.push_back({Sum::Term::Kind::choice, m, small(random)});
    }
  }
  sum.constant = small(random);
  return sum;
}

State draw_state(Random& random, const Draft& draft, Causes causes) {
  State state;
  state.start = small(random);
  state.rate = draw_rate(random, draft);
  if (random.chance(0.3)) {
    state.reset_at = 1 + random.below(kInstants);
    state.reset = small(random);
    state.is_reset_by_state = causes == Causes::time_and_states && random.chance(0.4);
  }
  return state;
}

Guard draw_guard(Random& random, const Draft& draft) {
  Guard guard;
  const char* const relations[] = {">", ">=", "<", "<="};
  guard.relation = relations[random.below(4)];
  guard.is_named = random.chance(0.5);
  guard.if_true = small(random);
  guard.if_false = small(random);
  std::vector<Sum::Term>& terms = guard.value.terms;
  for (std::size_t i = 0; i < draft.states.size(); ++i) {
    if (random.chance(0.6)) {
      terms.push_back({Sum::Term::Kind::state, i, small(random)});
    }
  }
  for (std::size_t k = 0; k < draft.levels.size(); ++k) {
    if (random.chance(0.4)) {
      terms.push_back({Sum::Term::Kind::level, k, small(random)});
    }
  }
  for (std::size_t m = 0; m < draft.guards.size(); ++m) {
    if (random.chance(0.4)) {
      terms.push_back({Sum::Term::Kind::choice, m, small(random)});
    }
  }
  if (terms.empty()) {
    terms.push_back({Sum::Term::Kind::state, random.below(draft.states.size()), small(random)});
  }
  Reference reference(draft, &guard.value);
  reference.run();
  const std::size_t at = 1 + random.below(kInstants);
  const double how = random.unit();
  guard.value.constant = how < 0.6   ? -reference.seen().after[at]
                         : how < 0.8 ? -reference.seen().before[at]
                                     : small(random);
  return guard;
}

std::string write(const Draft& draft) {
  std::string declarations;
  std::string equations;
  for (const Level& level : draft.levels) {
    declarations += level.declarations;
    equations += level.text;
  }
  for (std::size_t i = 0; i < draft.states.size(); ++i) {
    const State& state = draft.states[i];
    const std::string own = name("x", i);
    declarations += " Real " + own + "(start = " + state.start.text() + ", fixed = true);\n";
    equations += " der(" + own + ") = " + text_of(state.rate, " + " + state.rate.constant.text()) + ";\n";
    if (state.reset_at == 0) {
      continue;
    }
    const std::string when = std::to_string(state.reset_at);
    if (state.is_reset_by_state) {
      declarations += " Real " + name("r", i) + "(start = -" + when + ", fixed = true);\n";
      equations += " der(" + name("r", i) + ") = 1;\n";
    }
    equations += " when " + (state.is_reset_by_state ? name("r", i) + " > 0" : "time >= " + when) +
                 " then\n  reinit(" + own + ", " + state.reset.text() + ");\n end when;\n";
  }
  for (std::size_t m = 0; m < draft.guards.size(); ++m) {
    const Guard& guard = draft.guards[m];
    const std::string relation =
        text_of(guard.value, " + " + guard.value.constant.text()) + " " + guard.relation + " 0";
    const std::string read = guard.is_named ? name("b", m) : relation;
    declarations += " Real " + name("S", m) + ", " + name("z", m) + "(start = 0, fixed = true);\n Boolean " +
                    name("b", m) + ";\n Integer " + name("n", m) + "(start = 0, fixed = true);\n";
    equations += " " + name("b", m) + " = " + relation + ";\n " + name("S", m) + " = if " + read + " then " +
                 guard.if_true.text() + " else " + guard.if_false.text() + ";\n der(" + name("z", m) +
                 ") = if " + read + " then 1 else -1;\n when " + read + " then\n  " + name("n", m) +
                 " = pre(" + name("n", m) + ") + 1;\n end when;\n";
  }
  return "model M\n" + declarations + "equation\n" + equations + "end M;\n";
}

Model draw(Random& random, Causes causes) {
  Draft draft;
  const std::size_t n_levels = 1 + random.below(3);
  for (std::size_t k = 0; k < n_levels; ++k) {
    draft.levels.push_back(draw_level(random, k, causes));
  }
  draft.states.push_back(draw_state(random, draft, causes));
  const std::size_t n_guards = 1 + random.below(4);
  for (std::size_t m = 0; m < n_guards; ++m) {
    draft.guards.push_back(draw_guard(random, draft));
    if (draft.states.size() < 2 && random.chance(0.4)) {
      draft.states.push_back(draw_state(random, draft, causes));
    }
  }
  Reference reference(draft);
  reference.run();
  Model model;
  model.text = write(draft);
  for (std::size_t m = 0; m < draft.guards.size(); ++m) {
    model.truths.push_back(reference.truth(m));
  }
  return model;
}

}  // namespace

Model landing_model(std::uint32_t seed, Causes causes) {
  for (std::uint32_t attempt = 0;; ++attempt) {
    try {
      Random random(seed, attempt);
      return draw(random, causes);
    } catch (const std::overflow_error&) {
      continue;  // a guard that begins at zero, or ends there, or fractions that do not fit: another draw
    }
  }
}

}  // namespace saltus::test::landing
