/// Guards that stay zero: where in a step one has left zero all the same.
///
/// Problem      a guard whose derivatives are zero as far as they are known counts as staying zero, with the truth of a zero. What feeds it
///              may rise with a higher power of time (the last of a row of capacitors behind a diode that begins to conduct): at
///              the end of a long step it is far from zero, and all rows in it have the wrong side.
/// Method       the guard at the end of the part of a step that is to be kept, and at the ends of pieces of it that are as long as those of
///              sampled guards (docs/semantics.md 4.5): what holds a guard at zero may let it go for a while (noEvent). Beyond zero by more than rounding and projections leave, or
///              within a step by more than errors of its states make of it: bisection, along the extension, for the place where it
///              begins to be so on that side. The step is kept up to there, and the guard has the side of its value from there on.
/// Contract     rows with the truth of a zero have a guard that is zero, but for what the extension makes of it
/// Fails when   a guard leaves zero and returns to it within one piece: not seen
/// Cost         one evaluation of these guards for a piece; nothing where none stays zero
/// Checked by   tests/events/staying_zero_test.cpp, tests/events/steep_guards_test.cpp
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "settle/state/run_state.hpp"

namespace saltus::hybrid {

class ZeroWatch {
 public:
  explicit ZeroWatch(settle::RunState& state) : state_(state) {}

  /// θ of the open step, at most `until`, at which one of the guards has left zero. None: all stay.
  [[nodiscard]] std::optional<double> first_departure(std::span<const Index> guards, double until);

 private:
  struct Reading {
    double value = 0.0;
    double rounded = 0.0;  // what rounding and projections leave of a zero
    double allowed = 0.0;  // what errors of the states may make of it
  };
  [[nodiscard]] std::optional<Reading> read(Index guard, const trajectory::SegmentView& segment,
                                            double theta);
  [[nodiscard]] double begin_of(Index guard, const trajectory::SegmentView& segment, double until,
                                double end_value);

  settle::RunState& state_;
  std::vector<double> x_;
  std::vector<double> gradient_;
};

}  // namespace saltus::hybrid
