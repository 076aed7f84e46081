/// Rows that say that surfaces are kept: ∂g/∂t + ∂g/∂x·ẋ = 0, with their Jacobians.
///
/// Method       ∂ġ/∂ẋ = ∂g/∂x. With ẋ fixed, ∂ġ/∂x_j is the derivative of ∂g/∂x_j along (1, ẋ): one central difference of the
///              gradient for all j; affine guards have none.
/// Contract     A SurfaceRow is one row and where its entries stand in a pattern; SurfaceRates evaluates rows with the guards
///              of an evaluator, which outlives it. Does not allocate after construction.
/// Fails when   a gradient has no value: false
/// Cost         a gradient; three for the Jacobian
/// Checked by   tests/unit/slide/sliding_form_test.cpp
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/archive.hpp"
#include "system/locked_dae.hpp"

namespace saltus::slide {

struct SurfaceRow {
  Index guard = -1;
  std::string text = {};
  bool is_linear = false;       ///< the guard, in t and x
  std::vector<Index> states;    ///< that it depends on, ascending
  std::vector<Index> at_state;  ///< places of ∂ġ/∂x, by `states`; none where it is linear
  std::vector<Index> at_rate;   ///< … of ∂ġ/∂ẋ
};

/// Without places. None where the states that the guard depends on are not known.
[[nodiscard]] std::optional<SurfaceRow> surface_row(const system::Evaluator& evaluator,
                                                    const system::GuardInfo& info, Index guard);

class SurfaceRates {
 public:
  /// `slots`: nominal values of the states.
  SurfaceRates(system::Evaluator& evaluator, std::span<const system::SlotInfo> slots, std::size_t n_states);

  [[nodiscard]] bool value(const SurfaceRow& row, double t, std::span<const double> x,
                           std::span<const double> xdot, double& rate);
  /// Fills the places of the row.
  [[nodiscard]] bool fill(const SurfaceRow& row, double t, std::span<const double> x,
                          std::span<const double> xdot, std::span<double> entries);

  void fields(Archive& a) {
    // Not saved: nominal_.
    a(gradient_, coefficients_, before_, moved_);
  }

 private:
  [[nodiscard]] bool find_gradient(const SurfaceRow& row, double t, std::span<const double> x,
                                   double& time_derivative);
  [[nodiscard]] bool find_gradient_along(const SurfaceRow& row, double t, std::span<const double> x,
                                         std::span<const double> xdot, double step);
  [[nodiscard]] double time_scale(const SurfaceRow& row, double t, std::span<const double> x,
                                  std::span<const double> xdot) const;

  system::Evaluator& evaluator_;
  std::vector<double> nominal_;
  std::vector<double> gradient_;
  std::vector<double> coefficients_;  // by the states of a row
  std::vector<double> before_;
  std::vector<double> moved_;
};

}  // namespace saltus::slide
