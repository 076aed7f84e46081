/// What steps do with the constraints of a system (docs/math/formulations.md).
#pragma once

#include <cstdint>
#include <vector>

#include "base/ids.hpp"

namespace saltus::system {

struct ConstraintUse {
  enum class Kind : std::uint8_t {
    projected,             ///< results are moved onto them by the least change
    stages_projected,      ///< … and the arguments of stages
    left_alone,            ///< nothing but at instants: results drift off them
    stabilized,            ///< results by two passes [Com01] (3.27)-(3.30), every constraint moving positions
    stabilized_holonomic,  ///< … those that are about positions alone
    stabilized_mass,       ///< … these, in the metric of the mass matrix
  };
  Kind kind = Kind::projected;
  double rate = 0.0;               ///< σ of the surfaces of `stabilized`
  std::vector<double> rates = {};  ///< … by row of LockedDae::constraints(); empty: `rate`
  /// The unknowns that constraints act by, as variables of the system, where they are frozen over a step; else empty.
  std::vector<Index> frozen = {};

  /// Whether a result may be further from the constraints than the rounding errors of a projection.
  [[nodiscard]] bool drifts() const { return kind != Kind::projected && kind != Kind::stages_projected; }
};

}  // namespace saltus::system
