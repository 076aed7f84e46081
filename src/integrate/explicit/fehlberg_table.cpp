// The pairs of Fehlberg, orders 4(5) and 7(8) [HNW93, II.4 Table 4.4 and II.5 Table 5.3; Feh68].
#include <array>

#include "integrate/explicit/bootstrapped_extension.hpp"
#include "integrate/explicit/tables.hpp"

namespace saltus::integrate {
namespace {

// clang-format off
constexpr std::array<double, 6> k45C = {0.0, 1.0 / 4.0, 3.0 / 8.0, 12.0 / 13.0, 1.0, 1.0 / 2.0};
constexpr std::array<double, 15> k45A = {
    1.0 / 4.0,
    3.0 / 32.0, 9.0 / 32.0,
    1932.0 / 2197.0, -7200.0 / 2197.0, 7296.0 / 2197.0,
    439.0 / 216.0, -8.0, 3680.0 / 513.0, -845.0 / 4104.0,
    -8.0 / 27.0, 2.0, -3544.0 / 2565.0, 1859.0 / 4104.0, -11.0 / 40.0};
constexpr std::array<double, 6> k45B4 = {25.0 / 216.0, 0.0, 1408.0 / 2565.0, 2197.0 / 4104.0, -1.0 / 5.0,
    0.0};
constexpr std::array<double, 6> k45B5 = {16.0 / 135.0, 0.0, 6656.0 / 12825.0, 28561.0 / 56430.0, -9.0 / 50.0,
                                         2.0 / 55.0};

constexpr std::array<double, 13> k78C = {0.0, 2.0 / 27.0, 1.0 / 9.0, 1.0 / 6.0, 5.0 / 12.0, 1.0 / 2.0,
    5.0 / 6.0,
                                         1.0 / 6.0, 2.0 / 3.0, 1.0 / 3.0, 1.0, 0.0, 1.0};
constexpr std::array<double, 78> k78A = {
    2.0 / 27.0,
    1.0 / 36.0, 1.0 / 12.0,
    1.0 / 24.0, 0.0, 1.0 / 8.0,
    5.0 / 12.0, 0.0, -25.0 / 16.0, 25.0 / 16.0,
    1.0 / 20.0, 0.0, 0.0, 1.0 / 4.0, 1.0 / 5.0,
    -25.0 / 108.0, 0.0, 0.0, 125.0 / 108.0, -65.0 / 27.0, 125.0 / 54.0,
    31.0 / 300.0, 0.0, 0.0, 0.0, 61.0 / 225.0, -2.0 / 9.0, 13.0 / 900.0,
    2.0, 0.0, 0.0, -53.0 / 6.0, 704.0 / 45.0, -107.0 / 9.0, 67.0 / 90.0, 3.0,
    -91.0 / 108.0, 0.0, 0.0, 23.0 / 108.0, -976.0 / 135.0, 311.0 / 54.0, -19.0 / 60.0, 17.0 / 6.0,
    -1.0 / 12.0,
    2383.0 / 4100.0, 0.0, 0.0, -341.0 / 164.0, 4496.0 / 1025.0, -301.0 / 82.0, 2133.0 / 4100.0, 45.0 / 82.0,
    45.0 / 164.0, 18.0 / 41.0,
    3.0 / 205.0, 0.0, 0.0, 0.0, 0.0, -6.0 / 41.0, -3.0 / 205.0, -3.0 / 41.0, 3.0 / 41.0, 6.0 / 41.0, 0.0,
    -1777.0 / 4100.0, 0.0, 0.0, -341.0 / 164.0, 4496.0 / 1025.0, -289.0 / 82.0, 2193.0 / 4100.0, 51.0 / 82.0,
    33.0 / 164.0, 12.0 / 41.0, 0.0, 1.0};
constexpr std::array<double, 13> k78B7 = {41.0 / 840.0, 0.0, 0.0, 0.0, 0.0, 34.0 / 105.0, 9.0 / 35.0,
    9.0 / 35.0,
                                          9.0 / 280.0, 9.0 / 280.0, 41.0 / 840.0, 0.0, 0.0};
constexpr std::array<double, 13> k78B8 = {0.0, 0.0, 0.0, 0.0, 0.0, 34.0 / 105.0, 9.0 / 35.0, 9.0 / 35.0,
                                          9.0 / 280.0, 9.0 / 280.0, 0.0, 41.0 / 840.0, 41.0 / 840.0};

// b - b̂ is ∓41/840 at the stages 1, 11, 12, 13 alone, whose nodes are 0 and 1, each with both signs: where f depends on t alone the estimate
// is zero whatever the error. The seven nodes of the formula are equidistant and b₈ is that of Newton and Cotes, whose error is
// (9/8400) h Δ⁸f; the sixth difference, which they show, is larger than the eighth wherever the step resolves f.
constexpr double k78Second = 9.0 / 8400.0;
constexpr std::array<double, 13> k78G = {0.0, 0.0, 0.0, 0.0, 0.0, -20.0 * k78Second, -6.0 * k78Second,
    -6.0 * k78Second,
                                         15.0 * k78Second, 15.0 * k78Second, 0.0, k78Second, k78Second};

// Continuous extensions that cost nothing: the stages and f(end) (last row) allow order 4 and order 5. They are C¹; what the
// order conditions leave free minimises the principal error on [0, 1] (docs/math/dense_output.md). Powers θ¹, θ², … of
// each stage.
constexpr std::array<double, 28> k45Order4 = {
    1.0, -115271.0 / 46080.0, 171221.0 / 69120.0, -2633.0 / 3072.0,
    0.0, 0.0, 0.0, 0.0,
    0.0, 21191.0 / 4275.0, -100522.0 / 12825.0, 17.0 / 5.0,
    0.0, -33589933.0 / 9630720.0, 130016263.0 / 14446080.0, -15379.0 / 3072.0,
    0.0, 7609.0 / 6400.0, -9913.0 / 3200.0, 2213.0 / 1280.0,
    0.0, -5831.0 / 3520.0, 6087.0 / 1760.0, -113.0 / 64.0,
    0.0, 3.0 / 2.0, -4.0, 5.0 / 2.0};
constexpr std::array<double, 70> k78Order5 = {
    1.0, -8261.0 / 1600.0, 33063.0 / 3200.0, -367.0 / 40.0, 9619.0 / 3200.0,
    0.0, 0.0, 0.0, 0.0, 0.0,
    0.0, 0.0, 0.0, 0.0, 0.0,
    0.0, 0.0, 0.0, 0.0, 0.0,
    0.0, 0.0, 0.0, 0.0, 0.0,
    0.0, -3973.0 / 1120.0, 102937.0 / 6720.0, -147.0 / 8.0, 2217.0 / 320.0,
    0.0, 12987.0 / 11200.0, -165821.0 / 22400.0, 1009.0 / 80.0, -19559.0 / 3200.0,
    0.0, 14139.0 / 2240.0, -83357.0 / 4480.0, 313.0 / 16.0, -4487.0 / 640.0,
    0.0, 1413.0 / 2240.0, -6679.0 / 4480.0, 5.0 / 4.0, -229.0 / 640.0,
    0.0, 1053.0 / 1120.0, -2209.0 / 2240.0, -11.0 / 16.0, 49.0 / 64.0,
    0.0, -3.0 / 16.0, 3.0 / 8.0, -3.0 / 16.0, 0.0,
    0.0, 41.0 / 280.0, -41.0 / 420.0, 0.0, 0.0,
    0.0, -23.0 / 560.0, 233.0 / 840.0, -3.0 / 16.0, 0.0,
    0.0, -1.0 / 4.0, 73.0 / 32.0, -77.0 / 16.0, 89.0 / 32.0};
// clang-format on

constexpr std::array<DenseTable, 1> k45Dense = {
    DenseTable{.order = 4, .degree = 4, .extra_c = {}, .extra_a = {}, .polynomial = k45Order4}};
// Order 7 by seven more stages. The largest error of the sextic of x⁷ with the first nodes is 4.2e-4, of the septic of x⁸ with the others
// 8.1e-5: the least on multiples of 1/20.
constexpr auto k78Order7 =
    bootstrap<14, 3, 4>(k78Order5, 5, k78B8, std::array{0.15, 0.4, 0.85}, std::array{0.1, 0.3, 0.7, 0.9});
constexpr std::array<DenseTable, 2> k78Dense = {
    DenseTable{.order = 5, .degree = 5, .extra_c = {}, .extra_a = {}, .polynomial = k78Order5},
    DenseTable{.order = 7,
               .degree = static_cast<int>(k78Order7.kPolynomialDegree),
               .extra_c = k78Order7.extra_c,
               .extra_a = k78Order7.extra_a,
               .polynomial = k78Order7.polynomial}};

}  // namespace

const Tableau& fehlberg45_table() {
  static constexpr Tableau kTable = {.name = "fehlberg45",
                                     .title = "Fehlberg 5(4)",
                                     .order = 5,
                                     .embedded_order = 4,
                                     .first_same_as_last = false,
                                     .c = k45C,
                                     .a = k45A,
                                     .b = k45B5,
                                     .b_embedded = k45B4,
                                     .dense = k45Dense};
  return kTable;
}

const Tableau& fehlberg78_table() {
  static constexpr Tableau kTable = {.name = "fehlberg78",
                                     .title = "Fehlberg 8(7)",
                                     .order = 8,
                                     .embedded_order = 7,
                                     .first_same_as_last = false,
                                     .c = k78C,
                                     .a = k78A,
                                     .b = k78B8,
                                     .b_embedded = k78B7,
                                     .b_second = k78G,
                                     .dense = k78Dense};
  return kTable;
}

}  // namespace saltus::integrate
