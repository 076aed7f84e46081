/// The explicit Runge–Kutta methods that saltus has, and their names.
#pragma once

#include <span>

#include "integrate/step/tableau.hpp"

namespace saltus::integrate {

/// Dormand and Prince 5(4) with dense outputs of order 4 and 5: docs/math/dopri5.md.
[[nodiscard]] const Tableau& dopri5_table();
/// Kutta's rule of order 3; fixed steps.
[[nodiscard]] const Tableau& kutta3_table();
/// The classical rule of order 4; fixed steps.
[[nodiscard]] const Tableau& rk4_table();
/// Midpoint rule within Kutta's rule: 3(2).
[[nodiscard]] const Tableau& rk23_table();
/// Fehlberg 5(4), the solution of order 5 is propagated.
[[nodiscard]] const Tableau& fehlberg45_table();
/// Fehlberg 8(7), the solution of order 8 is propagated.
[[nodiscard]] const Tableau& fehlberg78_table();

/// All of them, dopri5 first.
[[nodiscard]] std::span<const Tableau* const> explicit_methods();

}  // namespace saltus::integrate
