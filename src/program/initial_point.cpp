// Consistent values at the start: the blocks of the initial problem and the relations as written on their values, until
// both agree (docs/semantics.md 3.1). Where a block cannot be solved from its guess with these sides, values and sides are looked for
// together, from afar (free_start.hpp, blocks/block_homotopy.hpp), and the search begins again with what was found.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/number_text.hpp"
#include "expr/evaluate.hpp"
#include "program/equations/system_data.hpp"
#include "program/failure_report.hpp"
#include "program/free_start.hpp"
#include "program/guards/diagnostic_codes.hpp"
#include "structure/match/names.hpp"

namespace saltus::program {
namespace {

using Status = system::Evaluation::Status;

// Sets of truth values tried before the search is given up, beside one for every guard. A model whose conditions settle needs about as
// many as the longest chain of conditions in which each depends on the one before.
constexpr std::size_t kMostStartTrials = 100;

// Solutions whose variables differ by less of the largest of them are one: what is left of a guard that is zero (a diode that carries and
// blocks nothing) is rounding, and the truths that it gives in turn are no loop. Far above what solving a block leaves, far below every
// value that two combinations of truths give differently. Not measured.
constexpr double kSameSolution = 1e-12;

class InitialProblem {
 public:
  InitialProblem(const SystemData& data, double t, const system::Configuration* asked)
      : data_(data),
        code_(*data.code),
        asked_(asked),
        mode_(data.initial_mode().code),
        t_(t),
        diagnostics_(data.code->model.source),
        runner_(*data.start),
        outputs_(data.code->initial_outputs.size()) {
    hold_starts(runner_);
    runner_.set_search(SequenceRunner::Search::newton);
  }

  Result<system::InitialPoint> run() {
    const Ended ended = settle(
        runner_, asked_ != nullptr ? asked_->latched : latched_of_values(code_, guards_at_starts(data_, t_)));
    if (ended == Ended::unsolved && !settle_from_afar()) {
      return Unexpected(std::move(diagnostics_));
    }
    if (ended == Ended::cycle) {
      return Unexpected(std::move(diagnostics_));
    }
    report_choices();
    check_states();
    check_conditions();
    if (diagnostics_.has_errors()) {
      return Unexpected(std::move(diagnostics_));
    }
    return point();
  }

 private:
  enum class Ended : std::uint8_t { settled, unsolved, cycle };

  void hold_starts(SequenceRunner& runner) const {
    for (std::size_t i = 0; i < data_.start_values.size(); ++i) {
      runner.set_held(code_.n_conditions() + i, data_.start_values[i]);
    }
    for (const ConditionId condition : code_.conditions.initial()) {
      runner.set_held(condition.index(), 1.0);
    }
  }

  [[nodiscard]] std::size_t n_states() const { return mode_.causalized.states.size(); }
  [[nodiscard]] std::size_t n_guards() const { return code_.conditions.guards().size(); }
  [[nodiscard]] std::span<const double> states() const { return std::span(outputs_).first(n_states()); }
  [[nodiscard]] std::span<const double> columns() const {
    return std::span(outputs_).subspan(n_states(), code_.columns.size());
  }
  [[nodiscard]] std::span<const double> guards() const {
    return std::span(outputs_).subspan(n_states() + code_.columns.size(), n_guards());
  }
  [[nodiscard]] std::span<const double> discrete_before() const {
    return std::span(outputs_).subspan(n_states() + code_.columns.size() + n_guards(), code_.discrete.size());
  }
  [[nodiscard]] std::span<const double> sides() const {
    return std::span(outputs_).subspan(n_states() + code_.columns.size() + n_guards() + code_.discrete.size(),
                                       2 * code_.initialization.checks.size());
  }

  // Solves with the truth values that the last values gave, until they repeat.
  Ended settle(SequenceRunner& runner, std::vector<double> latched) {
    std::vector<std::vector<double>> tried;
    std::vector<std::vector<double>> found;  // with these
    std::vector<double> states_before;
    bool keeps_sides = asked_ != nullptr;  // of guards that are zero
    while (true) {
      set_latched(runner, latched);
      states_before.assign(states().begin(), states().end());
      const system::Evaluation evaluation = runner.run(t_, nullptr, outputs_.data());
      if (!evaluation.ok() && !keeps_sides && !tried.empty()) {
        // As written at zero the equations have no solution (diodes without current, all of which would block).
        keeps_sides = true;
        latched = std::move(tried.back());
        tried.clear();
        found.clear();
        continue;
      }
      if (!evaluation.ok()) {
        failure_ = evaluation;
        latched_ = std::move(latched);
        return Ended::unsolved;
      }
      std::vector<double> next = latched_of_values(code_, guards());
      for (std::size_t i = 0; i < next.size() && keeps_sides; ++i) {
        next[i] = next[i] == 0.0 ? latched[i] : next[i];
      }
      if (next == latched) {
        latched_ = std::move(latched);
        return Ended::settled;
      }
      tried.push_back(std::move(latched));
      found.push_back(continuous_values());
      const auto again = std::find(tried.begin(), tried.end(), next);
      if (tried.size() == kMostStartTrials + next.size() || again != tried.end()) {
        const auto n_before = static_cast<std::size_t>(again - tried.begin());
        if (again != tried.end() && are_one(std::span(found).subspan(n_before))) {
          latched_ = tried.back();
          return Ended::settled;
        }
        if (may_slide(tried.back(), next, states_before)) {
          latched_ = tried.back();
          return Ended::settled;
        }
        report_cycle(tried.back(), next);
        return Ended::cycle;
      }
      latched = std::move(next);
    }
  }

