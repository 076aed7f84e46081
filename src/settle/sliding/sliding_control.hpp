/// Problem      guards that are zero: cross, slide or stay; and the right-hand side that follows from it
/// Method       the decision of decision.hpp; the field of slide/field/sliding_field.hpp where something slides; pairs of modes
///              with opposite transitions over one guard (docs/semantics.md 7) or, with `--sliding hysteresis`, over two that
///              differ by a constant (9.4): they slide in the middle, guard = level
/// Contract     Whatever is decided is put into the configuration through RunState::touch, so that it can be told later.
///              After install() the evaluator of the run is that of its configuration, and x lies on what is slid on.
/// Fails when   no weights exist, or a side that is tried has no values: failure() says why (`no_sliding_solution`, naming the guards),
///              and whoever asked ends the run with it or knows another way
/// Checked by   tests/unit/hybrid/sliding_test.cpp
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/archive.hpp"
#include "settle/enter/mode_entry.hpp"
#include "settle/sliding/direction_control.hpp"
#include "settle/sliding/root_rest.hpp"
#include "settle/state/run_state.hpp"
#include "slide/decide/algebraic_sides.hpp"

namespace saltus::settle {

/// Two modes with opposite transitions over one guard, or over two guards with a band between them.
struct ModePair {
  ModeId plus;             ///< holds where the guard is positive
  ModeId minus;            ///< … negative
  bool has_jump = false;   ///< a transition changes continuous variables: then nothing slides between them
  Index back = -1;         ///< the guard of the transition back
  double back_side = 0.0;  ///< that guard is negative when the first one is (+1), or positive (-1)
  double level = 0.0;      ///< of the guard in the middle of a band, 0 without a band
  [[nodiscard]] ModeId other(ModeId mode) const { return mode == plus ? minus : plus; }

  void fields(Archive& a) { a(plus, minus, has_jump, back, back_side, level); }
};
/// The pair that `mode` forms over this guard.
[[nodiscard]] std::optional<ModePair> pair_of(const system::HybridSystem& system, ModeId mode, Index guard);
/// The pair that `mode` forms over this guard and another one, whatever that is; its level is not known.
[[nodiscard]] std::optional<ModePair> band_of(const system::HybridSystem& system, ModeId mode, Index guard);
/// The sliding mode that the user wrote between two modes.
[[nodiscard]] std::optional<ModeId> written_sliding_mode(const system::HybridSystem& system, ModeId a,
                                                         ModeId b);

class SlidingControl {
 public:
  explicit SlidingControl(RunState& state);

  /// Decides guards across which the equations jump, all zero at the present point, together (7.1). False: failure().
  bool decide(std::span<const Index> zero);
  /// Guards that are not zero but depend on sides: sides and values brought to agree, by an algebraic slide where no sides do. Sides of another structure are
  /// left as they are: it is to be entered first.
  /// False: failure(); sides that were tried are left in the configuration.
  bool settle_sides();
  [[nodiscard]] const Failure& failure() const { return failure_; }
  /// Decides guards over roots among these, as far as they are zero, and takes them from the list. `has_left`: one has come to the end of its reach.
  void decide_roots(std::vector<Index>& zero, bool has_left);
  /// When a vector that is on its way to zero arrives there.
  [[nodiscard]] double arrival_of(Index norm) const { return directions_.arrival_of(norm); }
  /// A vector that is near zero would be held there (direction_control.hpp).
  [[nodiscard]] bool would_hold(Index norm) { return directions_.would_hold(point(), norm); }
  /// Decides a zero guard that matters to no jump of the equations (7.4).
  bool decide_by_motion(Index guard);
  /// Where such a guard moves at a point of a mode, in the configuration that its evaluator has. None: it cannot be evaluated.
  [[nodiscard]] std::optional<int> motion_in(ModeData& mode, std::span<const double> x, Index guard);
  /// What is slid on now, asked again: an exit, or the point has changed.
  bool decide_again();

  /// The pair that the present mode forms over a guard; one with a band only where such may slide.
  [[nodiscard]] std::optional<ModePair> pair_at(Index guard);
  enum class Answer : std::uint8_t { crosses, slides, ended };
  /// A transition between the modes of a pair is about to be taken: does the solution slide instead (7.7)? Where there
  /// is a band, x is then in its middle.
  Answer ask_pair(const ModePair& pair, Index guard);
  /// Ends sliding without asking: the mode changes, or the point has left the surface.
  void stop_sliding();
  /// Sliding between two modes ends on this side of its surface.
  bool leave_pair(double side);

  /// Gives the configuration to the evaluators and moves x onto the surfaces.
  bool install();

  /// Guards decided in this instant that would slide but may not.
  [[nodiscard]] bool would_return(Index guard) const;
  void forget_return(Index guard) { std::erase(barred_, guard); }
  /// ẋ at the present point where the last decision knows it.
  [[nodiscard]] std::span<const double> known_derivative() const { return derivative_; }
  void forget_derivative() { derivative_ = {}; }
  void begin_instant();
  /// The weight of the k-th surface has reached this bound (±1) at the present point.
  void note_leaving(std::size_t k, double bound);
  /// A guard has crossed with this rate on the extension of the step, and the equations give it another one at the same point, of the
  /// other sign: the point is off the solution by an error that they make much of (a variable that follows others at once).
  /// The decision by motion then asks how the instant changes the rate, not what it is.
  void note_contradiction(Index guard, double rate, double rate_by_equations) {
    contradictions_.push_back({guard, rate - rate_by_equations});
  }
  /// By how much the present point may lie beside the instant: the largest that was noted counts.
  void note_location(double error) { location_error_ = std::max(location_error_, error); }
  /// The last decision in words, for --explain-event.
  [[nodiscard]] std::string explanation() const;

