/// Sides that the equations themselves give to the relations over their unknowns (reduce/consistent/mixed_step.hpp), at the start and at an
/// instant of a run: where to look first.
///
/// Contract     what is given is still to be entered and compared with its values. None: no equation contains such a relation, or there
///              is no solution that was found.
/// Checked by   tests/events/mixed_systems_test.cpp
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "reduce/consistent/mixed_step.hpp"
#include "settle/state/run_state.hpp"

namespace saltus::settle {

class MixedSides {
 public:
  explicit MixedSides(const system::HybridSystem& system) : system_(system) {}

  /// MixedEquations::is_coupled.
  [[nodiscard]] bool is_coupled(ModeId mode);
  /// From the start values of the variables, for a run of this length.
  [[nodiscard]] std::optional<system::Configuration> at_start(double t, double length);
  /// A moment after the present instant of a run, from the values of its variables and the sides of `wanted`.
  [[nodiscard]] std::optional<system::Configuration> after(const RunState& state,
                                                           const system::Configuration& wanted);

 private:
  [[nodiscard]] reduce::MixedStep* step_of(ModeId mode);

  const system::HybridSystem& system_;
  std::map<std::size_t, std::optional<reduce::MixedStep>> steps_;  // by mode
  std::vector<double> slots_;
};

}  // namespace saltus::settle
