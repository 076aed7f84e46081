/// Which mode a run was in from when to when, with the characteristic values of its equations.
#pragma once

#include <vector>

#include "api/model/instance.hpp"
#include "api/results/mode_spans.hpp"
#include "base/archive.hpp"
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

  void fields(Archive& a) {
    std::uint64_t n_spans = spans_.size();
    a(n_spans, open_);
    for (std::uint64_t k = 0; k < n_spans && a.ok(); ++k) {
      if (k == spans_.size()) {
        spans_.emplace_back();
      }
      ModeSpan& span = spans_[k];
      a(span.from, span.to, span.mode, span.index, span.d, span.a, span.u, span.v);
    }
    for (const ModeSpans::Open& open : open_) {
      if (a.is_loading() && (open.span >= spans_.size() || open.mode >= instance_.system->modes().size())) {
        a.refuse("spans of modes do not fit");
      }
    }
  }

 private:
  void count(const hybrid::Stretch& stretch, ModeSpan& span);
  static void count_surfaces(const hybrid::Stretch& stretch, ModeSpan& span);

  const Instance& instance_;
  std::vector<ModeSpan> spans_;
  std::vector<ModeSpans::Open> open_;
};

}  // namespace saltus::api
