#include "settle/enter/transfer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "reduce/nonlinear/consistency.hpp"
#include "reduce/nonlinear/constraint_grades.hpp"
#include "reduce/ranks/characteristic_values.hpp"
#include "saltus/contract.hpp"
#include "settle/state/diagnostic_codes.hpp"
#include "settle/state/idle_round.hpp"

namespace saltus::settle {
namespace {

using reduce::Hold;

// Discrete values that depend on the states which depend on them settle at once, or hardly ever.
constexpr int kMostTransferPasses = 20;

bool is_nan(double value) {
  return std::isnan(value);
}

// Discrete values of two passes, with the same states: reals that read what an iteration gives (multipliers of constraints) differ by
// its rounding errors however often they are found. Whole numbers do not.
bool have_settled(std::span<const double> before, std::span<const double> after, bool has_same_states) {
  return std::equal(before.begin(), before.end(), after.begin(), after.end(),
                    [has_same_states](double a, double b) {
                      const bool is_whole = a == std::trunc(a) && b == std::trunc(b);
                      return a == b || (has_same_states && !is_whole);
                    });
}

bool has_combined_rows(const system::EquationSet& constraints) {
  return std::any_of(constraints.rows().begin(), constraints.rows().end(),
                     [](const system::RowInfo& row) { return row.is_combined; });
}

// By ranks or beside combinations, rows over differentiated states alone are constraints with a grade if they stand in the model.
void find_grades_as_written(reduce::TransferProblem& problem, std::size_t n_rows) {
  const system::RectangularPattern& pattern = problem.equations->pattern();
  std::vector<std::uint8_t> is_constraint(static_cast<std::size_t>(pattern.n_rows), 1);
  for (std::size_t j = 0; j < problem.hold.size(); ++j) {
    const bool is_state = problem.hold[j] == Hold::held || problem.hold[j] == Hold::open;
    for (Index e = pattern.column_starts[j]; !is_state && e < pattern.column_starts[j + 1]; ++e) {
      is_constraint[static_cast<std::size_t>(pattern.rows[static_cast<std::size_t>(e)])] = 0;
    }
  }
  std::vector<system::RowInfo> rows;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < n_rows; ++i) {
    if (is_constraint[i] != 0 && !problem.equations->rows()[i].is_combined) {
      rows.push_back(problem.equations->rows()[i]);
      places.push_back(i);
    }
  }
  const std::vector<int> grades = reduce::grades_of_constraints(rows);
  for (std::size_t k = 0; k < places.size(); ++k) {
    problem.grade[places[k]] = grades[k] - 1;  // -1 is left to states whose constraints contain rates
  }
}

}  // namespace

bool Transfer::has_constraints(const ModeData& target) {
  const std::shared_ptr<const system::EquationSet> constraints = target.locked->constraints();
  return target.locked->reduction() == system::Reduction::ranks ||
         (constraints != nullptr && constraints->n_rows() > 0);
}

bool Transfer::is_needed(const ModeData& target, std::span<const double> x_previous) {
  return has_constraints(target) || std::any_of(x_previous.begin(), x_previous.end(), is_nan) ||
         law_.joins_different(target);
}

bool Transfer::can_help(ModeData& target) {
  return target.rounds->jump_equations() != nullptr;
}

void Transfer::forget() {
  changes_.clear();
  impulse_order_ = -1;
  has_solved_ = false;
  law_.begin();
}

std::vector<std::uint8_t> Transfer::algebraic_states(const ModeData& mode) {
  return mode.locked->reduction() == system::Reduction::ranks ? states_not_written(mode)
                                                              : std::vector<std::uint8_t>();
}

std::vector<std::uint8_t> Transfer::states_not_written(const ModeData& mode) {
  std::vector<std::uint8_t> flags;
  for (const system::StateInfo& state : mode.locked->states()) {
    flags.push_back(state.is_written ? 0 : 1);
  }
  return flags;
}

