#include "api/error_estimate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <vector>

#include "api/model/diagnostic_codes.hpp"
#include "saltus/contract.hpp"

namespace saltus::api {
namespace {

constexpr double kTighter = 0.01;    // tolerances of the second run: its error is then a few percent
constexpr double kTightest = 1e-14;  // some tens of roundings
constexpr double kShorter = 0.5;     // fixed steps of the second run
/// Part of the run within which the times of one event may differ, however close the next one is.
constexpr double kSameEvent = 1e-3;
/// Of a second run for which no time is left.
constexpr double kLeastSeconds = 1e-3;

/// Rows of one segment: [begin, end).
struct RowRange {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// The first row whose segment is not below this one.
std::size_t first_row_of(const Trajectory& trajectory, std::int64_t segment) {
  std::size_t low = 0;
  std::size_t high = trajectory.n_rows();
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (trajectory.segment(middle) < segment) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

bool is_same(const Event& a, const Event& b) {
  return a.kind == b.kind && a.segment == b.segment && a.guard == b.guard && a.from == b.from && a.to == b.to;
}

/// All events, those of one round in an order that does not depend on how the run came to them.
std::vector<Event> ordered(const EventList& list) {
  std::vector<Event> events(list.begin(), list.end());
  std::stable_sort(events.begin(), events.end(), [](const Event& a, const Event& b) {
    return std::tie(a.segment, a.kind, a.guard, a.from) < std::tie(b.segment, b.kind, b.guard, b.from);
  });
  return events;
}

/// The rows of one run, in the order of time, beside those of another.
class Comparison {
 public:
  Comparison(const SimulationResult& first, const SimulationResult& second, ErrorEstimate& estimate)
      : first_(first),
        second_(second),
        first_events_(ordered(first.events)),
        second_events_(ordered(second.events)),
        estimate_(estimate),
        other_(first.columns.size()) {}

  void execute() {
    compare_events();
    const std::size_t n = first_.trajectory.n_rows();
    estimate_.n_columns = first_.columns.size();
    estimate_.values.reserve(n * estimate_.n_columns);
    estimate_.largest.resize(estimate_.n_columns);
    for (std::size_t row = 0; row < n; ++row) {
      find_partner(row);
      put(row);
    }
  }

 private:
  void compare_events() {
    const std::size_t n = std::min(first_events_.size(), second_events_.size());
    std::size_t same = 0;
    while (same < n && is_same(first_events_[same], second_events_[same]) && is_near(same)) {
      estimate_.event_time =
          std::max(estimate_.event_time, std::abs(first_events_[same].time - second_events_[same].time));
      ++same;
    }
    estimate_.events_compared = static_cast<std::int64_t>(same);
    const double t1 = same < first_events_.size() ? first_events_[same].time : first_.end;
    const double t2 = same < second_events_.size() ? second_events_[same].time : second_.end;
    // What happens after the end of the other run is no difference.
    const bool differs = (same < first_events_.size() && is_before(t1, second_.end)) ||
                         (same < second_events_.size() && is_before(t2, first_.end));
    if (differs) {
      estimate_.events_differ = is_before(t1, t2) ? t1 : t2;
    }
  }

  /// Whether the event of that number is one event at two times, not two: these are closer than half of what lies between it and its
  /// neighbours, or than kSameEvent of the run.
  [[nodiscard]] bool is_near(std::size_t number) const {
    const double distance = std::abs(first_events_[number].time - second_events_[number].time);
    const double gap = std::min(gap_after(first_events_, number, first_.end),
                                gap_after(second_events_, number, second_.end));
    return distance <= std::max(0.5 * gap, kSameEvent * std::abs(first_.end - first_.start));
  }

  /// From an event to the next of another time, or to the end of the run.
  [[nodiscard]] static double gap_after(const std::vector<Event>& events, std::size_t number, double end) {
    const double t = events[number].time;
    std::size_t next = number + 1;
    while (next < events.size() && events[next].time == t) {
      ++next;
    }
    return std::abs((next < events.size() ? events[next].time : end) - t);
  }

  [[nodiscard]] bool is_before(double a, double b) const {
    return first_.start <= first_.end ? a < b : a > b;
  }

  /// Whether the segments of the two runs mean the same up to this time.
  [[nodiscard]] bool is_aligned(double t) const {
    return !estimate_.events_differ || is_before(t, *estimate_.events_differ);
  }

  /// Values of the second run for a row of the first into other_.
  void find_partner(std::size_t row) {
    const Trajectory& mine = first_.trajectory;
    const Trajectory& theirs = second_.trajectory;
    const double t = mine.times()[row];
    if (is_aligned(t)) {
      const std::int64_t segment = mine.segment(row);
      const RowRange range{first_row_of(theirs, segment), first_row_of(theirs, segment + 1)};
      // A run that failed has not come to the end of its last segment.
      const bool is_cut = !second_.ok() && range.end == theirs.n_rows() && is_before(second_.end, t);
      if (range.begin < range.end && !is_cut) {
        take_on_the_same_side(row, range);
        return;
      }
    }
    take_at(t);
  }

  void take_on_the_same_side(std::size_t row, const RowRange& range) {
    const Trajectory& mine = first_.trajectory;
    const Trajectory& theirs = second_.trajectory;
    const std::int64_t segment = mine.segment(row);
    const double t = mine.times()[row];
    const bool is_first = row > 0 && mine.segment(row - 1) != segment;
    const bool is_last = row + 1 < mine.n_rows() && mine.segment(row + 1) != segment;
    const auto times = theirs.times();
    if (is_first || !is_before(times[range.begin], t)) {
      take_row(range.begin);
    } else if (is_last || !is_before(t, times[range.end - 1])) {
      take_row(range.end - 1);
    } else {
      const auto found = std::lower_bound(times.begin() + static_cast<std::ptrdiff_t>(range.begin),
                                          times.begin() + static_cast<std::ptrdiff_t>(range.end), t,
                                          [this](double a, double b) { return is_before(a, b); });
      *found == t ? take_row(static_cast<std::size_t>(found - times.begin())) : take_at(t);
    }
  }

  void take_row(std::size_t row) {
    const std::span<const double> values = second_.trajectory.row(row);
    std::copy(values.begin(), values.end(), other_.begin());
  }

  void take_at(double t) {
    const bool is_inside =
        !is_before(t, second_.trajectory.start_time()) && !is_before(second_.trajectory.end_time(), t);
    if (is_inside) {
      second_.trajectory.at(t, other_);
    } else {
      std::fill(other_.begin(), other_.end(), std::numeric_limits<double>::quiet_NaN());
    }
  }

  void put(std::size_t row) {
    const std::span<const double> values = first_.trajectory.row(row);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double error = std::abs(values[i] - other_[i]);
      estimate_.values.push_back(error);
      if (error > estimate_.largest[i].error) {
        estimate_.largest[i] = {error, first_.trajectory.times()[row]};
      }
    }
  }

  const SimulationResult& first_;
  const SimulationResult& second_;
  std::vector<Event> first_events_;
  std::vector<Event> second_events_;
  ErrorEstimate& estimate_;
  std::vector<double> other_;
};

void warn(SimulationResult& result, const ErrorEstimate& estimate, const SimulationResult& second) {
  if (estimate.events_differ) {
    result.diagnostics.warning(
        kErrorEstimateEvents,
        fmt::format(
            "the run at the tighter tolerance has other events from time {} on: the error estimate compares "
            "different courses from there",
            *estimate.events_differ),
        std::nullopt, "give a smaller --tolerance, and look at what decides that event");
  }
  if (!second.ok() && result.ok()) {
    result.diagnostics.warning(
        kErrorEstimateIncomplete,
        fmt::format("the run at the tighter tolerance ended at time {} ({}): rows after it have no "
                    "error estimate",
                    second.end, to_string(second.reason)));
  }
}

}  // namespace

double tighten(RunSettings& settings) {
  if (settings.fixed_step > 0.0) {
    settings.fixed_step *= kShorter;
    return kShorter;
  }
  const double factor = std::min(1.0, std::max(kTighter, kTightest / settings.rtol));
  settings.tolerance *= factor;
  settings.rtol *= factor;
  if (settings.atol) {
    *settings.atol *= factor;
  }
  for (NamedValue& item : settings.atol_of) {
    item.value *= factor;
  }
  if (settings.events.guard_atol) {
    *settings.events.guard_atol *= factor;
  }
  return factor;
}

void estimate_errors(const Instance& instance, const RunSettings& settings, const Columns& columns,
                     const SimulationOptions& hooks, const WallClock& clock, SimulationResult& result) {
  if (result.trajectory.n_rows() == 0 || result.reason == Reason::interrupted ||
      result.reason == Reason::time_limit || result.reason == Reason::output_failed) {
    result.diagnostics.warning(
        kErrorEstimateIncomplete,
        fmt::format("no error estimate was made: the run ended early ({})", to_string(result.reason)));
    return;
  }
  RunSettings tighter = settings;
  ErrorEstimate estimate;
  estimate.by_step = settings.fixed_step > 0.0;
  estimate.factor = tighten(tighter);
  if (!result.ok()) {
    tighter.stop = result.end;
  }
  if (tighter.max_time) {
    tighter.max_time = std::max(kLeastSeconds, *tighter.max_time - clock.seconds());
  }
  SimulationOptions second_hooks = hooks;
  second_hooks.sink = nullptr;
  second_hooks.keep_rows = true;
  second_hooks.keep_dense = true;
  SimulationResult second;
  second.variables = result.variables;
  second.columns = result.columns;
  second.parameters = result.parameters;
  run(instance, tighter, columns, second_hooks, second);
  estimate.end = second.end;
  estimate.reason = second.ok() ? "" : to_string(second.reason);
  if (second.trajectory.n_rows() > 0) {
    Comparison(result, second, estimate).execute();
  } else {
    estimate.n_columns = result.columns.size();
    estimate.values.assign(result.trajectory.n_rows() * estimate.n_columns,
                           std::numeric_limits<double>::quiet_NaN());
    estimate.largest.resize(estimate.n_columns);
  }
  warn(result, estimate, second);
  result.error_estimate = std::move(estimate);
}

}  // namespace saltus::api

namespace saltus {

ErrorEstimate differences(const SimulationResult& run, const SimulationResult& reference) {
  SALTUS_EXPECT(run.trajectory.n_rows() > 0 && reference.trajectory.n_rows() > 0, "both runs must have rows");
  SALTUS_EXPECT(reference.trajectory.is_dense(), "the reference must have its dense solution");
  SALTUS_EXPECT(run.columns.size() == reference.columns.size(),
                "both runs must be of one model and have the same columns");
  ErrorEstimate estimate;
  estimate.end = reference.end;
  estimate.reason = reference.ok() ? "" : to_string(reference.reason);
  api::Comparison(run, reference, estimate).execute();
  return estimate;
}

}  // namespace saltus
