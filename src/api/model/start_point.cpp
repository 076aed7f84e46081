#include "api/model/start_point.hpp"

#include <fmt/format.h>

#include <utility>

#include "api/model/diagnostic_codes.hpp"
#include "api/model/homotopy_start.hpp"
#include "program/compiled_system.hpp"
#include "settle/start/start_structures.hpp"

namespace saltus::api {
namespace {

// The same system with the mode of the start reduced by ranks; none where that cannot be, or changes nothing.
std::shared_ptr<const system::HybridSystem> by_ranks(const Instance& instance, ModeId mode, StartRule rule) {
  if (instance.flat == nullptr || instance.variables.size() > kMostUnknownsForRanks) {
    return nullptr;
  }
  const auto locked = instance.system->lock(mode);
  if (locked && (*locked)->reduction() == system::Reduction::ranks) {
    return nullptr;
  }
  program::BuildOptions options;
  options.by_ranks.push_back(mode);
  options.has_minimum_norm_start = rule == StartRule::minimum_norm;
  Result<std::shared_ptr<const system::HybridSystem>> system =
      instance.compiled->system(instance.overrides, options);
  return system ? *std::move(system) : nullptr;
}

}  // namespace

bool rebuild_system(Instance& instance, StartRule rule, ModeId by_ranks_in) {
  if (rule == StartRule::minimum_norm && instance.flat != nullptr) {
    auto system = instance.compiled->system(instance.overrides, {.has_minimum_norm_start = true});
    if (!system) {
      return false;
    }
    instance.system = *std::move(system);
  }
  if (by_ranks_in.valid()) {
    instance.system = by_ranks(instance, by_ranks_in, rule);
    instance.start_by_ranks = by_ranks_in;
  }
  return instance.system != nullptr;
}

// A singular matrix shows itself in the start, which then fails, or in the derivatives at it. Where ranks do not help either, what is
// told is what the structure said.
Result<system::InitialPoint> find_start(Instance& instance, double t, double length, StartRule rule,
                                        Diagnostics& warnings) {
  if (rule == StartRule::minimum_norm && instance.flat != nullptr) {
    Result<std::shared_ptr<const system::HybridSystem>> system =
        instance.compiled->system(instance.overrides, {.has_minimum_norm_start = true});
    if (!system) {
      return Unexpected(std::move(system).error());
    }
    instance.system = *std::move(system);
  }
  Result<settle::ConsistentStart> start = settle::find_start(*instance.system, t, length);
  if (instance.at_homotopy) {
    follow_homotopy(instance, t, length, rule, start, warnings);
  }
  if (!start || !start->singularity.empty()) {
    const ModeId mode = start ? start->point.configuration.mode : instance.system->initial_mode();
    const std::string reason = start ? start->singularity : start.error().items()[0].message;
    if (auto system = by_ranks(instance, mode, rule)) {
      Result<settle::ConsistentStart> other = settle::find_start(*system, t, length);
      if (other || start) {
        warnings.warning(
            kReducedByRanks,
            fmt::format(
                "the structure of the equations does not show their index: {}; numerical ranks are used",
                reason));
        instance.system = std::move(system);
        instance.start_by_ranks = mode;
        start = std::move(other);
      }
    }
  }
  if (!start) {
    Diagnostics problems = std::move(start).error();
    if (instance.flat != nullptr && instance.variables.size() > kMostUnknownsForRanks) {
      problems.error(
          kTooLargeForRanks,
          fmt::format("numerical ranks, which may find a start where the structure of the equations "
                      "does not, are decided for at most {} variables, and the model has {}",
                      kMostUnknownsForRanks, instance.variables.size()));
    }
    return Unexpected(std::move(problems));
  }
  warnings.append(std::move(start->point.warnings));
  return std::move(start->point);
}

}  // namespace saltus::api
