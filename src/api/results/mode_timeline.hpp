/// Which mode a run was in from when to when, with the characteristic values of its equations.
#pragma once

#include <vector>

#include "api/model/instance.hpp"
#include "api/results/mode_spans.hpp"
#include "hybrid/run.hpp"
#include "saltus/mode_list.hpp"

namespace saltus::api {

class ModeTimeline {
 public:
  explicit ModeTimeline(const Instance& instance) : instance_(instance) {}

  /// Stretches that go on in the same mode, or sliding on the same guards, make one span.
  void begin(const hybrid::Stretch& stretch);
  /// All spans; the last ends at `t_end`.
  [[nodiscard]] ModeList finish(double t_end);

 private:
  void count(const hybrid::Stretch& stretch, ModeSpan& span);
  static void count_surfaces(const hybrid::Stretch& stretch, ModeSpan& span);

  const Instance& instance_;
  std::vector<ModeSpan> spans_;
  std::vector<ModeSpans::Open> open_;
};

}  // namespace saltus::api
