/// Orders at which expressions vanish and jump on the surface of one guard (guard_facts.hpp). They are real numbers: √g has ½.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "flat/canonical_guard.hpp"
#include "flat/model.hpp"

namespace saltus::program {

/// How deep a factor is searched for the guard.
inline constexpr int kSearchDepth = 6;

class JumpOrders {
 public:
  /// Beyond every order that matters, and small enough to be added up.
  static constexpr double kInfinite = 1e6;

  explicit JumpOrders(flat::Model& model) : model_(model), graph_(model.graph), canonicalizer_(model.graph) {}

  struct Jump {
    double order = kInfinite;  ///< j
    double shown = kInfinite;  ///< … as the graph shows it, without what is promised
  };
  /// Of the expression for a guard. `differentiated`: by condition, how often equations that contain it are; empty: never. What is
  /// promised of a condition as written holds for derivatives to that much lower order.
  [[nodiscard]] Jump jump_order(NodeId root, GuardId guard, std::span<const int> differentiated = {});

 private:
  struct Orders {
    double jump = kInfinite;
    double value = 0.0;  // of nodes that jump; of the others it is asked for when needed
  };

  [[nodiscard]] Orders orders_of(NodeId id);
  [[nodiscard]] Orders with_value(std::uint32_t id);
  [[nodiscard]] Orders of_choice(const expr::Node& node);
  [[nodiscard]] Orders of_quotient(const Orders& a, const Orders& b) const;
  [[nodiscard]] Orders of_power(NodeId base, double exponent);
  [[nodiscard]] Orders of_root(const Orders& a, double exponent) const;
  [[nodiscard]] Orders of_function(expr::Op op, const Orders& a) const;
  [[nodiscard]] double value_order(NodeId id, int depth);
  [[nodiscard]] double difference_order(NodeId a, NodeId b);
  [[nodiscard]] double exponent_of(const expr::Node& node) const;
  [[nodiscard]] bool is_guard(NodeId left, NodeId right);
  [[nodiscard]] bool is_own_condition(const expr::Node& leaf) const;
  [[nodiscard]] bool asks_guard(NodeId condition) const;
  [[nodiscard]] NodeId argument_of_abs(NodeId id) const;

  flat::Model& model_;
  expr::Graph& graph_;
  flat::GuardCanonicalizer canonicalizer_;
  GuardId guard_;
  NodeId surface_;
  NodeId zero_;
  std::vector<Orders> orders_;  // by node, of the current expression
};

}  // namespace saltus::program