// Jump equations of what fired. Of several that give one state the last in source order counts.
void Transfer::choose(ModeData& target, const system::RoundInputs& inputs) {
  chosen_ = {};
  const auto has_fired = [&inputs](Index action) {
    return inputs.fired[static_cast<std::size_t>(action)] != 0;
  };
  if (std::none_of(inputs.fired.begin(), inputs.fired.end(), [](std::uint8_t flag) { return flag != 0; })) {
    return;
  }
  chosen_.jumps = target.rounds->jump_equations();
  if (chosen_.jumps == nullptr) {
    return;
  }
  const std::vector<system::JumpEquations::Row>& rows = chosen_.jumps->rows;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const bool is_overruled =
        rows[i].state >= 0 && std::any_of(rows.begin() + static_cast<std::ptrdiff_t>(i) + 1, rows.end(),
                                          [&](const system::JumpEquations::Row& later) {
                                            return later.state == rows[i].state &&
                                                   later.action != rows[i].action &&
                                                   has_fired(later.action) &&
                                                   target.rounds->asks_for(later.action, later.state, inputs);
                                          });
    const bool counts =
        has_fired(rows[i].action) && !is_overruled && rows[i].is_late == !inputs.reinits.empty();
    if (counts && (rows[i].state < 0 || target.rounds->asks_for(rows[i].action, rows[i].state, inputs))) {
      chosen_.rows.push_back(static_cast<Index>(i));
    }
  }
  chosen_.may_jump.assign(static_cast<std::size_t>(chosen_.jumps->equations->n_slots()), 0);
  for (const system::JumpEquations::Jumping& jumping : chosen_.jumps->jumping) {
    if (has_fired(jumping.action) && jumping.is_late == !inputs.reinits.empty() &&
        target.rounds->asks_for(jumping.action, jumping.slot, inputs)) {
      chosen_.may_jump[static_cast<std::size_t>(jumping.slot)] = 1;
    }
  }
  if (chosen_.rows.empty()) {
    chosen_ = {};
  }
}

bool Transfer::solve(ModeData& target, const system::RoundInputs& inputs, system::RoundSolution& solution) {
  forget();
  x_before_.assign(inputs.x_previous.begin(), inputs.x_previous.end());
  x_ = x_before_;
  choose(target, inputs);
  system::RoundInputs keeping = inputs;
  keeping.keeps_states = true;
  keeping.x_previous = x_;
  configuration_ = *inputs.configuration;
  if (std::none_of(x_.begin(), x_.end(), is_nan) && solve_round(target, keeping, solution).ok()) {
    configuration_.discrete = solution.discrete;
  }
  for (int pass = 0; pass < kMostTransferPasses; ++pass) {
    if (!find_states(target, inputs)) {
      return false;
    }
    follow_law(target, inputs);
    keeping.x_previous = x_;
    const system::Evaluation evaluation = solve_round(target, keeping, solution);
    if (!evaluation.ok()) {
      return fail(reason_of(evaluation), target.rounds->describe(evaluation, inputs.t));
    }
    if (have_settled(configuration_.discrete, solution.discrete, pass > 0 && has_same_states(target))) {
      has_solved_ = true;
      return true;
    }
    configuration_.discrete = solution.discrete;
    x_of_pass_ = x_;
  }
  return fail(
      "no_convergence",
      fmt::format("at t = {:.9g} the discrete variables and the states of one round depend on each other "
                  "and do not settle",
                  inputs.t));
}

// As in the pass before, up to rounding.
bool Transfer::has_same_states(const ModeData& target) const {
  const std::vector<double>& nominal = target.engine->nominal();
  for (std::size_t i = 0; i < x_.size(); ++i) {
    if (reduce::has_moved(x_[i], x_of_pass_[i], nominal[i])) {
      return false;
    }
  }
  return true;
}

bool Transfer::onto_constraints(ModeData& target, const system::Configuration& configuration,
                                std::vector<double>& x) {
  forget();
  if (!is_needed(target, x)) {
    return true;
  }
  x_before_ = x;
  x_ = x;
  chosen_ = {};
  configuration_ = configuration;
  system::RoundInputs inputs;
  inputs.t = state_.at.time();
  if (!find_states(target, inputs)) {
    return false;
  }
  follow_law(target, inputs);
  x = x_;
  return true;
}

