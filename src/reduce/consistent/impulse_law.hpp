/// The equations integrated over an instant: what stays through a jump, and which impulses make it.
///
/// Problem      conditions have changed the equations to F(t, x, ẋ, y) = 0, and x cannot keep its values. Of all jumps that meet the new
///              constraints the equations allow those over which they can be integrated.
/// Method       over an instant Σ ∂F/∂ẋ·Δx + Σ ∂F/∂y·Λ = 0 for every equation: what is bounded integrates to zero, Λ is the integral of an
///              unknown that is not. Λ is eliminated (sparse_elimination.hpp); what is left is conserved: charge, momentum, flux.
/// Notation     Δx jump of a differential unknown (below its highest derivative as written), Λ impulse of an algebraic one
/// Contract     An algebraic unknown, and a derivative, may have an impulse unless one of its coefficients depends on an algebraic
///              unknown, a derivative or a differential unknown that jumps (system::WrittenCoefficients): a derivative
///              without one means that its unknown is conserved by itself. Differential unknowns have none where they stand undifferentiated.
///              Of what is said there the parts of the equations (law_parts.hpp) take back: outputs do not count; constants are numbers
///              in coefficients; a row of followers bounds followers alone, and where it cannot be integrated it is left out.
/// Choices      coefficients that depend on what jumps are not averaged over the jump: that would need the way in between. Followers
///              whose rows are left out are open()
/// Fails when   a coefficient that counts is not finite (pose() is false)
/// Cost         one Jacobian of the equations as written, one sparse elimination; allocates
/// Checked by   tests/unit/reduce/impulse_law_test.cpp, tests/events/impulses_test.cpp
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "reduce/consistent/law_parts.hpp"
#include "reduce/consistent/sparse_elimination.hpp"
#include "system/configuration.hpp"
#include "system/written_coefficients.hpp"

namespace saltus::reduce {

class ImpulseLaw {
 public:
  explicit ImpulseLaw(std::shared_ptr<const system::WrittenCoefficients> written);

  /// Of the equations as written: they contain a derivative of this slot.
  [[nodiscard]] bool is_below(std::size_t slot) const { return is_below_[slot] != 0; }

  /// At values by slot (of algebraic unknowns and derivatives any); `jumps`, by slot: differential unknowns whose coefficients do not
  /// count as fixed; `is_given`, by slot, empty: none: those that something else moves, whose rows say nothing. False: a coefficient is not
  /// finite.
  bool pose(const system::Configuration& configuration, double t, std::span<const double> slots,
            std::span<const std::uint8_t> jumps, std::span<const std::uint8_t> is_given = {});
  /// Σ factor·(jump of the slot) = 0.
  [[nodiscard]] const std::vector<SparseRow>& conserved() const { return conserved_; }
  /// By slot, as posed last: an algebraic unknown or a derivative without an impulse.
  [[nodiscard]] const std::vector<std::uint8_t>& bounded() const { return is_bounded_; }
  /// By row, as posed last: it is no part of the law.
  [[nodiscard]] const std::vector<std::uint8_t>& left_out() const { return is_left_out_; }
  /// By slot, for jumps by slot that agree with what is conserved: impulses of algebraic unknowns; NaN for others, and where the
  /// equations do not determine them.
  [[nodiscard]] std::vector<double> impulses(std::span<const double> jumps) const;
  /// By slot, for the same: differential unknowns whose jumps depend on the way in between.
  [[nodiscard]] std::vector<std::uint8_t> open(std::span<const double> jumps) const;
  /// By slot: differential unknowns whose rates contain one that `moves` (by slot), so that it is the rate that jumps.
  [[nodiscard]] std::vector<std::uint8_t> have_moving_rates(std::span<const std::uint8_t> moves) const;

 private:
  template <class Visit>
  void for_each_entry(std::size_t slot, Visit visit) const;
  [[nodiscard]] bool is_fixed(std::size_t entry, std::span<const std::uint8_t> jumps) const;
  void find_parts(std::span<const std::uint8_t> jumps, std::span<const std::uint8_t> is_given);
  [[nodiscard]] bool is_free(std::size_t slot) const;
  bool find_values(system::EquationRunner& runner, double t, std::span<const double> slots);

  std::shared_ptr<const system::WrittenCoefficients> written_;
  std::vector<Index>
      derivative_of_;  // by slot: the slot of its derivative if that is the highest written; -1: none
  std::vector<Index> integral_of_;  // by slot that is such a derivative: the slot it is the derivative of; -1
  std::vector<std::uint8_t> is_below_;  // by slot: a derivative of it is written
  std::optional<LawParts> parts_;
  LawConstants constants_;  // as posed last
  std::vector<std::uint8_t> is_bounded_;
  std::vector<std::uint8_t> is_left_out_;
  std::vector<std::vector<Index>>
      unfixed_of_;  // by row left out: unknowns that may have an impulse, with coefficients that are not fixed
  std::vector<double> values_;  // by slot
  std::vector<SparseRow> conserved_;
  std::optional<SparseElimination> elimination_;
};

}  // namespace saltus::reduce
