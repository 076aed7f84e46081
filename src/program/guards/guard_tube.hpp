/// Problem      z(t) with r(t, x(t), z(t)) = 0 over a piece of a curve x(t) (system::CurvePiece), all implicit blocks that a guard needs
///              at once: a tube that holds it, and the rates in it
/// Method       z(t) = z̃(t) + d with z̃(t) = z_p + s·(t - t_p) through a solved point p. Along the curve
///                r = r(p) + ∫ (∂r/∂t + ∂r/∂x ẋ + ∂r/∂z s) dt + ∂r/∂x·ε + ∂r/∂z·d,
///              every derivative over boxes of the piece: the first in the form of a mean value in t alone (tangents along the
///              curve), so that its error falls with the square of the length; ε what states may lie beside the curve. Krawczyk's
///              operator over ∂r/∂z gives d (krawczyk.hpp); with the total derivative as right side it gives δ, ż = s + δ.
/// Notation     T: time of the piece;  τ = T - t_p;  Q: the total derivative with ż = s;  ε in `around`
/// Contract     Within the box of the unknowns that the derivatives were taken over there is one solution for each time, and it is
///              continuous. For a curve it must be the one that continues from the start of the piece: the caller asks holds().
///              Nothing allocates after construction.
/// Choices      The box of the unknowns is guessed from the tube before; a guess that was too small is widened, at most kMostTries
///              times. For a box of states s = 0: all of it is ε. The last kMostKept tubes are kept.
/// Fails when   an equation is not defined or may jump over the box, or nothing contracts: false
/// Cost         per try one run of the equations with tangents and one sweep back over each equation, in intervals
/// Checked by   tests/unit/program/guard_tube_test.cpp
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/archive.hpp"
#include "program/guards/guard_tape.hpp"
#include "program/guards/krawczyk.hpp"
#include "system/guards.hpp"

namespace saltus::program {

/// Equations of implicit blocks, one for each of the unknowns `inputs`, that contain no other unknowns of such blocks. With
/// r(t, x, z) = 0 the gradient of g(t, x, z) is ∂g/∂x - λᵀ ∂r/∂x, (∂r/∂z)ᵀ λ = ∂g/∂z.
struct GuardClosure {
  TapePiece rows;                     ///< roots: r
  std::vector<std::uint32_t> inputs;  ///< ascending

  /// What each row is made of, for sweeps over boxes.
  struct Part {
    std::vector<std::uint32_t> starts;  ///< by row, and the end
    std::vector<std::uint32_t> items;
    [[nodiscard]] std::span<const std::uint32_t> of(std::size_t row) const {
      return std::span(items).subspan(starts[row], starts[row + 1] - starts[row]);
    }
  };
  bool may_jump = false;  ///< some equation does: there is no tube
  bool is_affine =
      false;  ///< in unknowns and states, with constants; what depends on time has a series (guard_series.hpp)
  Part instructions;  ///< places in the code of `rows`
  Part unknowns;      ///< places in `inputs`
  Part states;

  void find_parts(const GuardTape& tape);
};

/// Registers of a tape in several meanings, which belong to whoever runs it.
struct TapeMemory {
  double* values;
  double* value_tangents;
  Interval* intervals;
  Interval* tangents;
  Interval* adjoints;
  Interval* gradient;  ///< by state
  Continuity* levels;
};

/// First guess of how far an unknown lies beside z̃: part of the way that it goes over half the piece, …
inline constexpr double kShareOfWay = 0.25;
/// … and part of its size, for an unknown that stands still.
inline constexpr double kShareOfSize = 1e-6;

class GuardTube {
 public:
  GuardTube(const GuardTape& tape, const GuardClosure& closure, std::size_t n_states);

  /// Goes to the tube of this piece, if it is one of the last kMostKept; `version` of what is held.
  [[nodiscard]] bool find(const system::CurvePiece& piece, std::uint64_t version);
  /// From the solution `z` at the point of the piece and the errors that solving leaves. Registers in `memory` hold what is held.
  /// False: there is no tube; find() is true for the piece all the same.
  bool build(const system::CurvePiece& piece, std::uint64_t version, std::span<const double> z,
             std::span<const double> errors, const TapeMemory& memory);
  [[nodiscard]] bool is_known() const { return kept_[place_].is_known; }
  /// Whether a solution at time t lies in the tube, up to its errors.
  [[nodiscard]] bool holds(double t, std::span<const double> z, std::span<const double> errors) const;
  /// What has been found to hold no solution that continues.
  void drop() { kept_[place_].is_known = false; }

  /// z over the piece, ż over it, z at the point of the piece.
  [[nodiscard]] std::span<const Interval> values() const { return kept_[place_].values; }
  [[nodiscard]] std::span<const Interval> rates() const { return kept_[place_].rates; }
  [[nodiscard]] std::span<const Interval> at_point() const { return kept_[place_].at_point; }

  void fields(Archive& a) {
    a(krawczyk_);
    for (Kept& kept : kept_) {
      a(kept.is_known, kept.version, kept.time, kept.at, kept.is_box, kept.box, kept.values, kept.rates,
        kept.at_point);
    }
    for (Memory& memory : memories_) {
      a(memory.radii, memory.length);
    }
    a(place_, next_, middle_rates_, point_, slopes_, turned_, radii_, region_, total_, beside_, sides_, side_,
      distance_);
  }

 private:
  struct Memory {
    std::vector<double> radii;  // that the tube before came to, …
    double length = 0.0;        // … and the length of its piece; 0: there was none
  };
  [[nodiscard]] bool differentiate(const system::CurvePiece& piece, const TapeMemory& memory);
  void find_slopes(const system::CurvePiece& piece, const TapeMemory& memory);
  void guess_radii(const system::CurvePiece& piece, std::span<const double> errors);
  [[nodiscard]] bool find_distance(const system::CurvePiece& piece, std::span<const double> errors,
                                   const TapeMemory& memory);
  void correct_slopes();
  [[nodiscard]] bool is_in_region(Memory& memory, std::span<const double> errors, double half_length);
  void place_box(const system::CurvePiece& piece);
  void remember(const system::CurvePiece& piece, std::uint64_t version);

  const GuardTape& tape_;
  const GuardClosure& closure_;
  Krawczyk krawczyk_;
  // Guards of one step are looked at one after the other, each over the same pieces of it.
  static constexpr std::size_t kMostKept = 8;
  struct Kept {
    bool is_known = false;
    std::uint64_t version = 0;
    Interval time;
    double at = 0.0;
    bool is_box = false;
    std::vector<Interval> box;  // of the states that the equations read
    std::vector<Interval> values;
    std::vector<Interval> rates;
    std::vector<Interval> at_point;
  };
  std::array<Kept, kMostKept> kept_;
  std::size_t place_ = 0;  // of the tube that is asked about
  std::size_t next_ = 0;   // … and that is given up next
  std::vector<double> middle_rates_;
  // By unknown.
  std::vector<double> point_;
  std::vector<double> slopes_;
  std::vector<double> turned_;      // by how much the slopes differ from those that the box was placed with
  std::vector<double> radii_;       // of the box about z̃(T) over which derivatives are taken
  std::array<Memory, 2> memories_;  // of curves and of boxes
  std::vector<Interval> region_;    // that box
  std::vector<Interval> total_;     // Q, by row
  std::vector<Interval> beside_;    // ∂r/∂x·ε
  std::vector<Interval> sides_;     // right sides
  std::vector<double> side_;
  std::vector<Interval> distance_;  // d
};

}  // namespace saltus::program
