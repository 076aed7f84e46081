#include "locate/curved_exclusion.hpp"

#include <algorithm>

namespace saltus::locate {
namespace {

// The width of an enclosure grows about as the box: this part of the distance is spent, a bend of the guard has the rest.
constexpr double kShareOfDistance = 0.5;
// A larger box would hold for longer, but the widths of one step say nothing of so many.
constexpr double kMostRanges = 256.0;
// Tries, each with a quarter of the growth before.
constexpr int kTries = 4;
constexpr double kRetryShare = 0.25;

}  // namespace

CurvedExclusion::CurvedExclusion(Index n_states) : x_(static_cast<std::size_t>(n_states)) {}

void CurvedExclusion::clear() {
  guards_.clear();
  sides_.clear();
}

void CurvedExclusion::add(Index watch, const Watch& what, const system::GuardFacts& guards,
                          StepRanges& ranges) {
  const auto first = static_cast<std::uint32_t>(sides_.size());
  if (const auto states = guards.guard_states(what.guard); states) {
    for (const Index state : *states) {
      sides_.push_back({ranges.slot(state), {}});
    }
  } else {
    for (std::size_t state = 0; state < x_.size(); ++state) {
      sides_.push_back({ranges.slot(static_cast<Index>(state)), {}});
    }
  }
  guards_.push_back({.watch = watch,
                     .guard = what.guard,
                     .level = what.level,
                     .side = what.side,
                     .first_side = first,
                     .end_side = static_cast<std::uint32_t>(sides_.size()),
                     .has_box = false,
                     .time = {}});
}

bool CurvedExclusion::is_inside(const Guard& guard, const StepRanges& ranges) const {
  bool inside = guard.has_box && guard.time.contains(ranges.time());
  for (std::uint32_t k = guard.first_side; inside && k < guard.end_side; ++k) {
    inside = sides_[k].interval.contains(ranges.range(sides_[k].slot));
  }
  return inside;
}

double CurvedExclusion::enclose(Guard& guard, const StepRanges& ranges, double growth,
                                system::GuardEnclosures& guards, double& width) {
  guard.time = enlarged(ranges.time(), growth);
  for (std::uint32_t k = guard.first_side; k < guard.end_side; ++k) {
    Side& side = sides_[k];
    side.interval = enlarged(ranges.range(side.slot), growth);
    x_[static_cast<std::size_t>(ranges.state(side.slot))] = side.interval;
  }
  const Interval g = guards.enclose_guard(guard.guard, guard.time, x_);
  width = g.upper - g.lower;
  return guard.side > 0.0 ? g.lower - guard.level : guard.level - g.upper;
}

bool CurvedExclusion::renew(Guard& guard, const StepRanges& ranges, bool is_first,
                            system::GuardEnclosures& guards, std::int64_t& n_enclosures) {
  double width = 0.0;
  double width_of_box = 0.0;
  ++n_enclosures;
  const double distance = enclose(guard, ranges, 0.0, guards, width);
  guard.has_box = distance > 0.0;
  if (!guard.has_box || is_first) {
    return guard.has_box;
  }
  double growth = std::min(kShareOfDistance * distance / width, kMostRanges);
  guard.has_box = false;
  for (int n_tries = 0; n_tries < kTries && growth >= kLeastGrowth && !guard.has_box; ++n_tries) {
    ++n_enclosures;
    guard.has_box = enclose(guard, ranges, growth, guards, width_of_box) > 0.0;
    growth *= kRetryShare;
  }
  return true;
}

bool CurvedExclusion::limit(TrustedBox& box) const {
  for (const Guard& guard : guards_) {
    if (!guard.has_box) {
      return false;
    }
    box.limit_time(guard.time);
    for (std::uint32_t k = guard.first_side; k < guard.end_side; ++k) {
      box.limit(sides_[k].slot, sides_[k].interval);
    }
  }
  return true;
}

void CurvedExclusion::certify(const StepRanges& ranges, bool is_first, system::GuardEnclosures& guards,
                              std::int64_t& n_enclosures, std::vector<Index>& undecided) {
  for (Guard& guard : guards_) {
    if (!is_inside(guard, ranges) && !renew(guard, ranges, is_first, guards, n_enclosures)) {
      undecided.push_back(guard.watch);
    }
  }
}

}  // namespace saltus::locate
