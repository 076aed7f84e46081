/// Which of some variables an expression reads by its plain name.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <unordered_set>

#include "base/ids.hpp"
#include "expr/graph.hpp"

namespace saltus::lang {

/// Asked about many expressions, looks at each node once.
class MentionedVariables {
 public:
  MentionedVariables(const expr::Graph& graph, std::unordered_set<std::uint32_t> wanted)
      : graph_(graph), wanted_(std::move(wanted)) {}

  /// The first of the wanted variables in the expression; invalid if it holds none of them.
  [[nodiscard]] VariableId first_in(NodeId root);

 private:
  const expr::Graph& graph_;
  std::unordered_set<std::uint32_t> wanted_;
  std::unordered_map<std::uint32_t, VariableId> found_;  // by node
};

/// Adds the variables that occur in the expression, derivatives included, below nodes not yet seen.
void add_mentioned(const expr::Graph& graph, NodeId root, std::unordered_set<std::uint32_t>& seen,
                   std::unordered_set<std::uint32_t>& variables);

}  // namespace saltus::lang
