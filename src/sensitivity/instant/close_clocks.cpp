#include "sensitivity/instant/close_clocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "sensitivity/instant/event_time.hpp"
#include "sensitivity/instant/surface_places.hpp"

namespace saltus::sensitivity {
namespace {

// The tick next to t, within the run; none: the clock is due at the instant itself, or has none.
std::optional<double> tick_beside(const FieldSource& source, Index clock, double t,
                                  std::span<const Index> due) {
  if (std::find(due.begin(), due.end(), clock) != due.end()) {
    return std::nullopt;
  }
  const system::ClockTimes times = source.system.clock_times(clock);
  const double tick =
      times.start + std::max(0.0, std::round((t - times.start) / times.interval)) * times.interval;
  const auto [first, last] = std::minmax(source.options.start, source.options.stop);
  return tick < first || tick > last ? std::nullopt : std::optional(tick);
}

}  // namespace

CloseClocks find_close_clocks(const FieldSource& source, double t, std::span<const double> sigma,
                              std::span<const Index> due, bool together) {
  const std::size_t n = source.n_columns();
  CloseClocks close{std::vector<bool>(n, false), {}};
  std::vector<double> of_clock(n);
  for (Index clock = 0; clock < source.system.n_clocks(); ++clock) {
    const std::optional<double> tick = tick_beside(source, clock, t, due);
    if (!tick) {
      continue;
    }
    clock_time(source, clock, *tick, of_clock);
    // What is asked together stands for all parameters, those that change the pace of the run too.
    double all = std::abs(t - source.options.start);
    for (std::size_t k = 0; k < n; ++k) {
      all += std::abs(of_clock[k] - sigma[k]) * source.setup.columns[k].size;
    }
    for (std::size_t k = 0; k < n; ++k) {
      const double apart = of_clock[k] - sigma[k];
      const double motion = together ? all : std::abs(apart) * source.setup.columns[k].size;
      const double away = (source.setup.side == Side::minus ? -apart : apart) * (*tick - t);
      const bool keeps_order = source.setup.side != Side::none && away > 0.0;
      const bool reaches =
          std::abs(*tick - t) <= kTolerancesOfReach * source.options.tolerances.rtol * motion;
      if (apart != 0.0 && reaches && !keeps_order) {
        close.undefined[k] = true;
        close.problem =
            fmt::format("beside this value a clock that is due at t = {:.9g} comes in another order", *tick);
      }
    }
  }
  return close;
}

bool is_near_clock(const FieldSource& source, double t, double distance, std::span<const Index> due) {
  for (Index clock = 0; clock < source.system.n_clocks(); ++clock) {
    const std::optional<double> tick = tick_beside(source, clock, t, due);
    if (tick && std::abs(*tick - t) <= distance) {
      return true;
    }
  }
  return false;
}

}  // namespace saltus::sensitivity
