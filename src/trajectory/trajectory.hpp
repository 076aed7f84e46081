/// The dense solution of a run: segments in the order they were computed.
///
/// Contract     Segments join in time: each starts where the one before ended (up to one instant), all run in one
///              direction. At an event two segments share a time: the first ends with x⁻, the next starts with x⁺;
///              segments of length zero hold the states between, so the place in the list is the superdense index.
///              The number of states and the degree may differ from segment to segment.
/// Cost         48 bytes per segment and 8 bytes per coefficient; find() is a binary search.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/archive.hpp"
#include "base/ids.hpp"
#include "trajectory/segment.hpp"

namespace saltus::trajectory {

/// Which of the segments that share a time is meant.
enum class Side : std::uint8_t {
  left,   ///< the first that ends at this time: x⁻
  right,  ///< the last that starts at this time: x⁺ after everything that happened
};

class Trajectory {
 public:
  /// Copies the segment to the end of the list.
  void append(const SegmentView& segment);
  void reserve(Index n_segments, Index n_coefficients);
  void clear();

  [[nodiscard]] Index size() const { return static_cast<Index>(pieces_.size()); }
  [[nodiscard]] bool empty() const { return pieces_.empty(); }
  /// Valid until the next append.
  [[nodiscard]] SegmentView segment(Index index) const;

  [[nodiscard]] double start_time() const;
  [[nodiscard]] double end_time() const;
  [[nodiscard]] bool is_backward() const;
  [[nodiscard]] bool contains(double t) const;

  /// Index of the segment that holds t; t lies within [start_time(), end_time()] (either order).
  [[nodiscard]] Index find(double t, Side side = Side::right) const;
  /// x(t) of that side; x has the number of states of the segment found.
  void evaluate(double t, std::span<double> x, Side side = Side::right) const;

  /// Bytes held, for reports.
  [[nodiscard]] std::size_t memory() const;

  void fields(Archive& a) {
    a(coefficients_);
    std::uint64_t n_pieces = pieces_.size();
    a(n_pieces);
    for (std::uint64_t k = 0; k < n_pieces && a.ok(); ++k) {
      Piece piece = k < pieces_.size() ? pieces_[k] : Piece{};
      a(piece.start, piece.h, piece.end, piece.offset, piece.n_states, piece.degree);
      const std::uint64_t n_numbers = std::uint64_t{piece.n_states} * (std::uint64_t{piece.degree} + 1);
      if (a.is_loading() &&
          (piece.offset > coefficients_.size() || n_numbers > coefficients_.size() - piece.offset)) {
        a.refuse("the dense solution does not fit");
      }
      if (k == pieces_.size()) {
        pieces_.push_back(piece);
      }
    }
  }

 private:
  struct Piece {
    CompensatedTime start;
    double h;
    double end;
    std::size_t offset;
    std::uint32_t n_states;
    std::uint32_t degree;
  };

  std::vector<Piece> pieces_;
  std::vector<double> coefficients_;
};

}  // namespace saltus::trajectory
