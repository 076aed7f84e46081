/// What consistent values at the start must satisfy and may change (DESIGN 4.4); reduce/consistent_values.hpp solves it.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "system/configuration.hpp"
#include "system/equation_set.hpp"

namespace saltus::system {

/// How much a given value counts, the strongest first.
enum class StartTier : std::uint8_t {
  fixed,         ///< held exactly
  differential,  ///< explicit start of a variable that is differential in this configuration
  other,         ///< other explicit start
  free,          ///< no start given: the value is a guess only
};

struct InitialProblem {
  /// The equations of the array that consistent values must satisfy, then the initial equations.
  std::shared_ptr<const EquationSet> equations;
  Index n_initial_equations = 0;  ///< the last rows
  std::vector<double> guess;      ///< by slot
  std::vector<StartTier> tier;  ///< by slot; slots that are derivatives without a start of their own are free
  Configuration configuration;  ///< at the guess: relations as written on it
};

}  // namespace saltus::system
