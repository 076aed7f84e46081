#include "support/oracle/instants/random_logic.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "support/oracle/instants/instant_oracle.hpp"
#include "support/oracle/instants/logic_expressions.hpp"

namespace saltus::test::instants {
namespace {

constexpr double kStop = 4.0;

class LogicWriter : private LogicExpressions {
 public:
  using LogicExpressions::LogicExpressions;

  std::string write() {
    const std::size_t n_states = 1 + draw_.below(3);
    for (std::size_t i = 0; i < n_states; ++i) {
      states_.push_back("x" + std::to_string(i + 1));
    }
    const std::size_t n_kept = 1 + draw_.below(3);
    for (std::size_t i = 0; i < n_kept; ++i) {
      const auto sort = static_cast<Sort>(chance(2, 5) ? 0 : 1 + draw_.below(2));
      kept_.push_back({"k" + std::to_string(i + 1), sort});
    }
    const std::size_t n_middle = 1 + draw_.below(4);
    for (std::size_t i = 0; i < n_middle; ++i) {
      add_middle();
    }
    for (const Discrete& kept : kept_) {
      add_clause({kept});
      visible_.push_back(kept);
    }
    const std::size_t n_counters = 1 + draw_.below(2);
    for (std::size_t i = 0; i < n_counters; ++i) {
      add_counter("n" + std::to_string(i + 1));
    }
    for (const std::string& state : states_) {
      add_state(state);
    }
    return text();
  }

 private:
  [[nodiscard]] std::string body_value(const Discrete& target) {
    const std::string past = "pre(" + target.name + ")";
    switch (target.sort) {
      case Sort::integer:
        switch (draw_.below(5)) {
          case 0: return "if " + atom() + " then " + past + " + 1 else 0";
          case 1: return "if " + past + " >= 3 then 0 else " + past + " + 1";
          default: return past + " + 1";
        }
      case Sort::boolean:
        switch (draw_.below(4)) {
          case 0: return atom();
          case 1: return chance(1, 2) ? "true" : "false";
          default: return "not " + past;
        }
      default: break;
    }
    switch (draw_.below(5)) {
      case 0: return past + " + " + level();
      case 1: return "pre(" + one_of(states_) + ")";
      case 2: return level();
      default: return chance(1, 2) ? quantity() : real_expression();
    }
  }

  [[nodiscard]] std::string body(const std::vector<Discrete>& targets) {
    std::string lines;
    for (const Discrete& target : targets) {
      lines += "    " + target.name + " = " + body_value(target) + ";\n";
    }
    return lines;
  }

  /// Empty, or for a state that no clause resets yet. One that may be an equation of the start does not read the state itself.
  [[nodiscard]] std::string reinit(bool may_be_at_start) {
    if (!is(LogicFamily::resets) && !chance(1, 8)) {
      return "";
    }
    if (n_reset_ == states_.size() || !chance(2, 3)) {
      return "";
    }
    const std::string state = states_[n_reset_];
    const std::string values[] = {level(), "-" + factor() + "*pre(" + state + ")", state + " + " + level(),
                                  quantity()};
    return "    reinit(" + state + ", " + values[may_be_at_start ? 0 : draw_.below(4)] + ");\n";
  }

  void declare(const Discrete& target, bool is_fixed) {
    const char* const types[] = {"discrete Real", "Integer", "Boolean"};
    if (!is_fixed) {
      // What an equation gives: the value that it has at the start, so that pre is not open there.
      guessed_.push_back(target.name);
      declarations_.push_back(std::string(types[static_cast<int>(target.sort)]) + " " + target.name +
                              "(start = @" + target.name + "@);");
      return;
    }
    const std::string start = target.sort == Sort::boolean   ? "false"
                              : target.sort == Sort::integer ? "0"
                                                             : level();
    declarations_.push_back(std::string(types[static_cast<int>(target.sort)]) + " " + target.name +
                            "(start = " + start + ", fixed = true);");
  }

  void add_clause(const std::vector<Discrete>& targets) {
    const auto branch = [&](const std::string& word) {
      const std::string condition = trigger();
      const std::string assignments = body(targets);
      const bool may_be_at_start = condition.find("initial()") != std::string::npos;
      return word + condition + " then\n" + assignments + reinit(may_be_at_start);
    };
    std::string line = branch("when ");
    if (chance(1, 4)) {
      line += branch("  elsewhen ");
    }
    if (line.find("reinit(") != std::string::npos) {
      if (line.find("initial()") != std::string::npos) {
        // It may be an equation of the start, which leaves no room for another.
        given_.push_back(states_[n_reset_]);
      }
      ++n_reset_;
    }
    equations_.push_back(line + "  end when;");
    for (const Discrete& target : targets) {
      const bool is_free = is(LogicFamily::starts) && chance(1, 4);
      declare(target, !is_free);
      if (is_free && chance(1, 2)) {
        initial_equations_.push_back(join({chance(1, 2) ? target.name : "pre(" + target.name + ")", " = ",
                                           target.sort == Sort::boolean   ? "true"
                                           : target.sort == Sort::integer ? "2"
                                                                          : level(),
                                           ";"}));
      }
    }
  }

