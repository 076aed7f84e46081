/// What is known of one run of a traced function.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/ids.hpp"
#include "expr/graph.hpp"

namespace saltus::trace {

/// Comparisons on one path through the function: more is a loop that compares again and again.
inline constexpr std::size_t kMostComparisons = 10'000;
/// Operations of one run: more is a loop without end.
inline constexpr std::size_t kMostOperations = 2'000'000;

/// How a comparison of a and b was written where it first occurred.
enum class Written : std::uint8_t { less, greater, less_equal, greater_equal };

/// Expressions of all runs of one function. Nodes are kept as they were written, nothing is simplified: equal operations of two runs are equal
/// nodes, and where two runs differ tells what a comparison has changed.
struct TraceGraph {
  expr::Graph graph = {};
  std::unordered_map<std::uint32_t, Written> written = {};  ///< by decision
  std::vector<char> varies = {};                            ///< by node: it is not made of numbers alone

  /// For nodes that are new.
  void note_what_varies() {
    for (std::size_t i = varies.size(); i < graph.size(); ++i) {
      const expr::Node& node = graph[NodeId(i)];
      const int n = expr::n_operands(node.op);
      bool is_varying = n == 0 && node.op != expr::Op::constant;
      for (int k = 0; k < n; ++k) {
        is_varying = is_varying || varies[node.operand(k)] != 0;
      }
      varies.push_back(is_varying ? 1 : 0);
    }
  }
};

/// A comparison and its outcome. All four ways of writing a comparison are one decision, a < b, and its contrary.
struct Decision {
  NodeId less;
  bool holds = false;

  friend bool operator==(const Decision&, const Decision&) = default;
};

struct Failure {
  enum class Kind : std::uint8_t {
    thrown,      ///< the function threw
    misused,     ///< a Real of another run
    unset,       ///< a residual was not set
    beyond,      ///< a residual beyond the last one was
    not_finite,  ///< a number that is none is part of an equation
    too_long,    ///< a limit
    changed,     ///< the function does not do the same again
  };
  Kind kind = Kind::thrown;
  std::string message;
};

struct Recording {
  std::vector<Decision> path;
  std::vector<NodeId> residual;    ///< if it has not failed
  std::optional<Failure> failure;  ///< none: the run ended well
  bool has_read_values = false;
};

/// Outcomes that are given: in the order in which they are asked, then by decision. Others follow from the values.
struct Answers {
  std::vector<Decision> first = {};
  const std::unordered_map<std::uint32_t, bool>* known = nullptr;
};

}  // namespace saltus::trace
