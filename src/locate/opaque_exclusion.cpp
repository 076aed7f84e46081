#include "locate/opaque_exclusion.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "locate/bernstein.hpp"
#include "locate/guard_curve.hpp"

namespace saltus::locate {
namespace {

// How far an interpolant must stay from zero, in its last coefficients and in its range. With three points only one
// coefficient tells how well it is resolved, so they must say it clearly.
struct Margin {
  double of_tail;
  double of_range;
};
constexpr Margin kWithThreePoints{20.0, 0.1};
constexpr Margin kWithMorePoints{10.0, 0.01};
// Growth from step to step up to which three points are trusted to resolve the next step: doubling the length halves the number of
// points in a wave, and the margins above leave that much. Twice that needs five points, more than that nine.
constexpr double kLongerStep = 2.0;
// Rounding errors of a guard relative to its largest value over the step, as far as they matter here.
constexpr double kGuardRounding = 64.0 * std::numeric_limits<double>::epsilon();

}  // namespace

void OpaqueExclusion::clear() {
  watches_.clear();
  guards_.clear();
  what_.clear();
  values_.clear();
  pending_.clear();
  knows_end_ = false;
  last_length_ = 0.0;
}

void OpaqueExclusion::add(Index watch, const Watch& what) {
  watches_.push_back(watch);
  guards_.push_back(what.guard);
  what_.push_back(what);
  values_.resize(kPoints * watches_.size());
}

std::span<double> OpaqueExclusion::row(std::size_t point) {
  return std::span<double>(values_).subspan(point * watches_.size(), watches_.size());
}

// The end of the step is taken as the method has it: to the last bit that is a point where the rates are known.
bool OpaqueExclusion::evaluate(system::GuardValues& guards, const trajectory::SegmentView& segment,
                               std::span<const double> end, std::size_t point, std::span<double> x,
                               std::int64_t& n_evaluations) {
  const double theta = chebyshev_point(point, kSampledDegree);
  const bool is_end = point == kSampledDegree;
  if (is_end) {
    std::copy(end.begin(), end.end(), x.begin());
  } else {
    segment.evaluate(theta, x);
  }
  n_evaluations += static_cast<std::int64_t>(guards_.size());
  const std::span<double> values = row(point);
  const double t = is_end ? segment.end_time() : time_at(segment, theta);
  if (!guards.guards(guards_, t, x, values).ok()) {
    return false;
  }
  for (std::size_t k = 0; k < values.size(); ++k) {
    values[k] = what_[k].side * (values[k] - what_[k].level);
    if (!std::isfinite(values[k])) {
      return false;
    }
  }
  return true;
}

bool OpaqueExclusion::stays_clear(std::size_t entry, std::size_t stride, bool deflate) const {
  const std::size_t degree = kSampledDegree / stride;
  std::array<double, kPoints> values;
  std::array<double, kPoints> chebyshev;
  std::array<double, kPoints> bernstein;
  double largest = 0.0;
  for (std::size_t j = 0; j <= degree; ++j) {
    values[j] = values_[j * stride * watches_.size() + entry];
    largest = std::max(largest, std::abs(values[j]));
  }
  std::size_t size = degree + 1;
  chebyshev_coefficients(std::span<const double>(values).first(size),
                         std::span<double>(chebyshev).first(size));
  chebyshev_to_bernstein(std::span<const double>(chebyshev).first(size),
                         std::span<double>(bernstein).first(size));
  double tail = std::abs(chebyshev[degree]);
  double growth = 1.0;
  if (degree > kFewest) {
    tail += std::abs(chebyshev[degree - 1]);
  }
  if (deflate) {
    deflate_bernstein(std::span<double>(bernstein).first(size));
    --size;
    growth = static_cast<double>(degree);
  }
  const auto [least, most] =
      std::minmax_element(bernstein.begin(), bernstein.begin() + static_cast<Index>(size));
  const Margin& margin = degree > kFewest ? kWithMorePoints : kWithThreePoints;
  return *least >
         growth * (margin.of_tail * tail + kGuardRounding * largest) + margin.of_range * (*most - *least);
}

// The points of one level that the levels before it have not.
bool OpaqueExclusion::evaluate_level(system::GuardValues& guards, const trajectory::SegmentView& segment,
                                     std::span<const double> end, std::size_t stride, std::span<double> x,
                                     std::int64_t& n_evaluations) {
  for (std::size_t point = 0; point <= kSampledDegree; point += stride) {
    if (is_evaluated_[point]) {
      continue;
    }
    if (!evaluate(guards, segment, end, point, x, n_evaluations)) {
      return false;
    }
    is_evaluated_[point] = true;
  }
  knows_end_ = true;
  end_time_ = segment.end_time();
  return true;
}

// Nothing is to be gained by more points where one of them is beyond.
bool OpaqueExclusion::is_beyond(std::size_t entry, std::size_t stride, bool deflate) const {
  for (std::size_t point = deflate ? stride : 0; point <= kSampledDegree; point += stride) {
    if (values_[point * watches_.size() + entry] <= 0.0) {
      return true;
    }
  }
  return false;
}

void OpaqueExclusion::certify(system::GuardValues& guards, const trajectory::SegmentView& segment,
                              std::span<const double> end, bool deflate, bool is_long, std::span<double> x,
                              std::int64_t& n_evaluations, std::vector<Index>& undecided) {
  const double length = std::abs(segment.step());
  if (is_long) {
    undecided.insert(undecided.end(), watches_.begin(), watches_.end());
    last_length_ = length;
    knows_end_ = false;
    return;
  }
  std::size_t stride = kSampledDegree / kFewest;
  for (double reach = kLongerStep * last_length_; last_length_ > 0.0 && stride > 1 && length > reach;
       reach *= 2.0) {
    stride /= 2;
  }
  last_length_ = length;
  is_evaluated_.fill(false);
  if (knows_end_ && end_time_ == segment.start_time()) {
    std::copy_n(row(kSampledDegree).begin(), watches_.size(), row(0).begin());
    is_evaluated_[0] = true;
  }
  knows_end_ = false;
  pending_.resize(watches_.size());
  std::iota(pending_.begin(), pending_.end(), std::size_t{0});
  for (; stride > 0 && !pending_.empty(); stride /= 2) {
    if (!evaluate_level(guards, segment, end, stride, x, n_evaluations)) {
      break;
    }
    std::erase_if(pending_, [&](std::size_t entry) {
      const bool deflates = deflate && what_[entry].starts_at_root;
      if (is_beyond(entry, stride, deflates)) {
        undecided.push_back(watches_[entry]);
        return true;
      }
      const bool has_points = !deflates || kSampledDegree / stride > kFewest;
      return has_points && stays_clear(entry, stride, deflates);
    });
  }
  for (const std::size_t entry : pending_) {
    undecided.push_back(watches_[entry]);
  }
}

}  // namespace saltus::locate