  // Truths that stand for a relation are as uncertain as that.
  [[nodiscard]] std::vector<double> continuous_values() const {
    std::vector<double> values(columns().begin(), columns().end());
    for (const Index column : code_.discrete) {
      values[static_cast<std::size_t>(column)] = 0.0;
    }
    return values;
  }

  [[nodiscard]] static bool are_one(std::span<const std::vector<double>> solutions) {
    const std::vector<double>& last = solutions.back();
    double largest = 0.0;
    for (const double value : last) {
      largest = std::isnan(value) ? largest : std::max(largest, std::abs(value));
    }
    return std::all_of(solutions.begin(), solutions.end(), [&](const std::vector<double>& one) {
      return std::equal(one.begin(), one.end(), last.begin(), [&](double a, double b) {
        return std::abs(a - b) <= kSameSolution * largest || (std::isnan(a) && std::isnan(b));
      });
    });
  }

  // What is reported is why the search near the guess failed.
  bool settle_from_afar() {
    Failure failure = explain_block(problem_of_start(data_), runner_, failure_, t_, {});
    const bool is_singular = failure_.status == Status::singular_block;
    const BlockSequence sequence = bind_sequence(compile_free_start(code_), data_);
    SequenceRunner free(sequence);
    hold_starts(free);
    free.set_search(SequenceRunner::Search::homotopy);
    if (settle(free, latched_) == Ended::settled) {
      std::vector<double> found;
      for (const structure::Block& block : code_.initialization.blocks) {
        found.resize(found.size() +
                     (block.kind == structure::Block::Kind::explicit_formula ? 0 : block.unknowns.size()));
      }
      free.copy_solutions(found);
      choices_ = free.other_solutions();
      runner_.set_solutions(found);
      if (settle(runner_, latched_) == Ended::settled) {
        return true;
      }
    }
    report(std::move(failure), is_singular ? "" : "start values nearer to the solution may help");
    return false;
  }

  // Sides that only algebraic variables depend on, and that can be blended: the run begins between them (docs/semantics.md 7.8).
  [[nodiscard]] bool may_slide(const std::vector<double>& one, const std::vector<double>& other,
                               std::span<const double> states_before) const {
    for (std::size_t i = 0; i < one.size(); ++i) {
      if (one[i] != other[i] && !code_.guard_infos[i].can_slide) {
        return false;
      }
    }
    return std::equal(states_before.begin(), states_before.end(), states().begin(), states().end());
  }

  void set_latched(SequenceRunner& runner, const std::vector<double>& latched) const {
    for (std::size_t guard = 0; guard < latched.size(); ++guard) {
      for (const ConditionInputs::Use& use : code_.conditions.of_guard(guard)) {
        runner.set_held(use.condition, ConditionInputs::value_as_written(use, latched[guard]));
      }
    }
  }

  void report(Failure failure, std::string help) {
    std::optional<SourceSpan> span;
    if (failure.equation) {
      span = code_.initialization.equations[failure.equation->index()].span;
    }
    diagnostics_.error(kInitializationFailed, std::move(failure.sentence), span, std::move(help));
  }

  void report_cycle(const std::vector<double>& one, const std::vector<double>& other) {
    std::vector<std::string> names;
    std::optional<SourceSpan> span;
    for (std::size_t i = 0; i < one.size(); ++i) {
      if (one[i] != other[i]) {
        names.push_back("'" + code_.guard_infos[i].condition + "'");
        span = span ? span : code_.guard_infos[i].span;
      }
    }
    diagnostics_.error(kInitialConditionsCycle,
                       fmt::format("no initial values agree with the conditions {}: each choice of their "
                                   "truth values gives values for which they are different",
                                   structure::list_names(names)),
                       span, "give start values that decide the conditions, or fix fewer of them");
  }

