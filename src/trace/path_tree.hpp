/// The paths through a function that have been traced, as a tree of decisions.
///
/// Contract   a node asks one decision; its children are what follows each outcome, or nothing where that was not traced. Parents come before
///            their children. A path that failed ends in a leaf without residuals.
/// Checked by tests/unit/trace/merge_test.cpp
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "trace/recording.hpp"

namespace saltus::trace {

class PathTree {
 public:
  static constexpr std::int32_t kNothing = -1;

  struct Node {
    NodeId decision;                                          ///< invalid: a leaf
    std::array<std::int32_t, 2> next = {kNothing, kNothing};  ///< where it does not hold, where it does
    std::int32_t leaf = kNothing;                             ///< among leaves()
  };
  struct Leaf {
    std::vector<NodeId> residual;
    std::string failure;  ///< why there are none
    [[nodiscard]] bool has_failed() const { return !failure.empty(); }
  };

  /// False: the same outcomes have led elsewhere before, so the function is not determined by them.
  [[nodiscard]] bool add(const Recording& recording);
  [[nodiscard]] bool has(const std::vector<Decision>& prefix) const;

  [[nodiscard]] const std::vector<Node>& nodes() const { return nodes_; }
  [[nodiscard]] const std::vector<Leaf>& leaves() const { return leaves_; }
  /// Every outcome of every decision has been traced.
  [[nodiscard]] bool is_complete() const;

 private:
  std::vector<Node> nodes_;
  std::vector<Leaf> leaves_;
};

}  // namespace saltus::trace
