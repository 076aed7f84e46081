/// Which mode a run was in from when to when, with the characteristic values of its equations.
#pragma once

#include <vector>

#include "hybrid/run.hpp"
#include "saltus/run_statistics.hpp"
#include "system/hybrid_system.hpp"

namespace saltus::api {

class ModeTimeline {
 public:
  explicit ModeTimeline(const system::HybridSystem& system) : system_(system) {}

  /// Stretches that go on in the same mode, or sliding on the same guards, make one span.
  void begin(const hybrid::Stretch& stretch);
  /// All spans; the last ends at `t_end`.
  [[nodiscard]] std::vector<ModeSpan> finish(double t_end);

 private:
  const system::HybridSystem& system_;
  std::vector<ModeSpan> spans_;
};

}  // namespace saltus::api