  // Solutions that were found from beside a guess at which nothing decides between them.
  void report_choices() {
    if (choices_.empty()) {
      choices_ = runner_.other_solutions();
    }
    for (const SequenceRunner::OtherSolution& choice : choices_) {
      const structure::Block& block = code_.initialization.blocks[choice.block];
      std::vector<std::string> taken;
      std::vector<std::string> other;
      for (std::size_t i = 0; i < block.unknowns.size(); ++i) {
        const std::string name = structure::name_of(code_.model, block.unknowns[i]);
        taken.push_back(fmt::format("{} = {:.6g}", name, choice.taken[i]));
        other.push_back(fmt::format("{} = {:.6g}", name, choice.other[i]));
      }
      warnings_.warning(
          kStartNotUnique,
          fmt::format("the equations at the start have several solutions, and the start values do not decide "
                      "between them: {} is taken, {} is another",
                      structure::list_names(taken), structure::list_names(other)),
          code_.initialization.equations[block.equations[0].index()].span,
          "give a start value near the solution that is meant");
    }
  }

  void check_states() {
    const auto x = states();
    const auto bad = std::find_if_not(x.begin(), x.end(), [](double value) { return std::isfinite(value); });
    if (bad != x.end()) {
      const structure::Unknown& state = mode_.causalized.states[static_cast<std::size_t>(bad - x.begin())];
      report(explain_not_finite(problem_of_start(data_), runner_, state, t_, {}), "");
    }
  }

  // Conditions that the structure left over must hold in numbers (LANGUAGE 3).
  void check_conditions() {
    for (std::size_t i = 0; i < code_.initialization.checks.size(); ++i) {
      const double left = sides()[2 * i];
      const double right = sides()[2 * i + 1];
      const double scale = std::max({1.0, std::abs(left), std::abs(right)});
      // Written so that a NaN does not pass.
      if (!(std::abs(left - right) <= structure::kInitialCheckTolerance * scale)) {
        const flat::Equation& equation =
            code_.initialization.equations[code_.initialization.checks[i].index()];
        diagnostics_.error(
            kInitialContradiction,
            fmt::format("the initial condition {} does not hold: the other equations give {} on its left "
                        "and {} on its right side",
                        structure::quote(code_.model, equation), number_text(left), number_text(right)),
            equation.span, "drop it, or give the value that fits");
      }
    }
  }

  system::InitialPoint point() {
    system::InitialPoint result;
    result.x.assign(states().begin(), states().end());
    result.values.assign(columns().begin(), columns().end());
    for (std::size_t i = 0; i < result.values.size(); ++i) {
      if (!mode_.variable_of_column[i].valid()) {
        result.values[i] = std::numeric_limits<double>::quiet_NaN();
      }
    }
    result.discrete_before.assign(discrete_before().begin(), discrete_before().end());
    const auto n_before_guess =
        n_states() + code_.columns.size() + n_guards() + code_.discrete.size() + sides().size();
    result.guess.assign(outputs_.begin() + static_cast<std::ptrdiff_t>(n_before_guess), outputs_.end());
    result.configuration.mode = ModeId(code_.initial_mode);
    result.configuration.latched = latched_;
    for (const Index column : code_.discrete) {
      result.configuration.discrete.push_back(result.values[static_cast<std::size_t>(column)]);
    }
    result.warnings = code_.warnings;
    result.warnings.append(std::move(warnings_));
    return result;
  }

  const SystemData& data_;
  const SystemCode& code_;
  const system::Configuration* asked_;
  const ModeCode& mode_;
  double t_;
  Diagnostics diagnostics_;
  Diagnostics warnings_;
  SequenceRunner runner_;
  system::Evaluation failure_;
  std::vector<SequenceRunner::OtherSolution> choices_;
  std::vector<double> outputs_;
  std::vector<double> latched_;
};

}  // namespace

Result<system::InitialPoint> find_initial_point(const SystemData& data, double t,
                                                const system::Configuration* asked) {
  return InitialProblem(data, t, asked).run();
}

system::Configuration start_configuration(const SystemData& data, double t) {
  system::Configuration configuration;
  configuration.mode = ModeId(data.code->initial_mode);
  configuration.latched = latched_of_values(*data.code, guards_at_starts(data, t));
  configuration.discrete = data.discrete_starts();
  return configuration;
}

std::vector<double> guards_at_starts(const SystemData& data, double t) {
  std::vector<double> starts;
  for (const UnknownScale& scale : data.scales) {
    starts.push_back(scale.guess);
  }
  const std::span<const double> conditions = std::span(data.frozen_inputs).last(data.code->n_conditions());
  std::vector<NodeId> nodes;
  for (const ConditionInputs::Guard& guard : data.code->conditions.guards()) {
    nodes.push_back(guard.expression);
  }
  return expr::evaluate(data.code->model.graph, nodes,
                        {.time = t,
                         .variables = starts,
                         .parameters = data.frozen_inputs,
                         .conditions = conditions,
                         .previous = starts,
                         .other = [](const expr::Node&) { return 0.0; }});
}

std::vector<double> latched_of_values(const SystemCode& code, std::span<const double> values) {
  const ModeCode& mode = code.modes[code.initial_mode];
  std::vector<double> latched(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool exists = mode.guards->can_evaluate(static_cast<Index>(i));
    latched[i] = exists ? ConditionInputs::latched_of(code.conditions.guards()[i], values[i]) : 0.0;
  }
  return latched;
}

}  // namespace saltus::program
