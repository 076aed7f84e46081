/// What the observer is told of an instant: the values just before, and after each round; conditions that changed, sliding
/// that began or ended (docs/output.md: rows of trajectory.csv and events.csv).
///
/// Contract     An instant at which nothing is told (a kink, a proposition that does not change) leaves no trace.
#pragma once

#include <span>

#include "base/archive.hpp"
#include "settle/enter/event_log.hpp"
#include "settle/sliding/sliding_control.hpp"
#include "settle/state/run_state.hpp"

namespace saltus::settle {

class InstantRecord {
 public:
  InstantRecord(RunState& state, EventLog& log, const SlidingControl& sliding)
      : state_(state), log_(log), sliding_(sliding) {}

  /// The left limit becomes known: values of all variables, and the mode as it is called.
  bool begin();
  /// The start lies between sides, none of which has values that agree with it (docs/semantics.md 7.8): its first row is that of the weights.
  bool begin_between_sides();
  /// A kink, of which nothing is reported as a rule: what the left limit is found from is kept …
  void keep();
  /// … and it becomes known after all, as by begin(). The field is to be installed then.
  bool begin_late();
  /// A condition of the equations or what is slid on differs from what was told.
  [[nodiscard]] bool has_news() const;
  /// The next segment begins.
  void begin_segment();
  /// … and the news are logged. `with_discrete`: guards that feed discrete values count too.
  void open_segment(bool with_discrete);
  /// The row of the present values, after open_segment() and whatever else is logged of the round.
  void row();
  void row(std::span<const double> values);
  /// The last row of this segment has the present values instead.
  void replace_row();
  /// Where there are news: a segment of their own. False: the run ended.
  bool report_news();

  void fields(Archive& a) {
    a.pointer(mode_);
    a(x_, configuration_);
  }

 private:
  [[nodiscard]] bool turns_at_zero(const LatchChange& change) const;
  [[nodiscard]] bool differs(const LatchChange& change) const;
  void log_change(LatchChange& change, bool with_discrete);

  RunState& state_;
  EventLog& log_;
  const SlidingControl& sliding_;
  ModeData* mode_ = nullptr;  // of the left limit that is kept, as what follows
  std::vector<double> x_;
  system::Configuration configuration_;
};

}  // namespace saltus::settle
