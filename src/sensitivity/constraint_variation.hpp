/// Constraints hold for S too: ∂h/∂x·S + ∂h/∂p + ∂h/∂d·D = 0.
///
/// Problem    S of a system whose states have constraints drifts off their tangents, as the states would
/// Method     the least change of every column, in nominal values, that meets them (reduce/nonlinear/least_change.hpp)
/// Contract   the constraints of the structure in the configuration of its field; surfaces that are slid on are not among them.
/// Fails when the constraints or their derivatives have no value
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "reduce/nonlinear/least_change.hpp"
#include "sensitivity/field/stretch_field.hpp"

namespace saltus::sensitivity {

class ConstraintVariation {
 public:
  ConstraintVariation(const FieldSource& source, StretchField& field);

  /// The field has another configuration.
  void take_configuration();
  [[nodiscard]] bool is_empty() const { return constraints_ == nullptr; }
  /// Without constraints nothing happens.
  [[nodiscard]] system::Evaluation meet(double t, std::span<const double> x, std::span<const double> discrete,
                                        std::span<double> s);

 private:
  [[nodiscard]] system::Evaluation tangents_of(double t, std::span<const double> x,
                                               std::span<const double> discrete, std::span<const double> s);

  [[nodiscard]] system::Evaluation add_twins(double t, std::span<const double> x);

  const FieldSource& source_;
  StretchField& field_;
  std::shared_ptr<const system::EquationSet> constraints_;
  std::unique_ptr<system::EquationRunner> runner_;
  std::unique_ptr<system::EquationTangents> tangents_;
  std::optional<reduce::LeastChange> least_change_;
  std::vector<double> entries_;
  std::vector<double> rows_;  // [row][column]
  std::vector<double> residual_;
  std::vector<double> change_;
};

}  // namespace saltus::sensitivity