bool Transfer::find_states(ModeData& target, const system::RoundInputs& inputs) {
  changes_.clear();
  slots_found_.clear();
  impulse_order_ = -1;
  x_ = x_before_;
  const bool has_open = std::any_of(x_.begin(), x_.end(), is_nan);
  if (chosen_.rows.empty() && !has_open) {
    if (is_consistent(target, inputs.t, false)) {
      note_changes(target, {});
      return true;
    }
    // By ranks: linear equations that contradict each other have a projection, but no grades.
    if (target.locked->reduction() == system::Reduction::ranks) {
      const bool is_solved = solve_in_grades(target, inputs) || is_consistent(target, inputs.t, true);
      note_changes(target, {});
      return is_solved;
    }
  }
  return solve_in_grades(target, inputs);
}

bool Transfer::is_consistent(ModeData& target, double t, bool takes_any_change) {
  target.evaluator->set_configuration(configuration_);
  projected_ = x_;
  if (target.evaluator->projection() == system::Projection::none) {
    return true;
  }
  if (!target.evaluator->project_instant(t, projected_).ok()) {
    return false;
  }
  const std::vector<double>& nominal = target.engine->nominal();
  for (std::size_t i = 0; i < x_.size() && !takes_any_change; ++i) {
    if (reduce::has_moved(x_[i], projected_[i], nominal[i])) {
      return false;
    }
  }
  x_ = projected_;
  return true;
}

Result<std::shared_ptr<const system::EquationSet>> Transfer::constraints_of(ModeData& target, double t) {
  if (target.locked->reduction() != system::Reduction::ranks) {
    return target.locked->constraints();
  }
  reduce::AnalysisOptions options;
  options.form = reduce::AnalysisForm::states;
  std::vector<double> x = x_;
  std::replace_if(x.begin(), x.end(), is_nan, 0.0);
  Result<reduce::CharacteristicValues> found =
      reduce::find_characteristic_values(*target.locked, configuration_, t, x, options);
  if (!found) {
    return Unexpected(std::move(found).error());
  }
  return target.locked->derivative_array(found->level);
}

Result<reduce::TransferProblem> Transfer::pose(ModeData& target, const system::RoundInputs& inputs) {
  Result<std::shared_ptr<const system::EquationSet>> constraints = constraints_of(target, inputs.t);
  if (!constraints) {
    return Unexpected(std::move(constraints).error());
  }
  reduce::TransferParts parts;
  parts.constraints = *constraints;
  if (chosen_.jumps != nullptr) {
    parts.jumps = chosen_.jumps->equations;
    parts.n_jump_rows = static_cast<Index>(chosen_.jumps->rows.size());
    parts.chosen = chosen_.rows;
    if (!chosen_.is_law) {
      parts.configuration_of_jumps = target.rounds->jump_configuration(inputs, configuration_.discrete);
    }
  }
  const bool is_by_ranks = target.locked->reduction() == system::Reduction::ranks;
  const reduce::TransferEquations joined = reduce::join_for_transfer(std::move(parts));
  reduce::TransferProblem problem;
  problem.equations = joined.equations;
  problem.configuration = configuration_;
  problem.is_graded = !is_by_ranks && (*constraints == nullptr || !has_combined_rows(**constraints));
  if (*constraints != nullptr && problem.is_graded) {
    problem.grade = reduce::grades_of_constraints((*constraints)->rows());
  }
  problem.grade.resize(static_cast<std::size_t>(joined.n_constraints + joined.n_of_mode), 0);
  fill_slots(target, inputs, is_by_ranks, problem);
  if (!problem.is_graded) {
    find_grades_as_written(problem, static_cast<std::size_t>(joined.n_constraints));
  }
  for (std::size_t k = 0; k < chosen_.may_jump.size(); ++k) {
    Hold& hold = problem.hold[static_cast<std::size_t>(joined.slot_of_jump_slot[k])];
    hold = chosen_.may_jump[k] != 0 && hold == Hold::held ? Hold::jumping : hold;
  }
  for (const Index row : chosen_.rows) {
    const Index given = chosen_.jumps->rows[static_cast<std::size_t>(row)].state;
    problem.given.push_back(given < 0 ? -1 : joined.slot_of_jump_slot[static_cast<std::size_t>(given)]);
  }
  // Another mode has other constraints: what fitted those that are left says nothing about what these hold.
  if (!chosen_.rows.empty() && !chosen_.is_law && state_.at.has_mode() && &target == &state_.at.mode()) {
    problem.find_kept = [this, &target, t = inputs.t, constraints = *constraints, hold = problem.hold,
                         guess = problem.guess] {
      return find_kept(target, t, constraints.get(), hold, guess);
    };
  }
  return problem;
}

