/// Values of expressions in parameters: parameters themselves, start values, conditions that never change.
///
/// Method       depth first over nodes with a stack of its own, through parameters to their expressions and through
///              conditions to their guards; every node is computed once.
/// Contract     the model must outlive the object; its graph may grow. A value is known if it depends on parameters and
///              constants alone. A parameter without a value counts as NaN and is reported, as is a cycle.
/// Checked by   tests/unit/program/parameter_values_test.cpp
#pragma once

#include <optional>
#include <vector>

#include "flat/model.hpp"
#include "saltus/diagnostic.hpp"

namespace saltus::program {

class ParameterValues {
 public:
  explicit ParameterValues(const flat::Model& model) : model_(model) {}

  /// All parameters in their order (0 for Strings); problems are added to the diagnostics.
  [[nodiscard]] std::vector<double> all(Diagnostics& diagnostics);
  /// The value of a node, none if it depends on time, variables or events.
  [[nodiscard]] std::optional<double> of(NodeId node);
  /// The value of a condition that depends on parameters alone.
  [[nodiscard]] std::optional<double> of(const flat::Condition& condition);

 private:
  enum class State : char { unseen, open, known, varying, cyclic };

  void visit(NodeId root);
  [[nodiscard]] std::vector<NodeId> needs_of(const expr::Node& node) const;
  void finish(std::uint32_t id, const expr::Node& node);
  [[nodiscard]] static double relation_value(const flat::Condition& condition, double value);

  const flat::Model& model_;
  std::vector<double> values_;
  std::vector<State> states_;
  std::vector<std::uint32_t> stack_;
};

}  // namespace saltus::program
