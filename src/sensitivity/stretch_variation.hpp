/// S on stretches of one structure: the field, its constraints and the flow along its steps.
#pragma once

#include <optional>
#include <utility>

#include "sensitivity/constraint_variation.hpp"
#include "sensitivity/field/stretch_field.hpp"
#include "sensitivity/linear_flow.hpp"

namespace saltus::sensitivity {

struct StretchVariation {
  StretchVariation(const FieldSource& source, StretchFacts facts) : field(source, std::move(facts)) {
    if (field.failure().empty()) {
      constraints.emplace(source, field);
      flow.emplace(source, field);
    }
  }

  /// Goes on with another stretch of the structure, without surfaces.
  void take(StretchFacts facts) {
    field.take(std::move(facts));
    if (constraints) {
      constraints->take_configuration();
      flow->begin();
    }
  }

  StretchField field;
  std::optional<ConstraintVariation> constraints;  ///< both where the field has no failure
  std::optional<LinearFlow> flow;
};

}  // namespace saltus::sensitivity
