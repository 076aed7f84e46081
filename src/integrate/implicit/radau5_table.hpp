/// Numbers of the 3-stage Radau IIA method.
///
/// Notation     Z_i = Y_i - y₀ of the stages;  h Ẏ_i = Σ_j kInverse[i][j] Z_j,  kInverse = A⁻¹   [HW96] IV.5, IV.8
///              T⁻¹ A⁻¹ T = diag(γ̂, [α̂ -β̂; β̂ α̂]): kT, kTInverse; the last row of T is 1, 1, 0
///              the collocation polynomial is y₀ + Σ_p θᵖ Σ_j kPowers[p-1][j] Z_j; its first row is its slope at θ = 0
/// Choices      20 digits, computed with 60 from the nodes (4 ∓ √6)/10, 1
/// Checked by   tests/unit/integrate/radau5_table_test.cpp
#pragma once

#include <array>
#include <cstddef>

namespace saltus::integrate::radau5 {

inline constexpr std::size_t kStages = 3;
using Matrix3 = std::array<std::array<double, kStages>, kStages>;

inline constexpr std::array<double, kStages> kC = {0.15505102572168219018, 0.64494897427831780982, 1.0};

inline constexpr Matrix3 kInverse = {{{3.2247448713915890491, 1.1678400846904054949, -0.25319726474218082619},
                                      {-3.5678400846904054949, 0.7752551286084109509, 1.0531972647421808262},
                                      {5.5319726474218082619, -7.5319726474218082619, 5.0}}};

inline constexpr double kGamma = 3.6378342527444957322;  ///< real eigenvalue of A⁻¹ [HW96] IV.8
inline constexpr double kAlpha = 2.6810828736277521339;  ///< real part of the complex pair
inline constexpr double kBeta = 3.0504301992474105694;   ///< imaginary part of it

inline constexpr Matrix3 kT = {{{0.094438762488975241487, -0.14125529502095420843, -0.030029194105147424492},
                                {0.25021312296533331138, 0.204129352293799932, 0.3829421127572619378},
                                {1.0, 1.0, 0.0}}};
inline constexpr Matrix3 kTInverse = {
    {{4.1787185915519047273, 0.32768282076106238708, 0.52337644549944954804},
     {-4.1787185915519047273, -0.32768282076106238708, 0.47662355450055045196},
     {-0.50287263494578687595, 2.5719269498556054292, -0.59603920482822492497}}};

inline constexpr Matrix3 kPowers = {{{10.048809399827415562, -1.3821427331607488958, 0.33333333333333333333},
                                     {-25.629591447076639387, 10.296258113743306053, -2.6666666666666666667},
                                     {15.580782047249223824, -8.9141153805825571577, 3.3333333333333333333}}};

}  // namespace saltus::integrate::radau5
