/// Problem      after x, the mode or discrete values have changed at an instant: on which sides are the guards now
/// Method       a guard with |g| > ν takes the side of g; those that are zero are listed and left to the decision. A guard
///              that was located at this instant is zero as long as the rounds have not moved it: what it differs from
///              zero there is the error of its root, not a side (docs/semantics.md 1.3, 1.5, 5)
/// Checked by   tests/events/rounds_test.cpp
#pragma once

#include <span>
#include <vector>

#include "base/archive.hpp"
#include "settle/state/run_state.hpp"

namespace saltus::settle {

class GuardSurvey {
 public:
  explicit GuardSurvey(RunState& state);

  void begin_instant();
  /// At the left limit: how far the guards located at this instant are from their surfaces.
  bool note_residuals();
  /// Sides and marks before values changed.
  struct Before {
    std::vector<double> latched;
    RootMarks roots;
    std::vector<std::uint8_t> is_kept;  ///< by guard: has this side and mark whatever its value; empty: none
    bool has_numbers_as_written = false;  ///< whole numbers are those of the values, wherever these go on to
  };
  /// Sides at the present point, in the present mode. False: the run ended. `before`: guards that are zero have these sides and
  /// marks, whatever an earlier look at other values has given them. `values`: those of all guards, where they are known.
  bool look(const Before* before = nullptr, std::span<const double> values = {});
  /// After a jump: a surface that is slid on and that the jump has left is slid on no more, or it would draw the state
  /// back. Sliding between two modes is left to the caller: left_pair_side(). False: the run ended.
  bool leave_surfaces();
  /// Side on which the surface between two modes was found by leave_surfaces() or, of a band, by look(); 0 on it.
  [[nodiscard]] double left_pair_side() const { return left_pair_side_; }
  /// x is as before, but latched values have changed: guards that depend on them may have jumped (a threshold beside
  /// floor). True: some have, and have their sides. Asked in turns until none has.
  bool look_for_jumps(bool is_first_turn);
  /// Whole numbers on their levels that sides changed at this instant lead elsewhere; in rounds they stay, what bodies do to their motion
  /// is a question after them.
  void ask_numbers_again();
  /// By how much a guard changes when every state does by this part of its size, at least of its nominal value: that is what
  /// projections onto constraints leave.
  [[nodiscard]] double left_by_projection(Index guard, double part) {
    return left_by_projection(state_.at.mode(), state_.at.x(), guard, part);
  }
  /// Whether this value of a relation's guard, at a point of a mode that its evaluator was last asked for, is no side.
  [[nodiscard]] bool is_zero(ModeData& mode, std::span<const double> x, Index guard, double value);
  /// Whether a relation that had a side before this instant is zero now, brought there by what the instant has changed, and has not been
  /// decided: its side is that of values that it no longer has.
  [[nodiscard]] bool is_undecided_at_zero();
  /// Guards found zero: those across which the equations jump, and the others.
  [[nodiscard]] std::span<const Index> jumping() const { return jumping_; }
  [[nodiscard]] std::span<const Index> others() const { return others_; }

  void fields(Archive& a) {
    // Not saved: what an instant works with: jumps_.
    a(residual_, guard_values_, gradient_, has_left_limit_, x_left_, largest_state_, is_projected_,
      left_pair_side_);
    for (std::vector<Index>* const list : {&left_, &jumping_, &others_}) {
      a.index(*list, state_.guards().size());
    }
    a.pointer(mode_left_);
  }

 private:
  bool evaluate();
  void note_largest_state();
  [[nodiscard]] double left_by_projection(ModeData& mode, std::span<const double> x, Index guard,
                                          double part);
  [[nodiscard]] bool is_projected_zero(ModeData& mode, std::span<const double> x, Index guard, double value,
                                       double bound);
  [[nodiscard]] double left_by_rounds(ModeData& mode, std::span<const double> x, Index guard);
  [[nodiscard]] bool is_rounded_zero(ModeData& mode, std::span<const double> x, Index guard, double value,
                                     double bound);
  [[nodiscard]] bool rests(Index guard, double value) const;
  [[nodiscard]] double zero_bound(Index guard, double noise) const;
  [[nodiscard]] bool is_still_leaving(Index guard, double value);
  [[nodiscard]] bool has_jumped(Index guard) const;
  [[nodiscard]] bool is_zero_before(Index guard, double value);
  void look_at_middle(Index guard, double value, double bound);
  [[nodiscard]] bool follows_changes(Index guard);
  void ask_number_again(Index guard);
  void look_at_norm(Index norm, double value);
  void leave_zero(Index norm);
  void look_at_number(Index guard, double value, double bound, bool is_after_jump);
  void look_at_number_beside_changes(Index guard, double value, double bound);
  [[nodiscard]] bool take_jump_back(Index guard);
  void ask_scheduled_again(Index guard);
  void take_number(Index guard, double number);
  [[nodiscard]] int motion_sign(Index guard);
  void take_back(Index guard, const Before& before);

  struct Jump {
    Index guard = -1;
    double side_before = 0.0;
    bool was_located = false;
    double level_before = 0.0;
  };

  RunState& state_;
  std::vector<double> residual_;  // by guard
  std::vector<double> guard_values_;
  std::vector<double> gradient_;
  // The left limit: in which mode, and its states.
  bool has_left_limit_ = false;
  ModeData* mode_left_ = nullptr;
  std::vector<double> x_left_;
  double largest_state_ = 0.0;  // when guards were looked at last
  bool is_projected_ = false;   // the mode at the left limit has constraints
  std::vector<Index> left_;
  double left_pair_side_ = 0.0;
  std::vector<Index> jumping_;
  std::vector<Index> others_;
  std::vector<Jump> jumps_;  // of the turns of look_for_jumps()
};

}  // namespace saltus::settle
