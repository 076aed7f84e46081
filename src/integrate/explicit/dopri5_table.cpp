// Dormand and Prince 5(4) [DP80; HNW93, II.5 Table 5.2].
#include <array>

#include "integrate/explicit/tables.hpp"

namespace saltus::integrate {
namespace {

// clang-format off
constexpr std::array<double, 7> kC = {0.0, 1.0 / 5.0, 3.0 / 10.0, 4.0 / 5.0, 8.0 / 9.0, 1.0, 1.0};
constexpr std::array<double, 21> kA = {
    1.0 / 5.0,
    3.0 / 40.0, 9.0 / 40.0,
    44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0,
    19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0,
    9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0,
    35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0};
constexpr std::array<double, 7> kB = {35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0,
                                      11.0 / 84.0, 0.0};
constexpr std::array<double, 7> kB4 = {5179.0 / 57600.0, 0.0, 7571.0 / 16695.0, 393.0 / 640.0,
                                       -92097.0 / 339200.0, 187.0 / 2100.0, 1.0 / 40.0};

// Extension of order 4 with no extra stage: cubic Hermite plus θ²(1 - θ)² h Σ d_i k_i with the d_i of DOPRI5
// (Shampine's choice; [HNW93] II.6). Powers θ¹..θ⁴ of each stage.
constexpr std::array<double, 28> kOrder4 = {
    1.0, -8048581381.0 / 2820520608.0, 8663915743.0 / 2820520608.0, -12715105075.0 / 11282082432.0,
    0.0, 0.0, 0.0, 0.0,
    0.0, 131558114200.0 / 32700410799.0, -68118460800.0 / 10900136933.0, 87487479700.0 / 32700410799.0,
    0.0, -1754552775.0 / 470086768.0, 14199869525.0 / 1410260304.0, -10690763975.0 / 1880347072.0,
    0.0, 127303824393.0 / 49829197408.0, -318862633887.0 / 49829197408.0, 701980252875.0 / 199316789632.0,
    0.0, -282668133.0 / 205662961.0, 2019193451.0 / 616988883.0, -1453857185.0 / 822651844.0,
    0.0, 40617522.0 / 29380423.0, -110615467.0 / 29380423.0, 69997945.0 / 29380423.0};

// Derived from the tables by the nine trees of order 5 (tests/unit/integrate/order_conditions_test.cpp).
constexpr double kOrder4ErrorInMiddle = 0.34173973432211213;

// Extension of order 5 with two extra stages, of the kind that Calvo, Montijano and Rández introduced [CMR90]. The nodes
// were chosen here: 1/5 (value from the extension of order 4) and 1/2 (from the quartic through both ends and k₈). On
// [0, 1] the principal error is nowhere larger than at θ = 1. Derived and checked in rational arithmetic by
// docs/math/dopri5_extension.py. Powers θ¹..θ⁵ of each stage.
constexpr std::array<double, 2> kExtraC = {1.0 / 5.0, 1.0 / 2.0};
constexpr std::array<double, 15> kExtraA = {
    51064358379.0 / 470086768000.0, 0.0, 94186536908.0 / 817510269975.0, -10977629357.0 / 141026030400.0,
    1411022002887.0 / 24914598704000.0, -9755628487.0 / 308494441500.0, 106471732.0 / 3672552875.0,
    233.0 / 6144.0, 0.0, 125.0 / 1484.0, 125.0 / 1024.0, -6561.0 / 108544.0, 11.0 / 448.0, -13.0 / 384.0,
    125.0 / 384.0};
constexpr std::array<double, 45> kOrder5 = {
    1.0, -285.0 / 64.0, 97.0 / 12.0, -813.0 / 128.0, 29.0 / 16.0,
    0.0, 0.0, 0.0, 0.0, 0.0,
    0.0, 1000.0 / 371.0, -16000.0 / 1113.0, 8500.0 / 371.0, -4000.0 / 371.0,
    0.0, 125.0 / 32.0, -125.0 / 6.0, 2125.0 / 64.0, -125.0 / 8.0,
    0.0, -6561.0 / 3392.0, 2187.0 / 212.0, -111537.0 / 6784.0, 6561.0 / 848.0,
    0.0, 11.0 / 14.0, -88.0 / 21.0, 187.0 / 28.0, -22.0 / 7.0,
    0.0, -7.0 / 8.0, 19.0 / 4.0, -63.0 / 8.0, 4.0,
    0.0, 125.0 / 24.0, -125.0 / 12.0, 125.0 / 24.0, 0.0,
    0.0, -16.0 / 3.0, 80.0 / 3.0, -112.0 / 3.0, 16.0};

constexpr std::array<DenseTable, 2> kDense = {
    DenseTable{.order = 4, .degree = 4, .extra_c = {}, .extra_a = {}, .polynomial = kOrder4,
               .error_in_middle = kOrder4ErrorInMiddle},
    DenseTable{.order = 5, .degree = 5, .extra_c = kExtraC, .extra_a = kExtraA, .polynomial = kOrder5}};
// clang-format on

}  // namespace

const Tableau& dopri5_table() {
  static constexpr Tableau kTable = {.name = "dopri5",
                                     .title = "Dormand-Prince 5(4)",
                                     .order = 5,
                                     .embedded_order = 4,
                                     .first_same_as_last = true,
                                     .c = kC,
                                     .a = kA,
                                     .b = kB,
                                     .b_embedded = kB4,
                                     .dense = kDense};
  return kTable;
}

}  // namespace saltus::integrate
