/// The residual form of the convex combination of two fields on a surface, for implicit methods.
///
/// Problem      ẋ = α f₊(t, x) + (1 - α) f₋(t, x) on g(t, x) = level, α from ġ = 0: two modes with the same states, or two sides of
///              one mode; as r(t, y, ẏ) = 0 with a sparse Jacobian
/// Method       both residual forms side by side, each with slopes p± of its own, and
///                r₊(t, x, z₊, p₊) = 0,   r₋(t, x, z₋, p₋) = 0,   ẋ = α p₊ + (1 - α) p₋,   ∂g/∂t + ∂g/∂x·ẋ = 0
/// Notation     y = (x, z₊, p₊, z₋, p₋, s), α = (1 + s)/2; rows r₊, r₋, the combination, ġ; slots y, then ẋ
/// Contract     CombinedForm is immutable. Its runners lock each side where the surface is that of a condition (level 0).
///              Both sides must have values beside the surface too: their stages lie there.
/// Fails when   equations or the gradient have no value: not_finite, culprit: the row
/// Cost         two residuals, or two Jacobians, and 3n further entries; a matrix of about three times the order
/// Checked by   tests/unit/slide/combined_form_test.cpp, tests/events/sliding_methods_test.cpp
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "slide/field/surface_rates.hpp"
#include "system/locked_dae.hpp"

namespace saltus::slide {

class CombinedForm final : public system::EquationSet {
 public:
  /// Of a mode on the side of the surface where g is larger, or smaller.
  using Modes = std::array<std::shared_ptr<const system::LockedDae>, 2>;

  /// Null where there is none: a mode has no residual form, or the states that the guard depends on are not known.
  [[nodiscard]] static std::shared_ptr<const CombinedForm> make(const Modes& modes,
                                                                const system::Evaluator& evaluator,
                                                                const system::GuardInfo& info, Index guard,
                                                                double level);

  [[nodiscard]] const std::vector<system::SlotInfo>& slots() const override { return slots_; }
  [[nodiscard]] const std::vector<system::RowInfo>& rows() const override;
  [[nodiscard]] const system::RectangularPattern& pattern() const override { return pattern_; }
  [[nodiscard]] bool is_linear() const override { return false; }
  [[nodiscard]] std::unique_ptr<system::EquationRunner> make_runner() const override;
  /// Over the equations of evaluators of the two modes, which outlive it; may be one and the same.
  [[nodiscard]] std::unique_ptr<system::EquationRunner> make_runner(system::Evaluator& plus,
                                                                    system::Evaluator& minus) const;

  /// One of the two forms, and where it stands.
  struct Side {
    std::shared_ptr<const system::EquationSet> equations;
    double side = 1.0;
    std::size_t first_row = 0;
    std::size_t first_algebraic = 0;  ///< of y
    std::size_t first_slope = 0;      ///< of y
    std::vector<Index> places;        ///< by entry of its Jacobian
    std::vector<Index> share_places;  ///< of -∂(combination)/∂p, by state
    [[nodiscard]] std::size_t n_rows() const { return static_cast<std::size_t>(equations->n_rows()); }
  };
  [[nodiscard]] const std::array<Side, 2>& sides() const { return sides_; }
  [[nodiscard]] const SurfaceRow& surface() const { return surface_; }
  [[nodiscard]] std::size_t n_states() const { return n_states_; }
  [[nodiscard]] std::size_t n_y() const { return static_cast<std::size_t>(pattern_.n_rows); }
  /// Rows of the combination.
  [[nodiscard]] std::size_t first_combined() const { return n_y() - 1 - n_states_; }
  [[nodiscard]] Index weight_place() const { return weight_place_; }
  /// Of ∂(combination)/∂ẋ, by state.
  [[nodiscard]] const std::vector<Index>& rate_places() const { return rate_places_; }
  [[nodiscard]] bool is_of(Index guard, double level) const {
    return surface_.guard == guard && level_ == level;
  }
  [[nodiscard]] double level() const { return level_; }
  [[nodiscard]] bool locks_sides() const { return level_ == 0.0; }

 private:
  CombinedForm(const Modes& modes, SurfaceRow surface, double level);
  void list_slots();
  void build_pattern();
  void add_column(const Side& side, std::size_t column, std::vector<Index>& places);

  Modes modes_;
  std::size_t n_states_;
  std::array<Side, 2> sides_;
  SurfaceRow surface_;
  double level_;
  std::vector<system::SlotInfo> slots_;
  mutable std::once_flag rows_described_;
  mutable std::vector<system::RowInfo> rows_;
  system::RectangularPattern pattern_;
  Index weight_place_ = 0;
  std::vector<Index> rate_places_;
};

}  // namespace saltus::slide
