#include "api/start_point.hpp"

#include <fmt/format.h>

#include <utility>

#include "api/diagnostic_codes.hpp"
#include "hybrid/consistent_start.hpp"
#include "program/compiled_system.hpp"

namespace saltus::api {
namespace {

Result<hybrid::ConsistentStart> start_of(const system::HybridSystem& system, double t) {
  Result<system::InitialPoint> initial = system.initial(t);
  if (!initial) {
    return Unexpected(std::move(initial).error());
  }
  return hybrid::complete_start(system, *std::move(initial), t);
}

bool reduce_by_ranks(Instance& instance, const hybrid::ConsistentStart& start, Diagnostics& warnings) {
  if (instance.flat == nullptr) {
    return false;
  }
  program::BuildOptions options;
  options.by_ranks.push_back(start.point.configuration.mode);
  Result<std::shared_ptr<const system::HybridSystem>> system =
      program::build_system(instance.flat, instance.overrides, options);
  if (!system) {
    return false;
  }
  warnings.warning(
      kReducedByRanks,
      fmt::format("the structure of the equations does not show their index: {}; numerical ranks are used",
                  start.singularity));
  instance.system = *std::move(system);
  return true;
}

}  // namespace

Result<system::InitialPoint> find_start(Instance& instance, double t, Diagnostics& warnings) {
  Result<hybrid::ConsistentStart> start = start_of(*instance.system, t);
  if (start && !start->singularity.empty() && reduce_by_ranks(instance, *start, warnings)) {
    start = start_of(*instance.system, t);
  }
  if (!start) {
    return Unexpected(std::move(start).error());
  }
  warnings.append(std::move(start->point.warnings));
  return std::move(start->point);
}

}  // namespace saltus::api
