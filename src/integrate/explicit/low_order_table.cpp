// Rules of low order: Kutta 3, classical 4, and the pair 3(2) [Com01, 5.2.1: the pair of Chapra and Canale].
#include <array>

#include "integrate/explicit/tables.hpp"

namespace saltus::integrate {
namespace {

constexpr std::array<double, 3> kKutta3C = {0.0, 1.0 / 2.0, 1.0};
constexpr std::array<double, 3> kKutta3A = {1.0 / 2.0, -1.0, 2.0};
constexpr std::array<double, 3> kKutta3B = {1.0 / 6.0, 4.0 / 6.0, 1.0 / 6.0};
constexpr std::array<double, 3> kMidpointB = {0.0, 1.0, 0.0};

constexpr std::array<double, 4> kRk4C = {0.0, 1.0 / 2.0, 1.0 / 2.0, 1.0};
constexpr std::array<double, 6> kRk4A = {1.0 / 2.0, 0.0, 1.0 / 2.0, 0.0, 0.0, 1.0};
constexpr std::array<double, 4> kRk4B = {1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0};

}  // namespace

const Tableau& kutta3_table() {
  static constexpr Tableau kTable = {.name = "kutta3",
                                     .title = "Kutta 3, fixed steps",
                                     .order = 3,
                                     .embedded_order = 0,
                                     .first_same_as_last = false,
                                     .c = kKutta3C,
                                     .a = kKutta3A,
                                     .b = kKutta3B,
                                     .b_embedded = {},
                                     .dense = {}};
  return kTable;
}

const Tableau& rk23_table() {
  static constexpr Tableau kTable = {.name = "rk23",
                                     .title = "Kutta 3(2)",
                                     .order = 3,
                                     .embedded_order = 2,
                                     .first_same_as_last = false,
                                     .c = kKutta3C,
                                     .a = kKutta3A,
                                     .b = kKutta3B,
                                     .b_embedded = kMidpointB,
                                     .dense = {}};
  return kTable;
}

const Tableau& rk4_table() {
  static constexpr Tableau kTable = {.name = "rk4",
                                     .title = "classical Runge-Kutta 4, fixed steps",
                                     .order = 4,
                                     .embedded_order = 0,
                                     .first_same_as_last = false,
                                     .c = kRk4C,
                                     .a = kRk4A,
                                     .b = kRk4B,
                                     .b_embedded = {},
                                     .dense = {}};
  return kTable;
}

}  // namespace saltus::integrate