  void fields(Archive& a);

 private:
  struct Leaving {
    Index guard = -1;
    double bound = 0.0;

    void fields(Archive& a) { a(guard, bound); }
  };

  struct Contradiction {
    Index guard = -1;
    double missing = 0.0;  // the rate on the extension less that of the equations
  };

  [[nodiscard]] slide::DecisionPoint point() const;
  [[nodiscard]] int motion_without_error(Index guard);
  // Guards of one mode whose values may change with sides, found out when a guard is first decided there.
  struct Dependence {
    ModeData* mode = nullptr;
    std::vector<std::uint8_t> is_known;
    std::vector<std::uint8_t> depends;
    bool has_candidates = false;  // they have been listed
    std::vector<Index> candidates = {};
  };
  [[nodiscard]] Dependence& dependence();
  [[nodiscard]] bool may_depend(Index guard);
  [[nodiscard]] bool depends_at(Index guard, double t, std::span<const double> x);
  [[nodiscard]] bool leaves_structure() const;
  bool decide_with_algebraic(const slide::DecisionPoint& where, std::span<const Index> zero);
  bool decide_with_driven(const slide::DecisionPoint& where, std::span<const Index> zero);
  bool decide_part(slide::DecisionPoint where, std::span<const Index> zero);
  [[nodiscard]] bool is_moved_by_time(Index guard) const;
  /// Gives those that time alone moves their sides; others_ are left.
  void take_those_of_time(std::span<const Index> zero);
  bool decide_by_field(std::span<const Index> zero);
  void note_before(std::span<const Index> zero);
  [[nodiscard]] std::optional<bool> take_driven_values(std::vector<Index>& zero);
  bool decide_directions(const slide::DecisionPoint& where, std::span<const Index> zero);
  bool decide_others(slide::DecisionPoint where, std::span<const Index> zero);
  bool hold_contacts();
  void give_configuration();
  void give_tried();
  Answer refuse(Index guard, std::string reason);
  [[nodiscard]] std::string reason_against(const ModePair& pair, ModeData& plus, ModeData& minus,
                                           const slide::GuardDecision& decided, std::span<const double> x);
  [[nodiscard]] std::string reason_against_written(const ModePair& pair);
  void slide_between(const ModePair& pair, Index guard, ModeData& outer, ModeData& partner);
  [[nodiscard]] double leaving_bound(Index guard) const;
  [[nodiscard]] bool find_level(Index guard, ModePair& pair);
  void slide_in_band(Index guard, const ModePair& pair);
  bool accept(const slide::Decision& decision);
  void keep_crossings_at_rest();
  [[nodiscard]] bool is_beside(std::span<const double> other) const;
  void warn_of(const slide::Decision& decision);
  void slide_on(const slide::GuardDecision& decided);
  bool fail(Failure failure);
  bool fail_decision(const slide::Decision& decision);
  [[nodiscard]] std::string names_of(std::span<const slide::GuardDecision> guards) const;

  RunState& state_;
  RootRest rest_on_roots_;
  DirectionControl directions_;
  slide::RestField at_rest_;
  std::vector<Index> over_roots_;
  std::vector<Index> released_;   // norms of vectors that were held
  std::optional<ModePair> pair_;  // between whose modes it slides
  ModeEntry entry_;
  std::vector<double> pair_point_;
  std::vector<double> written_point_;
  slide::AlgebraicSides algebraic_;
  std::vector<Index> driven_;
  std::vector<Dependence> dependence_;
  std::vector<Index> turning_;
  std::vector<int> n_turns_;  // by candidate, in settle_sides()
  std::vector<double> probe_;
  std::vector<double> values_;
  std::vector<Index> part_;
  std::vector<double> part_before_;
  std::vector<double> part_bounds_;
  std::vector<double> middle_;
  system::Configuration tried_;  // decisions try sides in it; what they say is put into the position
  std::vector<Index> zero_;
  std::vector<double> before_;
  std::vector<double> weights_;
  std::vector<double> bounds_;
  std::vector<Leaving> leaving_;
  std::vector<Leaving> left_before_;  // in instants that are one with this one
  double left_time_ = 0.0;            // of the last instant
  std::vector<Contradiction> contradictions_;
  std::vector<Index> returned_;  // by the last decision to the sides they came from
  std::vector<Index> barred_;
  std::vector<slide::GuardDecision> last_;
  std::vector<slide::GuardDecision> of_time_;  // decided by time alone
  std::vector<Index> others_;                  // not so
  std::vector<std::uint8_t> is_reported_;
  std::span<const double> derivative_;
  double location_error_ = 0.0;  // of time
  Failure failure_;
};

}  // namespace saltus::settle
