/// What the search is asked to look for.
#pragma once

#include "base/ids.hpp"

namespace saltus::locate {

struct Watch {
  Index guard = -1;
  double level = 0.0;  ///< the event is g = level (floor and its kin hold between whole numbers)
  double side = 1.0;   ///< ±1: the sign of g - level that holds now
  /// The stretch starts on this surface: the root at the start of its first step is divided out.
  bool starts_at_root = false;
  bool is_bilateral = true;  ///< may happen a little late, together with others (EventSearch::concurrent)
};

}  // namespace saltus::locate