// By slot: states that the equations integrated over the instant do not let jump, wherever those go that bodies mention.
std::vector<std::uint8_t> Transfer::find_kept(const ModeData& target, double t,
                                              const system::EquationSet* constraints,
                                              const std::vector<Hold>& hold,
                                              const std::vector<double>& guess) {
  const std::vector<std::uint8_t> not_written = states_not_written(target);
  std::vector<double> x;
  std::vector<std::uint8_t> is_given;
  for (std::size_t i = 0; i < slot_of_state_.size(); ++i) {
    x.push_back(guess[slot_of_state_[i]]);
    is_given.push_back(hold[slot_of_state_[i]] != Hold::held && not_written[i] == 0 ? 1 : 0);
  }
  const std::vector<std::uint8_t> of_states =
      law_.find_kept(target, configuration_, t, {x, constraints, guess}, is_given);
  law_.begin();
  std::vector<std::uint8_t> is_kept(hold.size(), 0);
  for (std::size_t i = 0; i < of_states.size(); ++i) {
    is_kept[slot_of_state_[i]] = of_states[i];
  }
  return is_kept;
}

// Values before, and how each may change. A state is the slot of its name.
void Transfer::fill_slots(const ModeData& target, const system::RoundInputs& inputs, bool is_by_ranks,
                          reduce::TransferProblem& problem) {
  const std::vector<system::SlotInfo>& slots = problem.equations->slots();
  problem.guess.assign(slots.size(), 0.0);
  problem.hold.assign(slots.size(), is_by_ranks ? Hold::rate : Hold::solved);
  std::unordered_map<system::Quantity, std::size_t, system::QuantityHash> slot_of;
  for (std::size_t j = 0; j < slots.size(); ++j) {
    slot_of.emplace(slots[j].quantity(), j);
    const auto variable = static_cast<std::size_t>(slots[j].variable);
    if (slots[j].order == 0 && variable < inputs.previous.size() && !is_nan(inputs.previous[variable])) {
      problem.guess[j] = inputs.previous[variable];
    }
  }
  const std::vector<std::uint8_t> not_written = states_not_written(target);
  slot_of_state_.clear();
  for (std::size_t i = 0; i < x_.size(); ++i) {
    const auto found = slot_of.find(target.engine->quantities()[i]);
    SALTUS_ASSERT(found != slot_of.end());
    const std::size_t slot = found->second;
    slot_of_state_.push_back(slot);
    const bool follows = not_written[i] != 0;
    problem.guess[slot] = is_nan(x_[i]) ? 0.0 : x_[i];
    problem.hold[slot] = follows && is_by_ranks     ? Hold::solved
                         : follows || is_nan(x_[i]) ? Hold::open
                                                    : Hold::held;
  }
}

bool Transfer::fail(std::string_view reason, std::string message) {
  failure_ = {reason, std::move(message)};
  return false;
}

