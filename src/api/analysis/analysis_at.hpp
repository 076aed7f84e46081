/// The analysis of the mode in which a simulation is, at its point.
#pragma once

#include <span>

#include "api/model/instance.hpp"
#include "saltus/analysis.hpp"
#include "settle/state/position.hpp"

namespace saltus::api {

/// `values`: of all variables there.
[[nodiscard]] Result<Analysis> analyze_at(const Instance& instance, const settle::Position& at,
                                          std::span<const double> values, const AnalysisOptions& options);

}  // namespace saltus::api
