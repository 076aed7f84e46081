/// Which guards the present point lies on, at which level, and which of those left last are still leaving.
///
/// Contract     A mark says how the run came here, whatever the sign of the rounded value (docs/semantics.md 1.5, 4.3). Departures are
///              committed with every step that is kept.
/// Checked by   tests/unit/settle/root_marks_test.cpp
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/archive.hpp"
#include "base/ids.hpp"
#include "locate/watch.hpp"

namespace saltus::settle {

class RootMarks {
 public:
  explicit RootMarks(std::size_t n_guards) : marks_(n_guards) {}

  [[nodiscard]] bool is_at(Index guard) const { return of(guard).is_at; }
  /// Of guards that hold whole numbers: the number at which the guard is, or was last; 0 for others.
  [[nodiscard]] double level(Index guard) const { return of(guard).level; }
  void put(Index guard) { of(guard).is_at = true; }
  void put(Index guard, double level) {
    of(guard).is_at = true;
    of(guard).level = level;
  }
  void take_off(Index guard) { set(guard, false); }
  /// A scheduled guard whose time has come: it goes on to the side behind it, which is no question of motion, as long as it is at its level.
  void come(Index guard, double level) {
    put(guard, level);
    of(guard).has_come = true;
  }
  [[nodiscard]] bool has_come(Index guard) const { return of(guard).has_come; }
  /// The guard rests at zero, and counts as zero within this reach (settle/sliding/root_rest.hpp).
  void hold(Index guard, double reach) {
    put(guard, 0.0);
    of(guard).reach = reach;
  }
  /// Of a norm (system::GuardInfo::Kind): within this of zero it counts as zero.
  void set_reach(Index guard, double reach) { of(guard).reach = reach; }
  /// Of a guard that rests, or of a norm; of others it means nothing.
  [[nodiscard]] double reach(Index guard) const { return of(guard).reach; }
  void set(Index guard, bool is_at) {
    of(guard).is_at = is_at;
    of(guard).has_come = of(guard).has_come && is_at;
  }
  /// The mark of one guard as it is in others.
  void copy(Index guard, const RootMarks& others) { of(guard) = others.of(guard); }
  /// What lay on surfaces before has left them.
  void clear() {
    std::for_each(marks_.begin(), marks_.end(),
                  [](Mark& mark) { mark.is_at = mark.has_come = mark.is_thrown = false; });
  }
  /// A body of this instant throws the guard off the surface on which it is (locate::Departure::is_thrown).
  void throw_off(Index guard) { of(guard).is_thrown = true; }
  [[nodiscard]] bool is_thrown(Index guard) const { return of(guard).is_thrown; }

  /// How far the guard has got from the level at which it was last.
  [[nodiscard]] const locate::Departure& departure(Index guard) const { return of(guard).departure; }
  /// On which side; 0: it is away.
  [[nodiscard]] double departing_side(Index guard) const { return of(guard).departing_side; }
  void note_departure(Index guard, const locate::Departure& departure, double side) {
    of(guard).departure = departure;
    of(guard).departing_side = departure.is_leaving ? static_cast<std::int8_t>(side) : std::int8_t{0};
  }

  void fields(Archive& a) { a(marks_); }

 private:
  struct Mark {
    bool is_at = false;
    bool has_come = false;
    bool is_thrown = false;
    std::int8_t departing_side = 0;
    double level = 0.0;
    double reach = 0.0;
    locate::Departure departure;

    void fields(Archive& a) { a(is_at, has_come, is_thrown, departing_side, level, reach, departure); }
  };
  [[nodiscard]] Mark& of(Index guard) { return marks_[static_cast<std::size_t>(guard)]; }
  [[nodiscard]] const Mark& of(Index guard) const { return marks_[static_cast<std::size_t>(guard)]; }

  std::vector<Mark> marks_;
};

}  // namespace saltus::settle
