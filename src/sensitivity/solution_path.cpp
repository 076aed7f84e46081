#include "sensitivity/solution_path.hpp"

#include <algorithm>
#include <cmath>

namespace saltus::sensitivity {

void SolutionPath::append(const trajectory::SegmentView& segment) {
  if (n_pieces_ == pieces_.size()) {
    pieces_.emplace_back();
  }
  Piece& piece = pieces_[n_pieces_++];
  piece.coefficients.assign(segment.coefficients().begin(), segment.coefficients().end());
  piece.view = {segment.start(),    segment.step(),   segment.end_time(),
                segment.n_states(), segment.degree(), piece.coefficients};
}

double SolutionPath::between(const Place& from, const Place& to) const {
  if (from.piece == to.piece) {
    return (to.theta - from.theta) * piece(from.piece).step();
  }
  double sum = (1.0 - from.theta) * piece(from.piece).step();
  for (std::size_t i = from.piece + 1; i < to.piece; ++i) {
    sum += piece(i).step();
  }
  return sum + to.theta * piece(to.piece).step();
}

SolutionPath::Place SolutionPath::after(const Place& from, double time) const {
  Place place = from;
  for (double rest = time;; ++place.piece, place.theta = 0.0) {
    const double step = piece(place.piece).step();
    const double left = (1.0 - place.theta) * step;
    if (place.piece + 1 == n_pieces_ || std::abs(rest) <= std::abs(left)) {
      return {place.piece, place.theta + rest / step};
    }
    rest -= left;
  }
}

SolutionPath::Place SolutionPath::place_of(double t, const Place& from) const {
  std::size_t i = from.piece;
  while (i + 1 < n_pieces_ && piece(i).theta(t) > 1.0) {
    ++i;
  }
  return {i, piece(i).theta(t)};
}

double SolutionPath::time(const Place& place) const {
  const trajectory::SegmentView& view = piece(place.piece);
  return place.theta == 1.0 ? view.end_time() : view.start_time() + place.theta * view.step();
}

// Storage of what is forgotten is used again.
void SolutionPath::drop_before(Place& place) {
  if (place.theta == 1.0 && place.piece + 1 < n_pieces_) {
    place = {place.piece + 1, 0.0};
  }
  const auto first = pieces_.begin();
  std::rotate(first, first + static_cast<std::ptrdiff_t>(place.piece),
              first + static_cast<std::ptrdiff_t>(n_pieces_));
  n_pieces_ -= place.piece;
  place.piece = 0;
}

}  // namespace saltus::sensitivity
