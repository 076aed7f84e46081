/// How often the value of a node may change: never, with the parameters, at events, or all the time.
#pragma once

#include <cstdint>
#include <vector>

#include "flat/model.hpp"

namespace saltus::flat {

/// In ascending order, so that the variability of an operation is the greatest of its operands'.
enum class NodeVariability : std::uint8_t { constant, parameter, discrete, continuous };

/// Variability of the nodes of a growing graph; computed once for each node, in the order of ids.
///
/// Conditions and pre(...) are discrete: between events they are held. The model must outlive this object, and
/// the variability of its variables must not change while it is used.
class VariabilityOfNodes {
 public:
  explicit VariabilityOfNodes(const Model& model) : model_(model) {}

  [[nodiscard]] NodeVariability of(NodeId node);

 private:
  const Model& model_;
  std::vector<NodeVariability> known_;
};

}  // namespace saltus::flat
