/// Values of expressions in parameters: parameters themselves, start values, conditions that never change.
///
/// Method       depth first over nodes with a stack of its own, through parameters to their expressions and through
///              conditions to their guards; every node is computed once.
/// Contract     the model must outlive the object; its graph may grow. A value is known if it depends on parameters and
///              constants alone. A parameter without a value counts as NaN and is reported, as is a cycle. Values that
///              are given take the place of the parameter's own; what depends on it follows.
/// Checked by   tests/unit/program/parameter_values_test.cpp
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "flat/model.hpp"
#include "saltus/diagnostic.hpp"

namespace saltus::program {

/// Values for parameters, or start values for variables, by name.
using ParameterOverrides = std::vector<std::pair<std::string, double>>;

using GivenParameters = std::vector<std::optional<double>>;

class ParameterValues {
 public:
  /// Overrides that name no parameter have no effect here.
  explicit ParameterValues(const flat::Model& model, const ParameterOverrides& overrides = {});
  /// By parameter; those that are not given, or lie beyond the end, have their own values.
  ParameterValues(const flat::Model& model, GivenParameters given);

  /// Goes on with a model that has more parameters, conditions and nodes, these ones unchanged; what is known stays known.
  void move_to(const flat::Model& extended, GivenParameters given);

  /// All parameters in their order (0 for Strings); problems are added to the diagnostics.
  [[nodiscard]] std::vector<double> all(Diagnostics& diagnostics);
  /// The value of one parameter, none if it has none or depends on itself; NaN where it is not a number.
  [[nodiscard]] std::optional<double> of(ParameterId parameter);
  /// The value of a node, none if it depends on time, variables or events.
  [[nodiscard]] std::optional<double> of(NodeId node);
  /// The value of a condition that depends on parameters alone.
  [[nodiscard]] std::optional<double> of(const flat::Condition& condition);

 private:
  [[nodiscard]] std::optional<double> given(std::size_t parameter) const {
    return parameter < given_.size() ? given_[parameter] : std::nullopt;
  }

  enum class State : char { unseen, open, known, varying, cyclic };

  void visit(NodeId root);
  [[nodiscard]] std::vector<NodeId> needs_of(const expr::Node& node) const;
  void finish(std::uint32_t id, const expr::Node& node);
  [[nodiscard]] static double relation_value(const flat::Condition& condition, double value);

  const flat::Model* model_;
  GivenParameters given_;
  std::vector<double> values_;
  std::vector<State> states_;
  std::vector<std::uint32_t> stack_;
};

}  // namespace saltus::program
