/// Problem      where a curve f(θ) = s·(g - level) first falls below -ν: a bracket of the sign change before
/// Method       bernstein  subdivision at the middle; no coefficient below -ν: nothing; one sign change: one root (Descartes'
///                         rule in Bernstein form [MRR05])
///              sampled    interpolation at Chebyshev points, then as above. Exact for polynomials of the degree; else the piece
///                         is halved until the last coefficients of the interpolant are below the resolution [Tre13]
///              enclosed   range and rate over a box; mean value form f(m) + f'([a, b])·[-w/2, w/2] [Moo66]; monotone pieces are
///                         decided by their ends; others bounded from both ends by their rates; else halved. Guards over variables
///                         that equations give: range and rate along the curve; where no such bound decides a piece of width
///                         kLeastBoundedPiece, the piece is sampled; one that is within ν at the Chebyshev points of the whole
///                         step stays zero
/// Contract     Pieces are settled from left to right, so the first passage is found whatever comes after it. With
///              `deflate` f(0) = 0 is a known root and f(θ)/θ is looked at instead.
///              No allocation.
/// Choices      Halving ends at kLeastPiece, where the ends decide.
/// Fails when   kMaxPieces pieces do not suffice (undecided: says from where on), or f cannot be evaluated
/// Cost         one or two pieces in the usual case; about 70 at an exact tangency
/// Checked by   tests/unit/locate/{event_search,curved_guards,no_miss}_test.cpp
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "locate/bernstein.hpp"
#include "locate/guard_curve.hpp"
#include "locate/step_enclosure.hpp"

namespace saltus::locate {

/// Pieces looked at for one guard in one step; an exact tangency takes about 70.
inline constexpr int kMaxPieces = 400;
/// Width of the smallest piece in θ.
inline constexpr double kLeastPiece = 0x1p-44;
/// Where an implicit guard has no bounds on a piece of this width, or none that decide, it is sampled there.
inline constexpr double kLeastBoundedPiece = 0x1p-10;
/// A curve within its noise at the end of a step is on its way across when its slope would carry it through this many widths of
/// the noise in another step of the same size.
inline constexpr double kOnItsWay = 16.0;

struct Passage {
  enum class Kind : std::uint8_t { none, bracket, undecided, failed };
  Kind kind = Kind::none;
  /// bracket: f > 0 at `a` (or it is where the curve starts), f < 0 at `b`; a == b: there.
  /// undecided: nothing happens before `a`.
  double a = 0.0;
  double b = 0.0;
};

/// A curve that can be evaluated, as a passage is looked for on [0, end].
struct CurveTask {
  const GuardCurve* curve = nullptr;
  double end = 1.0;
  double noise = 0.0;          ///< ν
  bool deflate = false;        ///< f(0) = 0 is known
  bool is_end_of_step = true;  ///< a root at `end` on its way across counts
  bool is_instant =
      false;  ///< [0, end] is one instant: what is not resolved and on its side at points stays there
};

/// What encloses a guard on a step.
struct GuardEnclosure {
  system::GuardEnclosures* guards = nullptr;
  const trajectory::SegmentView* segment = nullptr;
  StepEnclosure* boxes = nullptr;
  std::int64_t* n_enclosures = nullptr;
  bool is_implicit = false;
  bool* is_sampled = nullptr;  ///< set where values at points had to do
};

class PassageFinder {
 public:
  /// On [0, end]: `powers` are the coefficients of uᵖ, u = θ/end (destroyed).
  Passage polynomial(std::span<double> powers, double end, double noise, bool deflate);
  /// g(x(θ)) is a polynomial of this degree, at most kMaxBernsteinDegree.
  Passage sampled_polynomial(const CurveTask& task, std::size_t degree);
  /// `resolution`: relative to the largest value on a piece. At least `n_pieces` of them.
  Passage sampled(const CurveTask& task, double resolution, int n_pieces = 1);
  Passage enclosed(const CurveTask& task, const GuardEnclosure& guard, double resolution);

 private:
  struct Piece {
    double a;
    double b;
    BernsteinArray coefficients;
  };
  // What counts as zero. Of f/θ also what f itself cannot show: |f| ≤ ν on a piece that ends at b is |f/θ| ≤ ν/b.
  struct Noise {
    double of_curve;
    double of_coefficients;
    bool is_deflated;

    [[nodiscard]] double on(double b) const {
      return is_deflated ? of_coefficients + of_curve / b : of_coefficients;
    }
  };
  // Left to right over pieces: what has been seen so far.
  struct Progress {
    double last_positive = -1.0;  // latest known θ with f > 0; negative: none
    int n_pieces = 0;
  };
  struct EnclosedWalk;

  Passage subdivide(std::size_t degree, double a, double b, const Noise& noise, Progress& progress);
  [[nodiscard]] static Passage at_end(std::span<const double> b, double end, double noise);
  bool interpolate(const GuardCurve& curve, double a, double b, std::size_t degree, bool deflate,
                   double& largest, double& tail);
  [[nodiscard]] static bool stays_zero(const CurveTask& task);
  Passage sampled_on(const CurveTask& task, double a, double b, double resolution, Progress& progress);
  [[nodiscard]] Passage by_values(const CurveTask& task, double a, double b, Progress& progress) const;

  static constexpr std::size_t kStack = 64;
  std::array<Piece, kStack> stack_;
  BernsteinArray coefficients_{};
  BernsteinArray chebyshev_{};
  BernsteinArray values_{};
};

}  // namespace saltus::locate
