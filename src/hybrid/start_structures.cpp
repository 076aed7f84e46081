#include "hybrid/start_structures.hpp"

#include <optional>
#include <utility>

#include "hybrid/other_structures.hpp"

namespace saltus::hybrid {
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

}  // namespace

Result<ConsistentStart> find_start(const system::HybridSystem& system, double t) {
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
  if (determines_all(first) || !system.has_structures()) {
    return first;
  }
  OtherStructures others(system, std::move(base), {});
  while (const std::optional<system::Configuration> other = others.next()) {
    Result<ConsistentStart> start = start_in(system, *other, t);
    if (determines_all(start)) {
      return start;
    }
    if (is_usable(start) && !is_usable(first)) {
      first = std::move(start);
    }
  }
  return first;
}

}  // namespace saltus::hybrid
