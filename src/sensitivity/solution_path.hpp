/// The solution of the run as far as it is known and S has not passed it: copies of the dense pieces of its steps.
///
/// Notation     a *place* is a piece with local time θ in it; times between places are sums of pieces, never differences of absolute times
/// Contract     pieces follow each other without gaps; places stay valid until drop_before()
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "trajectory/segment.hpp"

namespace saltus::sensitivity {

class SolutionPath {
 public:
  struct Place {
    std::size_t piece = 0;
    double theta = 0.0;
  };

  void clear() { n_pieces_ = 0; }
  void append(const trajectory::SegmentView& segment);
  [[nodiscard]] std::size_t n_pieces() const { return n_pieces_; }
  [[nodiscard]] const trajectory::SegmentView& piece(std::size_t i) const { return pieces_[i].view; }

  [[nodiscard]] Place end() const { return {n_pieces_ - 1, 1.0}; }
  /// Signed, as steps of the run are.
  [[nodiscard]] double between(const Place& from, const Place& to) const;
  /// Beyond the last piece this one goes on.
  [[nodiscard]] Place after(const Place& from, double time) const;
  /// Of a time not before `from`, in the direction of the run.
  [[nodiscard]] Place place_of(double t, const Place& from) const;
  [[nodiscard]] double time(const Place& place) const;
  void evaluate(const Place& place, std::span<double> x) const {
    piece(place.piece).evaluate(place.theta, x);
  }

  /// Forgets the pieces before a place, which is renamed.
  void drop_before(Place& place);

 private:
  struct Piece {
    std::vector<double> coefficients;
    trajectory::SegmentView view;
  };
  std::vector<Piece> pieces_;  // the first n_pieces_ are known; the others are storage
  std::size_t n_pieces_ = 0;
};

}  // namespace saltus::sensitivity
