/// Clauses of exactly the forms `when initial()` and `when {…, initial(), …}`: equations of the initial problem (Modelica 8.6).
#pragma once

#include <algorithm>

#include "flat/model.hpp"

namespace saltus::flat {

[[nodiscard]] inline bool is_initial_call(const Model& model, NodeId condition) {
  const expr::Node& node = model.graph[condition];
  return node.op == expr::Op::condition && model.conditions[node.first].kind == Condition::Kind::initial;
}

[[nodiscard]] inline bool is_at_start(const Model& model, const WhenBranch& branch) {
  if (branch.is_no_start_form) {
    return false;
  }
  if (branch.vector_elements.empty()) {
    return is_initial_call(model, branch.condition);
  }
  return std::any_of(branch.vector_elements.begin(), branch.vector_elements.end(),
                     [&model](NodeId element) { return is_initial_call(model, element); });
}

}  // namespace saltus::flat
