#include "trajectory/trajectory.hpp"

#include <algorithm>

#include "base/time_tolerance.hpp"
#include "saltus/contract.hpp"

namespace saltus::trajectory {

void Trajectory::append(const SegmentView& segment) {
  if (!pieces_.empty()) {
    const Piece& last = pieces_.back();
    SALTUS_EXPECT(same_instant(last.end, segment.start_time(), segment.step()),
                  "a segment must start where the one before ended");
    SALTUS_EXPECT(
        segment.step() == 0.0 || end_time() == start_time() || (segment.step() < 0.0) == is_backward(),
        "all segments of a trajectory run in one direction");
  }
  pieces_.push_back({.start = segment.start(),
                     .h = segment.step(),
                     .end = segment.end_time(),
                     .offset = coefficients_.size(),
                     .n_states = static_cast<std::uint32_t>(segment.n_states()),
                     .degree = static_cast<std::uint32_t>(segment.degree())});
  const std::span<const double> from = segment.coefficients();
  coefficients_.insert(coefficients_.end(), from.begin(), from.end());
}

void Trajectory::reserve(Index n_segments, Index n_coefficients) {
  pieces_.reserve(static_cast<std::size_t>(n_segments));
  coefficients_.reserve(static_cast<std::size_t>(n_coefficients));
}

void Trajectory::clear() {
  pieces_.clear();
  coefficients_.clear();
}

SegmentView Trajectory::segment(Index index) const {
  SALTUS_EXPECT(index >= 0 && index < size(), "no such segment");
  const Piece& piece = pieces_[static_cast<std::size_t>(index)];
  const std::size_t count = static_cast<std::size_t>(piece.n_states) * (piece.degree + 1U);
  return {piece.start,
          piece.h,
          piece.end,
          static_cast<Index>(piece.n_states),
          static_cast<Index>(piece.degree),
          std::span<const double>(coefficients_).subspan(piece.offset, count)};
}

double Trajectory::start_time() const {
  SALTUS_EXPECT(!pieces_.empty(), "an empty trajectory has no times");
  return pieces_.front().start.value();
}

double Trajectory::end_time() const {
  SALTUS_EXPECT(!pieces_.empty(), "an empty trajectory has no times");
  return pieces_.back().end;
}

bool Trajectory::is_backward() const {
  return !pieces_.empty() && end_time() < start_time();
}

bool Trajectory::contains(double t) const {
  return !pieces_.empty() && t >= std::min(start_time(), end_time()) &&
         t <= std::max(start_time(), end_time());
}

Index Trajectory::find(double t, Side side) const {
  SALTUS_EXPECT(contains(t), "the time lies outside of the trajectory");
  // In a backward run all comparisons are made with times negated.
  const double sign = is_backward() ? -1.0 : 1.0;
  const double key = sign * t;
  if (side == Side::left) {
    const auto found =
        std::lower_bound(pieces_.begin(), pieces_.end(), key,
                         [sign](const Piece& piece, double k) { return sign * piece.end < k; });
    return found - pieces_.begin();
  }
  const auto after =
      std::upper_bound(pieces_.begin(), pieces_.end(), key,
                       [sign](double k, const Piece& piece) { return k < sign * piece.start.value(); });
  return std::max<Index>(after - pieces_.begin() - 1, 0);
}

void Trajectory::evaluate(double t, std::span<double> x, Side side) const {
  const SegmentView found = segment(find(t, side));
  // Two neighbours may disagree by one rounding about the time they share: never extrapolate for that.
  found.evaluate(std::clamp(found.theta(t), 0.0, 1.0), x);
}

std::size_t Trajectory::memory() const {
  return pieces_.capacity() * sizeof(Piece) + coefficients_.capacity() * sizeof(double);
}

}  // namespace saltus::trajectory
