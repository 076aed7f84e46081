#include "sensitivity/instant/same_truths.hpp"

#include <cstdint>
#include <vector>

namespace saltus::sensitivity {

bool have_same_truths(const FieldSource& source, const StretchField& field, const InstantPoint& point,
                      std::span<const double> values, const system::Configuration& one,
                      const system::Configuration& other) {
  if (!source.system.has_rounds()) {
    return true;
  }
  const auto rounds = source.system.rounds(field.facts().structure);
  if (!rounds) {
    return false;
  }
  const std::vector<std::uint8_t> nothing(source.system.actions().size(), 0);
  const std::vector<std::uint8_t> no_clock(static_cast<std::size_t>(source.system.n_clocks()), 0);
  system::RoundInputs inputs;
  inputs.t = point.t;
  inputs.previous = values;
  inputs.x_previous = point.x;
  inputs.fired = nothing;
  inputs.clocks = no_clock;
  inputs.keeps_states = true;
  system::RoundSolution here;
  system::RoundSolution there;
  (*rounds)->prepare(here);
  (*rounds)->prepare(there);
  inputs.configuration = &one;
  const bool is_known = (*rounds)->solve(inputs, here).ok();
  inputs.configuration = &other;
  return is_known && (*rounds)->solve(inputs, there).ok() && here.triggers == there.triggers &&
         here.discrete == there.discrete;
}

}  // namespace saltus::sensitivity
