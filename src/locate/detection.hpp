/// How guards are watched on a step (D3).
#pragma once

#include <cstdint>

namespace saltus::locate {

struct Detection {
  enum class Rule : std::uint8_t {
    bound,    ///< certified: no excursion beyond the integration tolerance is missed
    ends,     ///< signs at the ends of a step
    stages,   ///< … and at the points of the stages
    samples,  ///< signs at 1 + 6·n_samples points of the continuous extension (n_samples ≥ 2)
  };
  Rule rule = Rule::bound;
  int n_samples = 0;
  /// A root of a guard whose surface cannot hold the solution (Watch::is_coarse) is looked for until it is known to this time, and found just
  /// beyond its surface; such roots join an instant that is closer. 0, and the others: to the last bit, on it.
  double event_tolerance = 0.0;
};

}  // namespace saltus::locate
