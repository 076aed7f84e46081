/// How well a run kept what its equations imply.
#pragma once

#include <string>
#include <vector>

namespace saltus {

/// Of all ends of steps; an equation F that constrains states is differentiated until it contains rates.
struct Monitors {
  double position = 0.0;      ///< largest |F| of equations that are differentiated twice or more
  double velocity = 0.0;      ///< … one differentiation below the rates
  double acceleration = 0.0;  ///< … with the rates as the method has them
  double adjustment = 0.0;    ///< the largest change of a state when a result is moved onto constraints
  double adjustment_over_bound = 0.0;  ///< … over h^(p-1) of its step, p the order of the method
  struct Invariant {
    std::string name;
    double change = 0.0;  ///< largest |value - value at the start| over the rows
  };
  std::vector<Invariant> invariants;  ///< SimulationOptions::invariants
};

}  // namespace saltus
