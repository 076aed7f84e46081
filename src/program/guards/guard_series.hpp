/// Bounds of guards over equations that are affine in unknowns and states, along a curve, by series in time.
///
/// Problem      A diode of R = 1e-5 between a source and a capacitor has the current (u(t) - v(t))/R: bounds that take the changes of u and v over
///              a piece each for itself are 1/R too wide, and a step falls into a hundred pieces.
/// Method       r(t, x, z) = A z + B x + c(t) and g = γᵀz + βᵀx + d(t), with constants A, B, γ, β as long as nothing that is held changes.
///              With Aᵀλ ≈ γ
///                g(t) = (g - λᵀr)(t, x(t), z_p) + (γ - Aᵀλ)ᵀ(z(t) - z_p)
///              for any z_p. The first is d - λᵀc, a function of time with a series (time_series.hpp), and κᵀx(t), κ = β - λᵀB, a
///              polynomial where the curve is one: their coefficients are added before anything is bounded, so what cancels in the
///              circuit cancels here. The second is rounding; z(t) comes from the tube.
/// Notation     t = t_p + ρu, |u| ≤ 1;  G_k: coefficients of g in u;  K: kSeriesOrder
/// Contract     holds for every curve beside the given one within `around`. Rounding errors are covered. Nothing allocates after
///              construction.
/// Choices      λ belongs to what is held and is kept: a step costs two sweeps over the equations, a guard more of them n products.
/// Fails when   A is singular, or what depends on time has no series on the piece: nothing is said
/// Checked by   tests/unit/program/guard_series_test.cpp
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "linalg/dense_lu.hpp"
#include "program/guards/guard_set.hpp"
#include "program/guards/guard_tube.hpp"
#include "program/guards/time_series.hpp"
#include "system/guards.hpp"

namespace saltus::program {

class GuardSeries {
 public:
  explicit GuardSeries(const GuardCode& code);

  /// Of a guard with GuardCode::Guard::has_series, whose tube on the piece is known. `version`: of what is held, which the registers of
  /// `memory` have. `point`: room for the states.
  [[nodiscard]] std::optional<system::GuardBounds> bound(Index guard, const GuardTube& tube,
                                                         const system::CurvePiece& piece,
                                                         std::uint64_t version, const TapeMemory& memory,
                                                         std::span<Interval> point);

 private:
  // Of the equations of a closure.
  struct Equations {
    explicit Equations(const GuardClosure& closure);

    std::uint64_t version = 0;  // of A and B; 0: none
    bool is_regular = false;
    std::vector<Interval> a;  // by entry of closure.unknowns
    std::vector<Interval> b;  // by entry of closure.states
    linalg::DenseLu solver;   // of Aᵀ
    // r at (t_p, x_p, z_p) and its series on the last piece
    std::uint64_t series_version = 0;  // 0: none
    bool has_series = false;
    Interval time;
    double at = 0.0;
    std::vector<double> x;
    std::vector<double> z_point;
    std::vector<Interval> values;
    std::vector<TimeSeries> series;
  };
  struct Numbers {
    std::uint64_t version = 0;
    bool is_finite = false;
    std::vector<double> multipliers;  // λ
    std::vector<Interval> left;       // γ - Aᵀλ
    std::vector<Interval> slopes;     // κ, by state of the guard
  };

  struct Place {
    const GuardTube& tube;
    const system::CurvePiece& piece;
    std::uint64_t version;
    const TapeMemory& memory;
    std::span<Interval> point;
  };

  void differentiate(const GuardClosure& closure, Equations& equations, const Place& place);
  void find_multipliers(const GuardCode::Guard& guard, const GuardClosure& closure, Equations& equations,
                        Numbers& numbers, const Place& place);
  void expand(const GuardClosure& closure, Equations& equations, const Place& place);
  void put_point(const GuardClosure& closure, const Equations& equations, const Place& place,
                 const Interval& time);
  [[nodiscard]] bool expand_piece(const GuardClosure& closure, const Equations& equations,
                                  const TapePiece& code, const Place& place, std::span<Interval> values,
                                  std::span<TimeSeries> series);

  const GuardCode& code_;
  std::vector<Equations> equations_;  // by closure
  std::vector<Numbers> numbers_;      // by guard
  std::vector<TimeSeries> registers_;
  std::vector<std::uint32_t> all_;  // 0, 1, 2, …: all instructions of a piece
  std::vector<double> right_;
};

}  // namespace saltus::program
