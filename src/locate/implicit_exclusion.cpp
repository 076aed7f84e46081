#include "locate/implicit_exclusion.hpp"

#include <algorithm>
#include <cmath>

#include "base/machine.hpp"

namespace saltus::locate {
namespace {

// λ at first and at most: the widths of one step say little of more than some dozens.
constexpr double kFirstGrowth = 4.0;
constexpr double kMostBoxGrowth = 64.0;
// Steps without a box after failures, at most.
constexpr int kLongestPause = 32;

}  // namespace

ImplicitExclusion::ImplicitExclusion(Index n_states)
    : box_(static_cast<std::size_t>(n_states)),
      around_(box_.size()),
      at_rest_(box_.size()),
      growth_(kFirstGrowth) {}

void ImplicitExclusion::clear() {
  guards_.clear();
  slots_.clear();
  has_box_ = false;
  has_estimates_ = false;
  pause_ = 0;
  back_off_ = 1;
}

void ImplicitExclusion::add(Index watch, const Watch& what, const system::GuardFacts& guards,
                            StepRanges& ranges) {
  guards_.push_back({watch, what.guard, what.level, what.side});
  has_estimates_ = has_estimates_ || guards.guard_shape(what.guard).is_estimated;
  const auto join = [&](Index state) {
    const StepRanges::Slot slot = ranges.slot(state);
    if (const auto place = std::lower_bound(slots_.begin(), slots_.end(), slot);
        place == slots_.end() || *place != slot) {
      slots_.insert(place, slot);
    }
  };
  if (const auto states = guards.guard_states(what.guard); states) {
    std::for_each(states->begin(), states->end(), join);
  } else {
    for (std::size_t state = 0; state < box_.size(); ++state) {
      join(static_cast<Index>(state));
    }
  }
}

bool ImplicitExclusion::is_inside(const StepRanges& ranges) const {
  return has_box_ && time_.contains(ranges.time()) &&
         std::all_of(slots_.begin(), slots_.end(), [&](StepRanges::Slot slot) {
           return box_[static_cast<std::size_t>(ranges.state(slot))].contains(ranges.range(slot));
         });
}

bool ImplicitExclusion::renew(const StepRanges& ranges, const integrate::OpenStep& step,
                              system::GuardEnclosures& guards, std::int64_t& n_enclosures) {
  const std::span<const double> x = step.step_start_state();
  // Time goes one way.
  time_ = ranges.time();
  (step.step_size() > 0.0 ? time_.upper : time_.lower) += growth_ * step.step_size();
  for (const StepRanges::Slot slot : slots_) {
    const auto state = static_cast<std::size_t>(ranges.state(slot));
    box_[state] = enlarged(ranges.range(slot), growth_);
    // One spacing more, for the subtraction.
    around_[state] = {std::nextafter(box_[state].lower - x[state], -kInfinity),
                      std::nextafter(box_[state].upper - x[state], kInfinity)};
  }
  const system::CurvePiece piece{.time = time_,
                                 .at = step.step_start_time().value(),
                                 .x = x,
                                 .box = box_,
                                 .xdot = at_rest_,
                                 .around = around_,
                                 .is_box = true,
                                 .start_time = 0.0,
                                 .start = {}};
  return std::all_of(guards_.begin(), guards_.end(), [&](const Guard& guard) {
    ++n_enclosures;
    const system::GuardBounds bounds = guards.bound_guard(guard.guard, piece);
    return bounds.is_known &&
           (guard.side > 0.0 ? bounds.value.lower - guard.level : guard.level - bounds.value.upper) > 0.0;
  });
}

void ImplicitExclusion::certify(const StepRanges& ranges, const integrate::OpenStep& step, bool is_first,
                                system::GuardEnclosures& guards, std::int64_t& n_enclosures,
                                std::vector<Index>& undecided) {
  if (guards_.empty() || is_inside(ranges)) {
    return;
  }
  has_box_ = false;
  if (!is_first && !has_estimates_ && pause_ == 0) {
    has_box_ = renew(ranges, step, guards, n_enclosures);
    growth_ = has_box_ ? std::min(2.0 * growth_, kMostBoxGrowth) : std::max(0.5 * growth_, kLeastGrowth);
    back_off_ = has_box_ ? 1 : std::min(2 * back_off_, kLongestPause);
    pause_ = has_box_ ? 0 : back_off_;
  } else if (pause_ > 0) {
    --pause_;
  }
  if (!has_box_) {
    for (const Guard& guard : guards_) {
      undecided.push_back(guard.watch);
    }
  }
}

bool ImplicitExclusion::limit(const StepRanges& ranges, TrustedBox& box) const {
  if (guards_.empty()) {
    return true;
  }
  if (!has_box_) {
    return false;
  }
  box.limit_time(time_);
  for (const StepRanges::Slot slot : slots_) {
    box.limit(slot, box_[static_cast<std::size_t>(ranges.state(slot))]);
  }
  return true;
}

}  // namespace saltus::locate
