/// Problem      prove, for many affine guards at once and at little cost, that none leaves its side within a step
/// Method       a range of every state that occurs in a guard, as centre and radius, from the sizes of its coefficients; then
///              for each guard |value at the centres| against the radii. Only the guards that this does not settle get
///              Bernstein coefficients of their own.
/// Notation     g(θ) = Σ_k a_k x_k(θ) + a_t t + c;  e_i = κ (atol_i + rtol |x_i|) bounds |x_i(θ) of the free extension - x_i(θ) of
///              the full one|
/// Contract     a guard that is certified has no sign change beyond e_g on the full extension; rounding errors are covered
/// Choices      κ = kExtensionError. Where the error test is off there is no tolerance: a tenth of the state's range stands
///              in for it.
/// Cost         about 15 operations for each state that occurs, 5 for each term of a guard
/// Checked by   tests/unit/locate/affine_exclusion_test.cpp
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/ids.hpp"
#include "integrate/error_norm.hpp"
#include "locate/bernstein.hpp"
#include "locate/watch.hpp"
#include "system/guards.hpp"
#include "trajectory/segment.hpp"

namespace saltus::locate {

/// κ: how many tolerances a state on the free extension may be away from the one on the full extension, in a step that
/// passed the error test. Largest ratio observed: docs/math/event_location.md.
inline constexpr double kExtensionError = 32.0;

/// By how much more the quotient by θ of that difference can be, after a root at θ = 0 was divided out: the difference
/// vanishes like θ²(1 - θ)² at both ends, and max θ(1 - θ)² : max θ²(1 - θ)² = 64 : 27.
inline constexpr double kDeflatedError = 64.0 / 27.0;

/// e for one state of size |x| ≤ magnitude and range 2·radius over the step.
struct ExtensionError {
  double rtol;
  double floor;            ///< max(‖x‖∞, 1) in the norm of [Com01], which knows no atol; else 0
  double share_of_radius;  ///< where there is no error test

  ExtensionError(const integrate::Tolerances& tolerances, std::span<const double> x_start);
  [[nodiscard]] double operator()(double atol, double magnitude, double radius) const {
    const double size = magnitude > floor ? magnitude : floor;
    return kExtensionError * ((floor > 0.0 ? 0.0 : atol) + rtol * size) + share_of_radius * radius;
  }
};

/// A guard as a polynomial in θ.
struct AffineCurve {
  BernsteinArray powers{};  ///< s·(g - level), coefficients of θᵖ
  std::size_t degree = 0;
  double noise = 0.0;   ///< bound of the rounding errors in a value
  double margin = 0.0;  ///< e_g, where it was asked for
};

class AffineExclusion {
 public:
  explicit AffineExclusion(Index n_states);

  void clear();
  void add(Index watch, const system::AffineGuard& guard, const Watch& what);
  [[nodiscard]] bool empty() const { return guards_.empty(); }

  /// Appends to `undecided` the watches that are not certified; `segment` is the free extension. `deflate`: roots at the
  /// start are divided out for the watches that start at one.
  void certify(const trajectory::SegmentView& segment, const integrate::Tolerances& tolerances,
               std::span<const double> x_start, bool deflate, std::vector<Index>& undecided);

  /// The curve of the `entry`-th guard added, on any extension.
  [[nodiscard]] AffineCurve curve(std::size_t entry, const trajectory::SegmentView& segment) const;

 private:
  struct Guard {
    Index watch;
    std::uint32_t first_term;
    std::uint32_t n_terms;
    double time_coefficient;
    double constant;  // with the level taken off
    double rounding;  // a few spacings of the constant's terms
    double side;
    bool starts_at_root;
    bool is_threshold;  // a single state, no time
  };
  struct Term {
    double coefficient;
    std::uint32_t slot;
  };
  // Of a state that occurs in a guard.
  struct Range {
    double centre;
    double radius;  // of the range, plus error
    double error;
  };

  void bound_states(const trajectory::SegmentView& segment, const integrate::Tolerances& tolerances,
                    std::span<const double> x_start);
  [[nodiscard]] bool certified_by_ranges(const Guard& guard) const;
  [[nodiscard]] bool certified_by_coefficients(std::size_t entry, const trajectory::SegmentView& segment,
                                               bool deflate) const;

  std::vector<Guard> guards_;
  std::vector<Term> terms_;
  std::vector<Index> states_;        // by slot
  std::vector<std::int32_t> slots_;  // by state; -1: does not occur
  std::vector<Range> ranges_;        // by slot
  double middle_time_ = 0.0;
  double half_step_ = 0.0;
};

}  // namespace saltus::locate
