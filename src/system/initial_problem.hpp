/// What consistent values at the start must satisfy and may change (DESIGN 4.4); reduce/consistent/consistent_values.hpp solves it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
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

/// The rows of an initial problem with relations that follow the slots instead of a configuration, for a search from afar: with its side
/// held, x·|x| = -5 has no solution as long as the guess is not negative.
struct FreeRelations {
  std::shared_ptr<const EquationSet> equations;
  /// The sides of guards at values of the slots, as written; NaN for those that are no relations over slots.
  std::function<std::vector<double>(double t, std::span<const double> slots)> latched;
};

/// How it is used (settle/start/consistent_start.hpp): find values of the slots for which all rows vanish in `configuration`
/// (EquationRunner::set_configuration), as near to `guess` as the tiers ask. A state is the slot of its name. Relations and
/// discrete equations are then looked at anew; where they ask for another configuration, the problem is solved in that.
/// Reduced by ranks: the rows are those of depth 0; whoever solves it adds those of LockedDae::derivative_array(), whose
/// slots have the same variable and order (reduce/consistent/raised_problem.hpp).
struct InitialProblem {
  /// The equations of the array that consistent values must satisfy, then the initial equations.
  std::shared_ptr<const EquationSet> equations;
  Index n_initial_equations = 0;  ///< the last rows
  std::vector<double> guess;      ///< by slot
  std::vector<StartTier> tier;  ///< by slot; slots that are derivatives without a start of their own are free
  Configuration configuration;  ///< at the guess: relations as written on it
  /// By slot: what the other slots follow from, and hence is kept before them. Empty: every slot that has a higher derivative
  /// among the slots. Filled by whoever knows the states (settle/start/consistent_start.hpp).
  std::vector<std::uint8_t> is_state = {};
  /// By entry of InitialPoint::guess: the slot whose value is to be put there; -1: the entry stays as it is.
  std::vector<Index> slot_of_guess;
  /// Made when it is asked for; null: there are no relations over slots.
  std::function<FreeRelations()> free_relations = nullptr;
};

}  // namespace saltus::system
