#include "settle/start/start_structures.hpp"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/short_list.hpp"
#include "settle/state/diagnostic_codes.hpp"
#include "settle/structures/mixed_sides.hpp"
#include "settle/structures/other_structures.hpp"

namespace saltus::settle {
namespace {

bool is_usable(const Result<ConsistentStart>& start) {
  return start && start->singularity.empty();
}

bool determines_all(const Result<ConsistentStart>& start) {
  return is_usable(start) && start->undetermined == 0;
}

// The start in the structure of a configuration. An error without words: its values ask for another structure.
Result<ConsistentStart> start_in(const system::HybridSystem& system,
                                 const system::Configuration& configuration, double t) {
  const system::StructureId structure = system.structure_of(configuration);
  Result<system::InitialPoint> initial = system.initial_in(configuration, t);
  if (!initial) {
    return Unexpected(std::move(initial).error());
  }
  Result<ConsistentStart> start = complete_start(system, *std::move(initial), t);
  if (start && !(system.structure_of(start->point.configuration) == structure)) {
    return Unexpected(Diagnostics());
  }
  return start;
}

// To what the first structure said: that others were tried, and what decides them.
Diagnostics not_found(Diagnostics first, const OtherStructuresOfParts& others, int n_tried) {
  ShortList names;
  for (const std::string& choice : others.choices()) {
    names.add("'" + choice + "'");
  }
  first.error(
      kNoStartStructure,
      fmt::format("{} decide which equations hold: neither those that the start values ask for nor {} other "
                  "sets of them near these have initial values that agree with them{}",
                  names.text(), n_tried,
                  others.has_met_limit() ? "; there are more, which were not tried" : ""),
      std::nullopt, "give the variables in these conditions start values that decide them as at the start");
  return first;
}

}  // namespace

Result<ConsistentStart> find_start(const system::HybridSystem& system, double t, double length) {
  Result<system::InitialPoint> initial = system.initial(t);
  system::Configuration base;
  base.mode = system.initial_mode();
  if (initial) {
    base = initial->configuration;
  }
  base.latched.resize(system.guards().size(), 0.0);
  base.discrete.resize(system.discrete().size(), 0.0);
  Result<ConsistentStart> first = initial ? complete_start(system, *std::move(initial), t)
                                          : Result<ConsistentStart>(Unexpected(std::move(initial).error()));
  const bool moves_starts = is_usable(first) && first->has_moved && system.has_structures();
  if (determines_all(first) && !moves_starts) {
    return first;
  }
  if (!is_usable(first) || moves_starts) {
    const auto sides = MixedSides(system).at_start(t, length);
    Result<ConsistentStart> start =
        sides ? start_in(system, *sides, t) : Result<ConsistentStart>(Unexpected(Diagnostics()));
    if (determines_all(start) && !(moves_starts && start->has_moved)) {
      return start;
    }
  }
  if (!system.has_structures() || determines_all(first)) {
    return first;
  }
  OtherStructuresOfParts others(system, base);
  int n_tried = 0;
  while (const std::optional<system::Configuration> other = others.next()) {
    ++n_tried;
    Result<ConsistentStart> start = start_in(system, *other, t);
    if (determines_all(start)) {
      return start;
    }
    if (is_usable(start) && !is_usable(first)) {
      first = std::move(start);
    }
  }
  if (!first && n_tried > 0) {
    return Unexpected(not_found(std::move(first).error(), others, n_tried));
  }
  return first;
}

}  // namespace saltus::settle
