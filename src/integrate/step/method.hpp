/// What options, reports and the run know about an integration method; method_registry.hpp has them all.
#pragma once

#include <cstdint>
#include <string_view>

#include "integrate/step/tableau.hpp"

namespace saltus::integrate {

struct Method {
  enum class Kind : std::uint8_t { explicit_runge_kutta, radau5, sdirk4, bdf, exact, rattle };

  std::string_view name;   ///< as written in options
  std::string_view title;  ///< for lists
  int order = 0;
  Kind kind = Kind::explicit_runge_kutta;
  const Tableau* tableau = nullptr;  ///< of the explicit ones
  int dense_order = 0;               ///< of the dense output that costs nothing
  bool has_error_estimate = false;   ///< false: needs a fixed step
  int highest_order = 0;             ///< of a method of variable order; 0: it has one order

  /// Solves r(t, y, ẏ) = 0 in its steps, where the others ask for ẋ.
  [[nodiscard]] bool is_implicit() const {
    return kind == Kind::radau5 || kind == Kind::sdirk4 || kind == Kind::bdf;
  }
  /// Of linear systems with constant coefficients alone.
  [[nodiscard]] bool is_exact() const { return kind == Kind::exact; }
  /// Of positions and velocities whose forces depend on positions alone.
  [[nodiscard]] bool is_of_motion() const { return kind == Kind::rattle; }
  /// Whether it can follow a solution that is held on a surface.
  [[nodiscard]] bool can_slide() const { return !is_exact() && !is_of_motion(); }
  [[nodiscard]] bool is_multistep() const { return kind == Kind::bdf; }
};

/// For methods of variable order.
struct OrderChoice {
  int max_order = 5;
  int fixed_order = 0;  ///< 0: free

  friend bool operator==(const OrderChoice&, const OrderChoice&) = default;
};

}  // namespace saltus::integrate
