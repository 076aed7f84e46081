/// One dense piece of a trajectory: x(t + θh) as a polynomial in θ, the same degree for all states.
///
/// Notation     x(θ) = Σ_p C_p θᵖ, p = 0..degree; C_p is a row of n_states numbers, rows stored one after the other
/// Contract     θ is local time: events are located in θ and evaluated at θ, never at a rounded absolute time
///              (docs/math/dense_output.md). θ outside [0, 1] extrapolates.
/// Choices      Powers of θ and not a Hermite form: Bernstein bounds, derivatives and resampling all start from
///              powers, and on [0, 1] with degree ≤ 6 the conversion loses no more than a few roundings.
#pragma once

#include <span>
#include <vector>

#include "base/ids.hpp"
#include "trajectory/compensated_time.hpp"

namespace saltus::trajectory {

/// Highest degree of a segment (room for the methods of order 8).
inline constexpr Index kMaxSegmentDegree = 9;

/// A segment that somebody else stores. Cheap to copy; valid as long as the storage is.
class SegmentView {
 public:
  SegmentView() = default;
  /// `coefficients` holds (degree + 1) rows of n_states numbers.
  SegmentView(CompensatedTime start, double h, double end, Index n_states, Index degree,
              std::span<const double> coefficients);

  /// False: there is none; one without states is given all the same.
  [[nodiscard]] bool is_given() const { return is_given_; }
  [[nodiscard]] const CompensatedTime& start() const { return start_; }
  /// Signed: negative in a run backward in time; zero for a piece that only holds a state of an instant.
  [[nodiscard]] double step() const { return h_; }
  [[nodiscard]] double start_time() const { return start_.value(); }
  [[nodiscard]] double end_time() const { return end_; }
  [[nodiscard]] Index n_states() const { return n_states_; }
  [[nodiscard]] Index degree() const { return degree_; }
  [[nodiscard]] std::span<const double> coefficients() const { return coefficients_; }

  /// Local time of t; 0 and 1 exactly at the two ends.
  [[nodiscard]] double theta(double t) const;

  void evaluate(double theta, std::span<double> x) const;
  /// dx/dt (not dx/dθ); the segment must have a length.
  void derivative(double theta, std::span<double> xdot) const;
  [[nodiscard]] double value(Index state, double theta) const;

  /// The part up to θ as a segment of its own, which ends at `end`: the polynomial in the local time of the shorter step, written
  /// into `coefficients`.
  [[nodiscard]] SegmentView shortened(double theta, double end, std::vector<double>& coefficients) const;

 private:
  CompensatedTime start_;
  double h_ = 0.0;
  double end_ = 0.0;
  Index n_states_ = 0;
  Index degree_ = 0;
  bool is_given_ = false;
  std::span<const double> coefficients_;
};

}  // namespace saltus::trajectory
