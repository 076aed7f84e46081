#include "settle/structures/mixed_sides.hpp"

#include <cmath>

namespace saltus::settle {
namespace {

// Length of the step beside that of the run: far below every motion that is to be seen in the run, far above what rounding leaves of a guard
// that is zero at the instant. Not measured.
constexpr double kMoment = 1e-7;

}  // namespace

reduce::MixedStep* MixedSides::step_of(ModeId mode) {
  const auto [found, is_new] = steps_.try_emplace(mode.valid() ? mode.index() : 0);
  if (is_new) {
    const auto locked = system_.lock(system::StructureId(mode));
    const auto equations = locked ? (*locked)->mixed_equations() : nullptr;
    if (equations != nullptr) {
      found->second.emplace(equations);
    }
  }
  return found->second ? &*found->second : nullptr;
}

bool MixedSides::is_coupled(ModeId mode) {
  const reduce::MixedStep* const step = step_of(mode);
  return step != nullptr && step->equations().is_coupled;
}

std::optional<system::Configuration> MixedSides::at_start(double t, double length) {
  const system::Configuration from = system_.start_configuration(t);
  reduce::MixedStep* const step = from.latched.empty() ? nullptr : step_of(from.mode);
  if (step == nullptr) {
    return std::nullopt;
  }
  return step->sides_after(from, t, kMoment * length, step->equations().starts);
}

std::optional<system::Configuration> MixedSides::after(const RunState& state,
                                                       const system::Configuration& wanted) {
  reduce::MixedStep* const step = step_of(wanted.mode);
  if (step == nullptr) {
    return std::nullopt;
  }
  const std::vector<system::SlotInfo>& slots = step->equations().rows->slots();
  slots_.assign(slots.size(), 0.0);
  const std::vector<system::Quantity>& states = state.at.mode().engine->quantities();
  for (std::size_t i = 0; i < slots.size(); ++i) {
    if (slots[i].order == 0) {
      slots_[i] = state.values[static_cast<std::size_t>(slots[i].variable)];
    } else {
      const auto found = std::find(states.begin(), states.end(), slots[i].quantity());
      slots_[i] =
          found != states.end() ? state.at.x()[static_cast<std::size_t>(found - states.begin())] : 0.0;
    }
    slots_[i] = std::isfinite(slots_[i]) ? slots_[i] : 0.0;
  }
  const double length = state.options().stop - state.options().start;
  return step->sides_after(wanted, state.at.time(), kMoment * length, slots_);
}

}  // namespace saltus::settle