  void add_counter(const std::string& name) {
    const Discrete counter{name, Sort::integer};
    const std::string fire = chance(1, 3) && !visible_.empty()
                                 ? "change(" + visible_[draw_.below(visible_.size())].name + ")"
                                 : condition();
    declare(counter, true);
    if (chance(1, 4)) {
      std::string seen = name + "b";
      declarations_.push_back("Boolean " + seen + ";");
      equations_.push_back(seen + " = " + condition() + ";");
      equations_.push_back("when " + seen + " then\n    " + name + " = pre(" + name + ") + 1;\n  end when;");
    } else {
      equations_.push_back("when " + fire + " then\n    " + name + " = pre(" + name + ") + 1;\n  end when;");
    }
    visible_.push_back(counter);
  }

  void add_real(const std::string& name, const std::string& value) {
    declarations_.push_back("Real " + name + ";");
    equations_.push_back(name + " = " + value + ";");
    reals_.push_back(name);
  }

  void add_wave() {
    const std::string name = "w" + std::to_string(++n_names_);
    const std::string argument = chance(1, 2) ? "time" : quantity();
    const std::string period = text_of(static_cast<double>(1 + draw_.below(4)) / 2);
    switch (draw_.below(3)) {
      case 0: add_real(name, "mod(" + argument + ", " + period + ")"); break;
      case 1:
        add_real(name + "s", "mod(" + argument + ", 1)");
        add_real(name, "if " + name + "s < 0.5 then 4*" + name + "s - 1 else 3 - 4*" + name + "s");
        break;
      default: {
        const Discrete whole{name, Sort::integer};
        declare(whole, false);
        equations_.push_back(name + " = integer(" + factor() + "*" + argument + ");");
        visible_.push_back(whole);
        break;
      }
    }
  }

  void add_diode() {
    const std::string id = std::to_string(++n_names_);
    const std::string source = real_expression();
    const char* const leaks[] = {"0", "0.25", "0.5"};
    const std::string on = leaks[draw_.below(3)];
    const std::string off = leaks[draw_.below(3)];
    const std::size_t n = 1 + draw_.below(2);
    std::string drops;
    declarations_.push_back("Real i" + id + ";");
    for (std::size_t k = 1; k <= n; ++k) {
      const std::string tag = id + std::string(1, static_cast<char>('a' + k - 1));
      declarations_.push_back("Real s" + tag + ", v" + tag + ";");
      declare({"off" + tag, Sort::boolean}, false);
      equations_.push_back("off" + tag + " = s" + tag + " < 0;");
      equations_.push_back("v" + tag + " = s" + tag + "*(if off" + tag + " then 1 else " + on + ");");
      equations_.push_back("i" + id + " = s" + tag + "*(if off" + tag + " then " + (n == 2 ? "0.25" : off) +
                           " else 1)" + (k == 2 && chance(1, 2) ? " + v" + tag + "/4" : "") + ";");
      drops += " + v" + tag;
      reals_.push_back("v" + tag);
      visible_.push_back({"off" + tag, Sort::boolean});
    }
    reals_.push_back("i" + id);
    equations_.push_back(source + " = i" + id + drops + ";");
  }

  void add_middle() {
    if (is(LogicFamily::diodes) && chance(1, 2)) {
      add_diode();
      return;
    }
    if (is(LogicFamily::waves) && chance(2, 3)) {
      add_wave();
      return;
    }
    const std::string id = std::to_string(++n_names_);
    switch (draw_.below(4)) {
      case 0: add_real("y" + id, real_expression()); break;
      case 1:
        add_real("y" + id, join({"if ", condition(), " then ", real_expression(), " else ", level()}));
        break;
      case 2: {
        const Discrete truth{"b" + id, Sort::boolean};
        declare(truth, is(LogicFamily::starts) && chance(1, 3));
        equations_.push_back(truth.name + " = " + condition() + ";");
        visible_.push_back(truth);
        break;
      }
      default: {
        const Discrete whole{"m" + id, Sort::integer};
        declare(whole, is(LogicFamily::starts) && chance(1, 3));
        equations_.push_back(join({whole.name, " = if ", condition(), " then ",
                                   chance(1, 2) ? "1" : "pre(" + kept_whole() + ")", " else 2;"}));
        visible_.push_back(whole);
        break;
      }
    }
  }

