/// What moves the result of a step towards the constraints of a system, when its states drift off them.
#pragma once

#include <span>

#include "base/archive.hpp"
#include "base/interface.hpp"
#include "system/configuration.hpp"
#include "system/equation_set.hpp"
#include "system/evaluation.hpp"

namespace saltus::reduce {

class Projector : public Interface {
 public:
  virtual void set_configuration(const system::Configuration& configuration) = 0;
  virtual void set_latched(Index guard, double value) = 0;
  /// Moves x, or leaves it as it was (no_projection; the culprit is a row of constraints()).
  virtual system::Evaluation project(double t, std::span<double> x) = 0;
  /// As Projections::keep_along (system/rates.hpp).
  virtual void keep_along(double /*t*/, std::span<const double> /*x*/, std::span<double> /*gradient*/) {}
  /// Results may depend on earlier points from now on.
  virtual void keep_matrix() {}
  [[nodiscard]] virtual const system::EquationSet& constraints() const = 0;
  virtual void fields(Archive& a) = 0;
};

}  // namespace saltus::reduce
