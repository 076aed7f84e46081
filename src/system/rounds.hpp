/// What happens at an instant (LANGUAGE 5, docs/semantics.md): actions, and the system of equations of one round.
///
/// A round is solved as one system: the bodies of everything fired, the discrete equations and the equations of the
/// configuration. Which bodies count is an input of the system (a flag for each action), so all subsets that may fire
/// share one program, as all configurations of a mode do.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/archive.hpp"
#include "base/ids.hpp"
#include "saltus/source_text.hpp"
#include "system/configuration.hpp"
#include "system/equation_set.hpp"
#include "system/evaluation.hpp"
#include "system/pullback.hpp"
#include "system/tangents.hpp"

namespace saltus::system {

/// Something with a condition that is looked at in every round.
struct ActionInfo {
  enum class Kind : std::uint8_t {
    when,        ///< a branch of a when clause: fires when a trigger becomes true
    transition,  ///< fires while its trigger is true, the first in source order
    assertion,   ///< ends the run where its trigger is false, or is told there once
    terminate,   ///< of the equation section: ends the run where its trigger is true
  };
  Kind kind = Kind::when;
  ModeId mode;        ///< looked at in this mode only; invalid: always
  Index clause = -1;  ///< branches of one when/elsewhen chain share it: the first that becomes true runs
  Index first_trigger = 0;  ///< into RoundSolution::triggers; a vector condition has several
  Index n_triggers = 1;
  ModeId target;     ///< of a transition
  std::string text;  ///< condition as written, or the message of assert and terminate
  std::optional<SourceSpan> span;
  bool is_warning = false;  ///< of an assertion: told, and the run goes on
  bool is_at_start =
      false;  ///< `when initial()` or `when {…, initial(), …}`: an equation of the initial problem
  bool has_jump = false;         ///< the body changes continuous variables (identity reinit counts as none)
  bool jumps_in_round = false;   ///< … as part of the round
  bool has_late_reinit = false;  ///< … by reinit, and after the round
  bool is_own_cause =
      false;  ///< the condition reads what the body, or that of a clause with this flag too, sets
  bool is_scheduled = false;  ///< depends on scheduled guards and clocks alone: logged as `time`
  Index guard = -1;           ///< the trigger is one relation over this guard …
  double side = 0.0;          ///< … and is true on this side
  std::vector<Index> guards;  ///< of all relations in the condition, if there are several
};

/// assert and terminate inside a body: looked at when its action has fired.
struct BodyMessageInfo {
  Index action = -1;
  bool is_assertion = false;  ///< ends the run as failed where false; otherwise terminate: where true
  bool is_warning = false;    ///< of an assertion: reported once, and the run goes on
  std::string text;
  std::optional<SourceSpan> span;
};

struct RoundInputs {
  double t = 0.0;
  /// Truth values come from here, as written: a guard at 0 or strictly between ±1 counts as g = 0, except in the equations
  /// of the mode, which are blended. The mode is the one whose equations hold after the round. `discrete` is not read.
  const Configuration* configuration = nullptr;
  /// pre(…): all variables before the round, in the order of HybridSystem::variables(); NaN where one did not exist.
  std::span<const double> previous;
  /// The states of the mode of the round before the round: what is held unless it may jump. An own state of a mode just
  /// entered has its start value here.
  std::span<const double> x_previous;
  std::span<const std::uint8_t> fired;   ///< by action
  std::span<const std::uint8_t> clocks;  ///< by clock (sample): due in this round
  bool is_initial = false;               ///< value of initial()
  bool is_terminal = false;              ///< value of terminal()
  /// x_previous is already what the states become: bodies set discrete variables only.
  bool keeps_states = false;
  /// After a round: what fired in it reinitialises its states with these values (RoundSolution::reinits) and does nothing else;
  /// `previous` are the values of the round. Empty: a round.
  std::span<const double> reinits = {};
};

/// What all bodies of a mode ask of the values after a round, as equations (LANGUAGE 5): for transfers in which a body does
/// not say by itself what every state becomes (settle/enter/transfer.hpp).
struct JumpEquations {
  struct Row {
    Index action = -1;  ///< counts where it has fired
    Index state = -1;   ///< whose new value it gives by itself; a later fired action overrules it. -1: none
    bool is_loose =
        false;  ///< no state of its body is left for it: RoundSolver::solve() alone does not meet it
    bool is_late = false;  ///< counts after the round (RoundInputs::reinits), and not in it
  };
  struct Jumping {
    Index action = -1;
    Index slot = -1;
    bool is_late = false;  ///< as that of a row
  };
  /// Slots: the states; then what the equations of the mode give, where a body reads that. Rows: those of `rows`, then the
  /// equations of the mode for the further slots. The configuration of its runners is that of
  /// RoundSolver::jump_configuration().
  std::shared_ptr<const EquationSet> equations;
  std::vector<Row> rows;
  std::vector<Jumping> jumping;  ///< slots that may jump when an action fires
};

struct RoundSolution {
  std::vector<double> x;         ///< states of the mode of the round
  std::vector<double> values;    ///< all variables; NaN where one does not exist
  std::vector<double> discrete;  ///< in the order of HybridSystem::discrete()
  std::vector<double>
      triggers;  ///< truth values of the conditions on the solved values, with the given truth of guards; 0 for
                 ///< actions that are not looked at in this mode
  std::vector<double> messages;  ///< by body message; NaN where its action has not fired
  std::vector<double> guards;    ///< by guard: its value in the solution; NaN where it does not exist
  std::vector<double>
      reinits;  ///< by reinit of all bodies that reinitialise after the round: what they assign
  /// Two fired actions set one state: the later in source order counts, this is the other. -1: none.
  Index overruled = -1;

  void fields(Archive& a) { a(x, values, discrete, triggers, messages, guards, reinits, overruled); }
};

/// Solves rounds of one mode; owns all scratch memory, never allocates after construction.
class RoundSolver {
 public:
  RoundSolver() = default;
  RoundSolver(const RoundSolver&) = delete;
  RoundSolver& operator=(const RoundSolver&) = delete;
  virtual ~RoundSolver() = default;

  /// What it remembers from call to call (base/archive.hpp).
  virtual void fields(Archive& a) { a.refuse("rounds of their own are not saved"); }
  /// `solution` must have its sizes (prepare()).
  virtual Evaluation solve(const RoundInputs& inputs, RoundSolution& solution) = 0;
  virtual void prepare(RoundSolution& solution) const = 0;
  /// Null: no body of this mode changes states. Built on demand, allocates.
  [[nodiscard]] virtual std::shared_ptr<const JumpEquations> jump_equations() { return nullptr; }
  /// Whether an action that has fired says anything about a slot of the jump equations in this round: functions say it by what they change.
  [[nodiscard]] virtual bool asks_for(Index /*action*/, Index /*slot*/, const RoundInputs& /*inputs*/) {
    return true;
  }
  /// Everything but the slots that the jump equations read, `discrete` being the discrete values after the round.
  [[nodiscard]] virtual Configuration jump_configuration(const RoundInputs& inputs,
                                                         std::span<const double> /*discrete*/) const {
    return *inputs.configuration;
  }
  [[nodiscard]] virtual std::string describe(const Evaluation& evaluation, double t) const = 0;
  /// Null: it offers none. Allocates.
  [[nodiscard]] virtual std::unique_ptr<RoundTangents> tangents(const ParameterDirections& /*directions*/) {
    return nullptr;
  }
  /// The transpose. Null: it offers none. Allocates.
  [[nodiscard]] virtual std::unique_ptr<RoundPullback> pullback() { return nullptr; }
};

}  // namespace saltus::system