  [[nodiscard]] std::string kept_whole() {
    for (const Discrete& other : kept_) {
      if (other.sort == Sort::integer) {
        return other.name;
      }
    }
    kept_.push_back({"k" + std::to_string(kept_.size() + 1), Sort::integer});
    return kept_.back().name;
  }

  void add_state(const std::string& state) {
    const double rates[] = {1, 1, -1, 0.5, -0.5, 0.75, -0.75, 1.25};
    const auto rate = [&] { return text_of(rates[draw_.below(8)]); };
    const bool is_given = std::find(given_.begin(), given_.end(), state) != given_.end();
    const bool is_free = (is(LogicFamily::starts) && chance(1, 3)) || is_given;
    declarations_.push_back("Real " + state + "(start = " + level() + (is_free ? "" : ", fixed = true") +
                            ");");
    if (is_free && !is_given && chance(1, 2)) {
      initial_equations_.push_back(state + " = " + level() + ";");
    }
    std::string value = rate();
    switch (draw_.below(5)) {
      case 0: value += " + " + rate() + "*time"; break;
      case 1: {
        Names truths;
        for (const Discrete& other : visible_) {
          truths.push_back(other.sort == Sort::boolean   ? other.name
                           : other.sort == Sort::integer ? "mod(" + other.name + ", 2) == 1"
                                                         : "time < " + moment());
        }
        value = join({"if ", one_of(truths), " then ", rate(), " else ", rate()});
        break;
      }
      default: break;
    }
    equations_.push_back("der(" + state + ") = " + value + ";");
  }

  [[nodiscard]] std::string text() {
    for (std::size_t i = equations_.size(); i-- > 1;) {
      std::swap(equations_[i], equations_[draw_.below(i + 1)]);
    }
    std::string all = "model Logic\n";
    for (const std::string& line : declarations_) {
      all += "  " + line + "\n";
    }
    if (!initial_equations_.empty()) {
      all += "initial equation\n";
      for (const std::string& line : initial_equations_) {
        all += "  " + line + "\n";
      }
    }
    all += "equation\n";
    for (const std::string& line : equations_) {
      all += "  " + line + "\n";
    }
    all += "  annotation(experiment(StopTime = " + text_of(kStop) + "));\nend Logic;\n";
    return with_guesses(all);
  }

  /// The text with @v@ replaced by what v is at the start if pre(v) is zero there.
  [[nodiscard]] std::string with_guesses(const std::string& all) const {
    const auto replaced = [&](const std::vector<std::string>& values) {
      std::string result = all;
      for (std::size_t i = 0; i < guessed_.size(); ++i) {
        const std::string mark = "@" + guessed_[i] + "@";
        result.replace(result.find(mark), mark.size(), values[i]);
      }
      return result;
    };
    std::vector<std::string> values(guessed_.size(), "0");
    const InstantRun run = interpret(replaced(values));
    for (std::size_t i = 0; i < guessed_.size() && !run.instants.empty(); ++i) {
      const auto place = std::find(run.names.begin(), run.names.end(), guessed_[i]) - run.names.begin();
      values[i] = text_of(static_cast<double>(run.instants[0].before[static_cast<std::size_t>(place)]));
    }
    std::string result = replaced(values);
    // Booleans are written as such.
    for (const std::string& name : guessed_) {
      const std::string head = "Boolean " + name + "(start = ";
      if (const std::size_t at = result.find(head); at != std::string::npos) {
        result.replace(at + head.size(), 1, result[at + head.size()] == '0' ? "false" : "true");
      }
    }
    return result;
  }

  std::size_t n_names_ = 0;
  std::size_t n_reset_ = 0;
  Names declarations_;
  Names equations_;
  Names initial_equations_;
  Names guessed_;
  Names given_;  // states that a clause with initial() sets
};

}  // namespace

const char* to_string(LogicFamily family) {
  switch (family) {
    case LogicFamily::clauses: return "clauses";
    case LogicFamily::waves: return "waves";
    case LogicFamily::moves: return "moves";
    case LogicFamily::resets: return "resets";
    case LogicFamily::starts: return "starts";
    case LogicFamily::diodes: return "diodes";
    case LogicFamily::mixtures: return "mixtures";
  }
  return "";
}

std::string random_logic(LogicFamily family, std::uint32_t seed) {
  return LogicWriter(family, seed).write();
}

}  // namespace saltus::test::instants
