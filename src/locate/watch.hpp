/// What the search is asked to look for, and how it was looked for.
#pragma once

#include <cstdint>

#include "base/archive.hpp"
#include "base/ids.hpp"

namespace saltus::locate {

/// A guard that was on its surface when that was last decided, and has not gone further from it since than errors of the trajectory may be: its
/// sign alone means nothing.
struct Departure {
  bool is_leaving = false;
  double error = 0.0;  ///< of the guard in a step since then, the largest that the method has estimated
  double peak = 0.0;   ///< the furthest that it has been seen on its side
  /// A body has thrown it off its surface, and the equations draw it back: that it returns is no error of the trajectory.
  bool is_thrown = false;

  void fields(Archive& a) { a(is_leaving, error, peak, is_thrown); }
};

struct Watch {
  Index guard = -1;
  double level = 0.0;  ///< the event is g = level (floor and its kin hold between whole numbers)
  double side = 1.0;   ///< ±1: the sign of g - level that holds now
  /// The stretch starts on this surface: the root at the start of its first step is divided out.
  bool starts_at_root = false;
  Departure departure = {};  ///< of a stretch that started on this surface, or of one before it
  /// The side that holds ends at the surface (a root): behind it by an error of the trajectory is behind it, and departure is not asked.
  bool ends_at_surface = false;
  bool is_bilateral = true;  ///< may happen a little late, together with others (EventSearch::concurrent)
  /// Nothing can stay on this surface, so that its events may lie beside it: Detection::event_tolerance holds for it.
  bool is_coarse = false;

  void fields(Archive& a) {
    a(guard, level, side, starts_at_root, departure, ends_at_surface, is_bilateral, is_coarse);
  }
};

/// In how many steps a guard was watched, and how (docs/semantics.md 4.5).
struct GuardWatch {
  std::int64_t proved = 0;     ///< enclosed over the step, or isolated on its extension
  std::int64_t estimated = 0;  ///< as if enclosed, by estimates
  std::int64_t sampled = 0;    ///< values at points had to do, in some part of the step at least

  [[nodiscard]] std::int64_t total() const { return proved + estimated + sampled; }
  GuardWatch& operator+=(const GuardWatch& other) {
    proved += other.proved;
    estimated += other.estimated;
    sampled += other.sampled;
    return *this;
  }

  void fields(Archive& a) { a(proved, estimated, sampled); }
};

}  // namespace saltus::locate
