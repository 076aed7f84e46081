/// Problem      prove, for many affine guards at once and at little cost, that none leaves its side within a step
/// Method       ranges of the states that occur in guards (step_ranges.hpp). All guards that compare one state with a constant
///              make one interval in which the state must stay; other guards take their least value over the ranges. Only the
///              guards that this does not settle get Bernstein coefficients of their own.
/// Notation     f = s·(g - level) = Σ_k a_k x_k(θ) + a_t t + c, the side multiplied in;  e_g = Σ |a_k| e_k
/// Contract     a guard that is certified has no sign change beyond e_g on the full extension; rounding errors are covered
/// Choices      The intervals of the thresholds are made for the second step: many stretches between events have only one.
/// Cost         two comparisons for each state that occurs, 5 operations for each term of a guard of several terms; the free
///              extension only for what is left
/// Checked by   tests/unit/locate/affine_exclusion_test.cpp
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/archive.hpp"
#include "base/ids.hpp"
#include "locate/bernstein.hpp"
#include "locate/step_ranges.hpp"
#include "locate/trusted_box.hpp"
#include "locate/watch.hpp"
#include "system/guards.hpp"
#include "trajectory/segment.hpp"

namespace saltus::locate {

/// By how much more the quotient by θ of the difference of the extensions can be, after a root at θ = 0 was divided out: the
/// difference vanishes like θ²(1 - θ)² at both ends, and max θ(1 - θ)² : max θ²(1 - θ)² = 64 : 27.
inline constexpr double kDeflatedError = 64.0 / 27.0;

/// A guard as a polynomial in θ.
struct AffineCurve {
  BernsteinArray powers{};  ///< s·(g - level), coefficients of θᵖ
  std::size_t degree = 0;
  double noise = 0.0;   ///< bound of the rounding errors in a value
  double margin = 0.0;  ///< e_g of the step that was bounded last
};

class AffineExclusion {
 public:
  void clear();
  /// Its states join `ranges`.
  void add(Index watch, const system::AffineGuard& guard, const Watch& what, StepRanges& ranges);

  /// False: there are guards that ranges do not certify, for certify_by_coefficients(). `is_first`: no step since the guards
  /// were added.
  [[nodiscard]] bool certify_by_ranges(const StepRanges& ranges, bool is_first);
  /// After a step that ranges certified: cuts off the box where a guard may be zero. False: a guard is so close that the next
  /// step would leave the box.
  [[nodiscard]] bool limit(const StepRanges& ranges, TrustedBox& box) const;
  /// Appends to `undecided` the watches that are not certified; `segment` is the free extension. `deflate`: roots at the
  /// start are divided out for the watches that start at one.
  void certify_by_coefficients(const trajectory::SegmentView& segment, const StepRanges& ranges, bool deflate,
                               std::vector<Index>& undecided) const;

  /// The curve of the `entry`-th guard added, on any extension.
  [[nodiscard]] AffineCurve curve(std::size_t entry, const trajectory::SegmentView& segment,
                                  const StepRanges& ranges) const;

  void fields(Archive& a) { a(guards_, terms_, limits_, thresholds_, sums_, open_); }
  /// After loading.
  [[nodiscard]] bool fits(std::size_t n_watches, std::size_t n_slots) const;
  [[nodiscard]] std::size_t n_guards() const { return guards_.size(); }

 private:
  using Slot = StepRanges::Slot;
  struct Guard {
    Index watch;
    std::uint32_t first_term;
    std::uint32_t n_terms;
    double time_coefficient;
    double constant;  // with the level taken off
    double rounding;  // a few spacings of the constant's terms
    bool starts_at_root;

    void fields(Archive& a) {
      a(watch, first_term, n_terms, time_coefficient, constant, rounding, starts_at_root);
    }
  };
  struct Term {
    double coefficient;
    Slot slot;

    void fields(Archive& a) { a(coefficient, slot); }
  };

  void make_limits(std::size_t n_slots);
  [[nodiscard]] bool within_limits(const StepRanges& ranges) const;
  void check(std::span<const std::uint32_t> entries, const StepRanges& ranges);
  // The least value over the ranges less what it may be off by; positive: certified.
  [[nodiscard]] double margin(const Guard& guard, const StepRanges& ranges) const;
  [[nodiscard]] bool certified_by_coefficients(std::size_t entry, const trajectory::SegmentView& segment,
                                               const StepRanges& ranges, bool deflate) const;

  std::vector<Guard> guards_;
  std::vector<Term> terms_;
  std::vector<Interval> limits_;  // by slot; of a state between them all thresholds hold; empty: not made yet
  std::vector<std::uint32_t> thresholds_;  // entries of guards of one state, without time
  std::vector<std::uint32_t> sums_;        // the other entries
  std::vector<std::uint32_t> open_;        // entries that ranges did not certify
};

}  // namespace saltus::locate
