/// An observer that keeps everything, and the state of a run for tests of its parts.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "callback/callback_system.hpp"
#include "integrate/method_registry.hpp"
#include "settle/state/run_state.hpp"

namespace saltus::settle::test {

struct InstantRow {
  double t = 0.0;
  std::int64_t segment = 0;
  std::string mode;
  std::vector<double> values;
};

struct EventRow {
  double time = 0.0;
  std::int64_t segment = 0;
  EventKind kind = EventKind::condition;
  std::string from;
  std::string to;
  std::string guard;
  std::string detail;
};

class Recorder final : public RunObserver {
 public:
  bool begin_stretch(const Stretch& stretch) override {
    stretches.push_back({stretch.from, stretch.segment, std::string(stretch.mode), {}});
    return true;
  }
  bool wants_segment(double /*t_end*/) override { return wants_segments; }
  bool step(const trajectory::SegmentView& segment, const StepEnd& end) override {
    ++n_steps;
    if (segment.n_states() > 0) {
      std::vector<double> x(end.x.size());
      segment.evaluate(1.0, x);
      for (std::size_t i = 0; i < x.size(); ++i) {
        largest_gap = std::max(largest_gap, std::abs(x[i] - end.x[i]));
      }
    }
    last_t = end.t;
    last_x.assign(end.x.begin(), end.x.end());
    return n_steps < stop_after;
  }
  bool instant(double t, std::int64_t segment, std::string_view mode,
               std::span<const double> values) override {
    rows.push_back({t, segment, std::string(mode), {values.begin(), values.end()}});
    return true;
  }
  void event(const Event& event) override {
    events.push_back({event.time, event.segment, event.kind, std::string(event.from), std::string(event.to),
                      std::string(event.guard), std::string(event.detail)});
  }
  void warning(Diagnostic diagnostic) override { warnings.push_back(std::move(diagnostic)); }

  [[nodiscard]] std::vector<double> times(EventKind kind) const {
    std::vector<double> found;
    for (const EventRow& event : events) {
      if (event.kind == kind) {
        found.push_back(event.time);
      }
    }
    return found;
  }
  [[nodiscard]] std::string log() const {
    std::string text;
    for (const EventRow& event : events) {
      text += std::to_string(event.time) + " " + std::to_string(event.segment) + " " +
              std::string(to_string(event.kind)) + " " + event.from + " -> " + event.to + " [" + event.guard +
              "] " + event.detail + "\n";
    }
    return text;
  }

  bool wants_segments = true;
  std::int64_t stop_after = INT64_MAX;
  std::int64_t n_steps = 0;
  double largest_gap = 0.0;  ///< between the end of a segment and the state told with it
  double last_t = 0.0;
  std::vector<double> last_x;
  std::vector<InstantRow> stretches;
  std::vector<InstantRow> rows;
  std::vector<EventRow> events;
  std::vector<Diagnostic> warnings;
};

inline Options options_to(double stop, std::size_t n_states, double tolerance = 1e-9) {
  Options options;
  options.stop = stop;
  options.choice.method = integrate::find_method("dopri5");
  options.tolerances.rtol = tolerance;
  options.tolerances.atol.assign(n_states, tolerance);
  return options;
}

/// Where a run of callbacks stands before its first step.
struct RunFixture {
  RunFixture(const callback::CallbackModel& model, double stop)
      : system(callback::make_callback_system(model)), options(options_to(stop, model.states.size())) {}

  void go_to(double t) { state.at.step_to(trajectory::CompensatedTime(t), state.at.x()); }

  std::shared_ptr<const system::HybridSystem> system;
  Options options;
  Recorder recorder;
  RunState state{*system, options, recorder};
};

}  // namespace saltus::settle::test
