/// How equations that constrain states are used in steps (docs/math/formulations.md): what takes the place of an equation F that
/// must be differentiated c times, and what is done about F and its derivatives after a step.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/ids.hpp"

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
    stabilized_mass,       ///< … these, in the metric of the mass matrix
  };
  /// How often the forces of constraints are computed.
  enum class Control : std::uint8_t {
    of_stages,  ///< at every stage
    of_steps,   ///< at the beginning of a step, and frozen in it: to reproduce the failure of [Com01] 3.5.3
  };
  /// σ of one equation of the model, which is known by its sides.
  struct RateOf {
    NodeId left;
    NodeId right;
    double rate = 0.0;

    friend bool operator==(const RateOf&, const RateOf&) = default;
  };
  Row row = Row::differentiated;
  Result result = Result::projected;
  Control control = Control::of_stages;
  double rate = 10.0;              ///< 1/s; [Com01] 3.5.2
  std::vector<RateOf> rates = {};  ///< of equations that have another

  [[nodiscard]] bool is_stabilized() const {
    return result == Result::stabilized || result == Result::stabilized_holonomic ||
           result == Result::stabilized_mass;
  }
  [[nodiscard]] double rate_of(NodeId left, NodeId right) const {
    const auto found = std::find_if(rates.begin(), rates.end(), [&](const RateOf& item) {
      return item.left == left && item.right == right;
    });
    return found == rates.end() ? rate : found->rate;
  }

  friend bool operator==(const Formulation&, const Formulation&) = default;
};

}  // namespace saltus::flat
