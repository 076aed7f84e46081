/// From the values before a round to consistent values of the configuration after it (docs/semantics.md 5.8).
///
/// Problem      the states of the mode that follows must satisfy its constraints, and what bodies say about them; what nobody mentions
///              is held, as far as possible
/// Method       where the mode has no constraints and bodies determine what they mention, the round's own system does it
///              (system::RoundSolver). Else jump equations and constraints are one problem (reduce/consistent/graded_transfer.hpp), or, where
///              the mode is reduced by ranks, jump equations and the derivative array. Discrete values follow from the round
///              with the states found; where that changes what was assumed of them, the states are found anew.
/// Contract     solve() fills the solution of the round, or says in failure() why it cannot. Afterwards changes() says which states are not what
///              they were, and whether a body or the constraints did it.
/// Fails when   jump equations and constraints contradict each other (reason jump_contradiction); a state of the mode gets no value from
///              anything (reason no_entry_value); values and discrete variables of the round do not settle
/// Cost         a projection where no body says anything about states and the constraints are met; some Gauss-Newton steps else
/// Checked by   tests/events/transfer_test.cpp
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reduce/consistent/graded_transfer.hpp"
#include "reduce/consistent/transfer_equations.hpp"
#include "settle/enter/integrated_jump.hpp"
#include "settle/state/run_state.hpp"

namespace saltus::settle {

/// A state whose value the last transfer changed.
struct StateChange {
  Index state = -1;
  double from = 0.0;
  double to = 0.0;
  bool by_body = false;  ///< a jump equation mentions it; else the constraints ask for it
};

class Transfer {
 public:
  /// The reason of a failure where jump equations and constraints contradict each other.
  static constexpr std::string_view kContradiction = "jump_contradiction";

  explicit Transfer(RunState& state) : state_(state), law_(state) {}

  /// By state of the target, for the next transfer: the value that a state without one takes where nothing else determines it
  /// (a derivative: its rate before); NaN: none.
  void set_rates(std::span<const double> rates) { rates_.assign(rates.begin(), rates.end()); }

  /// The target has constraints, a state without a value, or joins states of different values: solve() is to be asked at once, not only where the round's own
  /// system fails.
  [[nodiscard]] bool is_needed(const ModeData& target, std::span<const double> x_previous);
  /// As RoundSolver::solve() in the mode `target`. False: failure() says why.
  bool solve(ModeData& target, const system::RoundInputs& inputs, system::RoundSolution& solution);
  /// Whether it could do more than the round's own system.
  [[nodiscard]] static bool can_help(ModeData& target);

  /// Moves x onto the constraints of a mode where nothing fired, grade by grade. False: failure() says why.
  bool onto_constraints(ModeData& target, const system::Configuration& configuration, std::vector<double>& x);

  /// States of a mode reduced by ranks that stand in no derivative: they follow from the others. Empty: none does.
  [[nodiscard]] static std::vector<std::uint8_t> algebraic_states(const ModeData& mode);
  /// States whose own derivative the equations as written do not contain: algebraic variables and derivatives that the reduction has
  /// made states. They are not held. Empty: not known.
  [[nodiscard]] static std::vector<std::uint8_t> states_not_written(const ModeData& mode);

  /// Whether the last round was solved here.
  [[nodiscard]] bool has_solved() const { return has_solved_; }
  /// Of the last solve(), without algebraic states; empty where all values stayed. A state that joins variables of different values is among
  /// them, with `from` their mean.
  [[nodiscard]] const std::vector<StateChange>& changes() const { return changes_; }
  /// How often the steepest of the jumps that the constraints made would have to be differentiated to be a solution: impulses of
  /// this order, 0: of Dirac. -1: there are none, or the order is not known.
  [[nodiscard]] int impulse_order() const { return impulse_order_; }
  /// What the equations integrated over the instant did, where no body says anything about states.
  [[nodiscard]] const IntegratedJump& law() const { return law_; }
  void forget();

  [[nodiscard]] const Failure& failure() const { return failure_; }

 private:
  struct Chosen {
    std::shared_ptr<const system::JumpEquations> jumps;
    std::vector<Index> rows;             // of jump equations that count
    std::vector<std::uint8_t> may_jump;  // by slot of theirs
    bool is_law = false;                 // no body says them, but the equations integrated
  };

  [[nodiscard]] static bool has_constraints(const ModeData& target);
  void choose(ModeData& target, const system::RoundInputs& inputs);
  bool find_states(ModeData& target, const system::RoundInputs& inputs);
  [[nodiscard]] bool has_same_states(const ModeData& target) const;
  // Whether the constraints are met but for rounding, which is then taken away.
  bool is_consistent(ModeData& target, double t, bool takes_any_change);
  bool solve_in_grades(ModeData& target, const system::RoundInputs& inputs);
  // Jumps that nobody wrote: where the law of the integrated equations says where they go, x_ follows it.
  void follow_law(ModeData& target, const system::RoundInputs& inputs);
  bool find_by_law(ModeData& target, const system::RoundInputs& inputs, std::vector<int>& grade);
  std::optional<std::vector<double>> solve_with_law(ModeData& target, const system::RoundInputs& inputs,
                                                    std::vector<int>& grade);
  [[nodiscard]] Result<reduce::TransferProblem> pose(ModeData& target, const system::RoundInputs& inputs);
  void fill_slots(const ModeData& target, const system::RoundInputs& inputs, bool is_by_ranks,
                  reduce::TransferProblem& problem);
  [[nodiscard]] Result<std::shared_ptr<const system::EquationSet>> constraints_of(ModeData& target, double t);
  [[nodiscard]] std::vector<std::uint8_t> find_kept(const ModeData& target, double t,
                                                    const system::EquationSet* constraints,
                                                    const std::vector<reduce::Hold>& hold,
                                                    const std::vector<double>& guess);
  void note_changes(const ModeData& target, const std::vector<int>& grade);
  bool fail(std::string_view reason, std::string message);
  bool report_missing(const ModeData& target);
  bool take_rates();

  RunState& state_;
  Chosen chosen_;
  IntegratedJump law_;
  system::Configuration configuration_;
  std::vector<double> rates_;
  std::vector<double> x_before_;  // NaN: no value
  std::vector<double> x_of_pass_;
  std::vector<double> x_;
  std::vector<double> slots_found_;  // by least change; empty: no grades were solved
  std::vector<double> projected_;
  std::vector<std::size_t> slot_of_state_;
  std::vector<StateChange> changes_;
  int impulse_order_ = -1;
  bool has_solved_ = false;
  Failure failure_;
};

}  // namespace saltus::settle
