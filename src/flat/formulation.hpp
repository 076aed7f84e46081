/// How equations that constrain states are used in steps (docs/math/formulations.md): what takes the place of an equation F that
/// must be differentiated c times, and what is done about F and its derivatives after a step.
#pragma once

#include <cstdint>

namespace saltus::flat {

struct Formulation {
  /// What determines the highest derivatives, D = d/dt and σ = `rate`.
  enum class Row : std::uint8_t {
    differentiated,  ///< Dᶜ F = 0
    surface,  ///< D (D + σ)ᶜ⁻¹ F = 0: S = (D + σ)ᶜ⁻¹ F stays what it is [Com01] (3.18), (3.24)
    damped,   ///< (D + σ)ᶜ F = 0 [Bau72]
  };
  /// What is done with F, DF, … Dᶜ⁻¹F after every step.
  enum class Result : std::uint8_t {
    projected,             ///< the least change that meets them
    stages_projected,      ///< … of every stage too
    left_alone,            ///< nothing
    stabilized,            ///< two passes [Com01] (3.27)-(3.30), every F moving positions
    stabilized_holonomic,  ///< … those that are about positions alone
  };
  Row row = Row::differentiated;
  Result result = Result::projected;
  double rate = 10.0;  ///< 1/s; [Com01] 3.5.2

  friend bool operator==(const Formulation&, const Formulation&) = default;
};

}  // namespace saltus::flat
