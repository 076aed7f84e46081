#include "integrate/explicit/tables.hpp"

#include <algorithm>
#include <array>

namespace saltus::integrate {

std::span<const Tableau* const> explicit_methods() {
  static const std::array<const Tableau*, 6> kMethods = {&dopri5_table(),     &rk23_table(),
                                                         &fehlberg45_table(), &fehlberg78_table(),
                                                         &kutta3_table(),     &rk4_table()};
  return kMethods;
}

const Tableau* find_explicit_method(std::string_view name) {
  const auto methods = explicit_methods();
  const auto found =
      std::find_if(methods.begin(), methods.end(), [name](const Tableau* t) { return t->name == name; });
  return found == methods.end() ? nullptr : *found;
}

}  // namespace saltus::integrate
