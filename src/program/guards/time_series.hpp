/// Series in time of what a tape computes with states and unknowns at rest.
///
/// Problem      c(t) on a piece of time, as a polynomial with a remainder, where bounds by values and slopes are too wide
/// Method       Taylor arithmetic in intervals, order by order [Moo66, 11.3]: with t = t_p + ρu, |u| ≤ 1, the coefficients of order < K at
///              t_p, and that of order K over the whole piece, whose product with uᴷ holds the rest
/// Notation     a series is stored from order 1 on, a_k ρᵏ; order 0 is the register itself
/// Contract     Rounding errors are covered. False: an operation that has no series here, or that is not defined on the piece. Does not
///              allocate.
/// Choices      K = kSeriesOrder: above the degree of every extension of a step, which then has no remainder; a sine over a radian leaves
///              1/K! = 3e-7 of itself.
/// Checked by   tests/unit/program/time_series_test.cpp
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/interval.hpp"
#include "program/guards/guard_tape.hpp"

namespace saltus::program {

inline constexpr std::size_t kSeriesOrder = 10;
/// Coefficients of the orders 1 … K.
using TimeSeries = std::array<Interval, kSeriesOrder>;

/// What registers are as functions of time, states and unknowns.
class SeriesDependence {
 public:
  enum class Kind : std::uint8_t {
    constant,  ///< as long as what is held is
    time,      ///< a function of time alone that has a series
    affine,    ///< constants times states and unknowns, and a function of time
    other,
  };

  SeriesDependence() = default;
  explicit SeriesDependence(std::size_t n_registers) : known_(n_registers) { known_[0] = {Kind::time, true}; }
  void know_unknown(std::uint32_t input) { known_[input] = {Kind::affine, false}; }
  /// Finds out about the registers of a piece. True: all its roots are constant, of time, or affine.
  bool add(const GuardTape& tape, const TapePiece& piece);
  [[nodiscard]] bool is_affine(std::int32_t operand) const { return of(operand).kind != Kind::other; }
  /// The place of the series of a register; -1: it has none but the register itself.
  [[nodiscard]] std::int32_t slot(std::int32_t operand) const {
    return operand < 0 ? -1 : known_[static_cast<std::size_t>(operand)].slot;
  }
  [[nodiscard]] std::size_t n_slots() const { return n_slots_; }

 private:
  struct Known {
    Kind kind = Kind::constant;
    bool is_timed = false;
    std::int32_t slot = -1;
  };
  [[nodiscard]] Known of(std::int32_t operand) const {
    return operand < 0 ? Known{Kind::affine, false, -1} : known_[static_cast<std::size_t>(operand)];
  }
  [[nodiscard]] Known of(const TapeInstruction& instruction) const;

  std::vector<Known> known_;  // by register
  std::size_t n_slots_ = 0;
};

/// After run_tape over the same registers: the series of the piece's registers. `rho`: ρ.
[[nodiscard]] bool run_time_series(std::span<const TapeInstruction> code, const SeriesDependence& dependence,
                                   double rho, const Interval* registers, const Interval* x,
                                   std::span<TimeSeries> series);

}  // namespace saltus::program