bool Transfer::solve_in_grades(ModeData& target, const system::RoundInputs& inputs) {
  if (chosen_.jumps == nullptr && !has_constraints(target)) {
    x_ = x_before_;
    return take_rates() || report_missing(target);
  }
  Result<reduce::TransferProblem> problem = pose(target, inputs);
  Result<reduce::TransferValues> found =
      problem ? reduce::transfer_by_grades(*problem, inputs.t) : Unexpected(std::move(problem).error());
  if (!found) {
    const Diagnostic& first = found.error().items()[0];
    return fail(kContradiction,
                fmt::format("at t = {:.9g}{} {}", inputs.t,
                            state_.system().modes().size() > 1 ? " in mode '" + target.info->name + "'" : "",
                            first.message));
  }
  std::vector<Index>& open = found->open_slots;
  for (std::size_t i = 0; i < x_.size(); ++i) {
    if (!is_nan(x_before_[i])) {
      open.erase(std::remove(open.begin(), open.end(), static_cast<Index>(slot_of_state_[i])), open.end());
    }
  }
  if (!open.empty()) {
    for (std::size_t i = 0; i < x_.size(); ++i) {
      const auto slot = static_cast<Index>(slot_of_state_[i]);
      const bool is_open = std::find(open.begin(), open.end(), slot) != open.end();
      x_[i] = is_open ? x_before_[i] : found->slots[slot_of_state_[i]];
    }
    if (take_rates()) {
      x_ = x_before_;
      return solve_in_grades(target, inputs);
    }
    return report_missing(target);
  }
  std::vector<int> grade(x_.size(), 0);
  for (std::size_t i = 0; i < x_.size(); ++i) {
    if (slot_of_state_[i] < found->slots.size()) {
      x_[i] = found->slots[slot_of_state_[i]];
      grade[i] = found->grade[slot_of_state_[i]];
    }
  }
  note_changes(target, problem->is_graded ? grade : std::vector<int>());
  slots_found_ = std::move(found->slots);
  return true;
}

void Transfer::note_changes(const ModeData& target, const std::vector<int>& grade) {
  const std::vector<double>& nominal = target.engine->nominal();
  std::vector<std::uint8_t> is_mentioned(x_.size(), 0);
  for (std::size_t i = 0; i < x_.size() && i < chosen_.may_jump.size(); ++i) {
    is_mentioned[i] = chosen_.may_jump[i];  // the first slots of jump equations are the states
  }
  changes_.clear();
  const std::vector<std::uint8_t> algebraic = algebraic_states(target);
  // Variables of different values that have become one have moved, also where their mean, with which it began, is the answer.
  const std::vector<std::uint8_t> joined =
      state_.at.has_mode() ? law_.joined(target) : std::vector<std::uint8_t>();
  for (std::size_t i = 0; i < x_.size(); ++i) {
    const bool has_moved =
        reduce::has_moved(x_before_[i], x_[i], nominal[i]) || (!joined.empty() && joined[i] != 0);
    if (is_nan(x_before_[i]) || (!algebraic.empty() && algebraic[i] != 0) || !has_moved) {
      continue;
    }
    changes_.push_back({static_cast<Index>(i), x_before_[i], x_[i], is_mentioned[i] != 0});
    if (is_mentioned[i] == 0 && i < grade.size()) {
      impulse_order_ = std::max(impulse_order_, -grade[i] - 1);
    }
  }
}

// What is left without a value begins with the rate that it had. False: something has none, or nothing is left.
bool Transfer::take_rates() {
  bool has_any = false;
  for (std::size_t i = 0; i < x_.size(); ++i) {
    if (is_nan(x_[i]) && i < rates_.size() && !is_nan(rates_[i])) {
      x_before_[i] = rates_[i];
      x_[i] = rates_[i];
      has_any = true;
    }
  }
  return has_any && std::none_of(x_.begin(), x_.end(), is_nan);
}

// States of x_ that are NaN.
bool Transfer::report_missing(const ModeData& target) {
  std::string names;
  for (std::size_t i = 0; i < x_.size(); ++i) {
    if (is_nan(x_[i])) {
      names += (names.empty() ? "'" : ", '") + target.engine->names()[i] + "'";
    }
  }
  return fail(
      "no_entry_value",
      fmt::format("at t = {:.9g} nothing gives a value to {} of mode '{}': no jump equation, no start "
                  "value and no constraint does",
                  state_.at.time(), names, target.info->name));
}

}  // namespace saltus::settle
