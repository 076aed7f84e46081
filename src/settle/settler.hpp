/// One instant, from what has led to it to what goes on (docs/semantics.md 2): the only one who settles.
///
/// Method       settle(): the left limit becomes known, guards that have crossed take their sides, sides are decided, rounds run until
///              nothing changes, what happened is written down, and all of it is verified. The start, terminal(), a change of ranks and values
///              from outside are the same from a point without a past, with one more round, from the first point of the new structure, or
///              with other discrete values.
/// Contract     True: the point is settled and its field holds; nothing is reported yet (RunState::report()). False: the run has ended; an
///              instant that is refused leaves its left limit alone.
/// Checked by   tests/events, tests/unit/hybrid
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "base/archive.hpp"
#include "settle/arrival.hpp"
#include "settle/check/verification.hpp"
#include "settle/enter/event_log.hpp"
#include "settle/impact/impacts.hpp"
#include "settle/rounds/instant_record.hpp"
#include "settle/rounds/rounds.hpp"
#include "settle/side_decisions.hpp"

namespace saltus::settle {

class Settler {
 public:
  explicit Settler(RunState& state);

  /// From initial values; what they satisfy is found before (start/consistent_start.hpp).
  [[nodiscard]] bool start(const system::InitialPoint& initial);
  /// The present point is x⁻ of an instant.
  [[nodiscard]] bool settle(const Cause& cause);
  /// External guards get other numbers at the present point.
  [[nodiscard]] bool settle_outside(std::span<const OutsideValue> values);
  /// terminal() is true in one further round at the stop.
  [[nodiscard]] bool settle_terminal();
  /// At the first point at which a mode reduced by ranks has other characteristic values.
  [[nodiscard]] bool settle_ranks(std::string_view before, std::string_view after);
  /// After a settled instant from which the method cannot restart, because a matrix is singular: the same equations by ranks.
  [[nodiscard]] bool enter_by_ranks(const system::Evaluation& why);

  /// Between instants: whether some of these guards, which stayed zero, are zero no more.
  [[nodiscard]] bool have_left_zero(std::span<const Index> guards) { return arrival_.have_left_zero(guards); }
  /// … or whether vectors near zero are held there from now on.
  [[nodiscard]] bool are_held(std::span<const Index> norms) { return arrival_.are_held(norms); }
  /// The run has gone on.
  void step_kept() { has_values_ = false; }
  /// RunState::values are those of the present point.
  [[nodiscard]] bool has_values() const { return has_values_; }
  /// Guards that have crossed at the last instant.
  [[nodiscard]] std::span<const Index> crossed() const { return arrival_.crossed().guards; }
  /// ẋ at the present point where the last decision knows it.
  [[nodiscard]] std::span<const double> known_derivative() const { return sliding_.known_derivative(); }
  [[nodiscard]] const SwitchMonitor& monitor() const { return monitor_; }
  [[nodiscard]] Verification& verification() { return verification_; }

  void fields(Archive& a) {
    // Not saved: rest_, impacts_, probe_.
    a(log_, sliding_, survey_, record_, structures_, rounds_, monitor_, verification_, arrival_, sides_,
      has_values_, has_left_limit_, was_sliding_);
  }

 private:
  void begin_instant();
  [[nodiscard]] Index element_that_moves(Index norm) const;
  void note_causes(const Cause& cause);
  void begin_event();
  [[nodiscard]] bool begin_record();
  [[nodiscard]] bool begin_record_late();
  [[nodiscard]] bool begin_record_of(const Cause& cause);
  [[nodiscard]] bool lock(const system::InitialPoint& initial);
  [[nodiscard]] bool take_zeros_as_written(std::span<const double> discrete_before);
  [[nodiscard]] bool settle_anew(const Occasion& occasion);
  [[nodiscard]] bool decide_anew(const Occasion& occasion);
  [[nodiscard]] Impacts::Answer meet();
  [[nodiscard]] bool look_anew();
  [[nodiscard]] bool take_start_between_sides();
  [[nodiscard]] bool note_left_limit();
  void follow_what_is_sure(const Crossed& crossed);
  [[nodiscard]] bool decide_sides(const Cause& cause, bool is_kink);
  [[nodiscard]] bool needs_rounds(std::span<const Index> clocks) const;
  [[nodiscard]] static Occasion occasion_of(const Cause& cause);
  [[nodiscard]] bool run_rounds(const Cause& cause);
  [[nodiscard]] bool end_instant();
  [[nodiscard]] bool is_unseen(const Accumulation& accumulation, const slide::Contact& contact, double& time);
  [[nodiscard]] bool begin_rest();
  void take_discrete_before();
  [[nodiscard]] bool report_rest_of_news();
  [[nodiscard]] bool report_structure(std::string_view before, std::string_view after);
  [[nodiscard]] bool project();
  [[nodiscard]] bool returns_at_once(const LatchChange& change);
  void note_switches();
  [[nodiscard]] bool is_plain() const;
  [[nodiscard]] bool verified(bool is_plain);

  RunState& state_;
  EventLog log_;
  SlidingControl sliding_;
  GuardSurvey survey_;
  InstantRecord record_;
  StructureFollower structures_;
  RestControl rest_;
  Impacts impacts_;
  Rounds rounds_;
  SwitchMonitor monitor_;
  Verification verification_;
  Arrival arrival_;
  SideDecisions sides_;
  bool has_values_ = false;
  bool has_left_limit_ = false;  // of the present instant
  bool was_sliding_ = false;     // before the instant
  std::vector<double> probe_;
};

}  // namespace saltus::settle
