#include "integrate/explicit/tables.hpp"

#include <array>

namespace saltus::integrate {

std::span<const Tableau* const> explicit_methods() {
  static const std::array<const Tableau*, 6> kMethods = {&dopri5_table(),     &rk23_table(),
                                                         &fehlberg45_table(), &fehlberg78_table(),
                                                         &kutta3_table(),     &rk4_table()};
  return kMethods;
}

}  // namespace saltus::integrate
