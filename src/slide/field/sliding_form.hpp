/// The residual form of a system that is held on surfaces, for implicit methods.
///
/// Problem      r(t, y, ẏ) = 0 of the mode with blended conditions, weights s that keep g(t, x) = 0, and a sparse Jacobian
/// Method       The equations of the mode as they are (LockedDae::residual_form), the weights as further unknowns and a row for each:
///                r(t, x, z, ẋ; s) = 0
///                ∂g/∂t + ∂g/∂x·ẋ = 0
///              Constraints of the mode are in r already, once. This is the field f(t, x) with weights from ġ = 0 wherever x is, on
///              the surfaces or beside them, so methods keep their orders; results are projected (sliding_field.hpp).
/// Notation     y = (x, z, s); slots y, then ẋ
/// Contract     SlidingForm is immutable; of one set of surfaces. Its runners take s from the slots and set it by themselves.
///              Regular of index 1 where ∂ġ/∂s of the field is regular.
/// Choices      ∂r/∂s by differences over half the range, exact where r is affine in s, for many surfaces at once whose rows
///              have nothing in common (Curtis, Powell and Reid).
/// Fails when   the equations or a gradient have no value: not_finite, culprit: the row
/// Cost         a residual of the mode and the gradients; a Jacobian of the mode, two gradients and a residual for each group
/// Checked by   tests/unit/slide/sliding_form_test.cpp, tests/convergence/sliding_order_test.cpp
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "slide/field/surface_rates.hpp"
#include "system/locked_dae.hpp"

namespace saltus::slide {

class SlidingForm final : public system::EquationSet {
 public:
  /// Null where there is none: the mode has no residual form, or the states that a guard depends on are not known.
  [[nodiscard]] static std::shared_ptr<const SlidingForm> make(
      std::shared_ptr<const system::LockedDae> locked, const system::Evaluator& evaluator,
      std::span<const Index> surfaces, std::span<const system::GuardInfo> guards);

  [[nodiscard]] const std::vector<system::SlotInfo>& slots() const override { return slots_; }
  [[nodiscard]] const std::vector<system::RowInfo>& rows() const override;
  [[nodiscard]] const system::RectangularPattern& pattern() const override { return pattern_; }
  [[nodiscard]] bool is_linear() const override { return false; }
  [[nodiscard]] std::span<const Index> nonlinear_derivatives() const override {
    return inner_->nonlinear_derivatives();
  }
  [[nodiscard]] std::vector<Index> rows_over(Index guard) const override;
  [[nodiscard]] std::unique_ptr<system::EquationRunner> make_runner() const override;
  /// One over the equations and guards of `evaluator`, an evaluator of the same mode, which outlives it.
  [[nodiscard]] std::unique_ptr<system::EquationRunner> make_runner(system::Evaluator& evaluator) const;

  /// One surface and where its entries stand in the pattern.
  struct Surface {
    SurfaceRow row;
    bool is_affine = false;   ///< r in its weight
    std::vector<Index> rows;  ///< of the mode's equations, that contain its weight
    Index weight_place = 0;   ///< of ∂r/∂s, row after row
  };
  [[nodiscard]] std::span<const Surface> surfaces() const { return surfaces_; }
  [[nodiscard]] bool is_of(std::span<const Index> surfaces) const;
  /// Surfaces whose rows have nothing in common.
  [[nodiscard]] const std::vector<std::vector<std::size_t>>& groups() const { return groups_; }
  /// Of the mode.
  [[nodiscard]] const system::EquationSet& inner() const { return *inner_; }
  /// By entry of the mode's Jacobian: its place.
  [[nodiscard]] const std::vector<Index>& inner_places() const { return inner_places_; }
  [[nodiscard]] std::size_t n_states() const { return locked_->states().size(); }
  [[nodiscard]] std::size_t n_inner() const { return static_cast<std::size_t>(inner_->n_rows()); }

 private:
  SlidingForm(std::shared_ptr<const system::LockedDae> locked,
              std::shared_ptr<const system::EquationSet> inner, std::vector<Surface> surfaces);
  void list_slots();
  void build_pattern();
  void group_surfaces();

  std::shared_ptr<const system::LockedDae> locked_;
  std::shared_ptr<const system::EquationSet> inner_;
  std::vector<Surface> surfaces_;
  std::vector<system::SlotInfo> slots_;
  mutable std::once_flag rows_described_;
  mutable std::vector<system::RowInfo> rows_;
  system::RectangularPattern pattern_;
  std::vector<Index> inner_places_;
  std::vector<std::vector<std::size_t>> groups_;
};

}  // namespace saltus::slide
