/// Consistent values at the start of a run or an analysis, and the reduction that they ask for.
#pragma once

#include "api/model/instance.hpp"
#include "saltus/options.hpp"
#include "saltus/result.hpp"
#include "system/hybrid_system.hpp"

namespace saltus::api {

/// Where the structure promises more than the numbers at the start keep, the mode of the start is reduced by ranks: the system of the
/// instance is then another one, and a warning says why. Warnings of the start are added to `warnings`.
/// Callback models give their start themselves: `rule` says nothing about them.
[[nodiscard]] Result<system::InitialPoint> find_start(Instance& instance, double t, double length,
                                                      StartRule rule, Diagnostics& warnings);

/// The system that find_start() has left, of an instance that it has not seen. False: there is none.
[[nodiscard]] bool rebuild_system(Instance& instance, StartRule rule, ModeId by_ranks_in);

}  // namespace saltus::api
