/// Explicit Runge–Kutta methods as data.
///
/// Notation     k_i = f(t + c_i h, x + h Σ_j a_ij k_j),  x₁ = x + h Σ b_i k_i,  embedded x̂₁ = x + h Σ b̂_i k_i
///              dense output  x(θ) = x + h Σ_i b_i(θ) k_i,  b_i(θ) = Σ_p d_ip θᵖ, p = 1..degree   [HNW93] II.6
/// Contract     Row i of `a` (stages 2..s, counted from 1) has i - 1 numbers; rows are stored one after the other.
///              A first-same-as-last method has c_s = 1 and its last row equal to b.
/// Choices      x₁ is always the solution of higher order (local extrapolation); b̂ serves the estimate only.
/// Checked by   tests/unit/integrate/order_conditions_test.cpp (all rooted trees up to the order, for all θ),
///              tests/convergence/
#pragma once

#include <span>
#include <string_view>

#include "base/ids.hpp"

namespace saltus::integrate {

/// A continuous extension. Stages beyond those of the method are evaluated only when this extension is asked for.
struct DenseTable {
  int order = 0;                    ///< uniform order on [0, 1]: the error is O(h^(order+1)) after one step
  int degree = 0;                   ///< in θ
  std::span<const double> extra_c;  ///< nodes of the extra stages
  std::span<const double> extra_a;  ///< their rows: n_stages, n_stages + 1, … numbers
  std::span<const double> polynomial;  ///< d_ip, row i = stage (with the extra ones), p = 1..degree
  /// Where an extension of higher order follows: principal error at θ = ½ over that of the embedded solution (norms over
  /// the trees of that order, each with 1/σ(τ)).
  double error_in_middle = 0.0;

  [[nodiscard]] int n_extra() const { return static_cast<int>(extra_c.size()); }
};

struct Tableau {
  std::string_view name;
  std::string_view title;  ///< for lists: "Dormand-Prince 5(4)"
  int order = 0;
  int embedded_order = 0;  ///< 0: no embedded solution, hence fixed steps only
  bool first_same_as_last = false;
  std::span<const double> c;
  std::span<const double> a;
  std::span<const double> b;
  std::span<const double> b_embedded;  ///< empty when embedded_order is 0
  /// g_i of a second estimate h Σ g_i k_i for what the first is blind to; empty: it sees everything (second_estimate()).
  std::span<const double> b_second = {};
  /// Continuous extensions by increasing order; empty: cubic Hermite interpolation (order 3) serves.
  std::span<const DenseTable> dense;

  [[nodiscard]] int n_stages() const { return static_cast<int>(c.size()); }
  /// Stages known after a step: those of the method and, unless it is the last of them, f at the end (a = b, c = 1).
  [[nodiscard]] int n_step_stages() const { return n_stages() + (first_same_as_last ? 0 : 1); }
  /// Row of a stage, counted from 0 (row 0 is empty).
  [[nodiscard]] std::span<const double> row(int stage) const {
    return a.subspan(static_cast<std::size_t>(stage * (stage - 1) / 2), static_cast<std::size_t>(stage));
  }
  /// Row of an extra stage of a continuous extension, counted from 0.
  [[nodiscard]] std::span<const double> extra_row(const DenseTable& table, int extra) const {
    const int s = n_step_stages();
    return table.extra_a.subspan(static_cast<std::size_t>(extra * s + extra * (extra - 1) / 2),
                                 static_cast<std::size_t>(s + extra));
  }
};

/// Order of the interpolation used by methods without a continuous extension of their own.
inline constexpr int kHermiteOrder = 3;

}  // namespace saltus::integrate
