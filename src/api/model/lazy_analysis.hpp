/// The analysis of an instance, made when a run first needs it and shared by all runs of the instance.
#pragma once

#include <cstddef>
#include <mutex>
#include <optional>

#include "reduce/ranks/characteristic_values.hpp"
#include "saltus/analysis.hpp"

namespace saltus::api {

struct Instance;

/// What analyze() does for an instance.
[[nodiscard]] Result<Analysis> analyze_instance(Instance instance, double t, const AnalysisOptions& options);

using reduce::kMostUnknownsForRanks;

class LazyAnalysis {
 public:
  /// At the time of the first call; null where the analysis fails. May be called by several threads.
  [[nodiscard]] const Analysis* get(const Instance& instance, double t);

 private:
  std::once_flag once_;
  std::optional<Analysis> analysis_;
};

}  // namespace saltus::api
