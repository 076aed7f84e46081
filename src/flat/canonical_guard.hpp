/// The one guard that all spellings of a surface share.
///
/// Problem    `v1 > v2`, `v2 < v1`, `2*v1 - 2*v2 > 0`, `sign(v1 - v2)` are relations over one surface and must be
///            watched, located and blended as one.
/// Method     left minus right is written as a sum of constant · term plus a constant; equal terms are merged, terms
///            are put into an order that depends on what they are and not on when they were built, a common positive
///            factor is removed where that is exact, and the leading term gets a positive sign.
/// Contract   left - right = s · expression with s > 0 if not flipped and s < 0 if flipped, up to rounding of the
///            order of additions. Canonical again: the guard of (expression, 0) is expression, not flipped.
/// Choices    a factor is removed if it is a power of two or common to all terms (both exact); sums of more than
///            kMaxTerms terms are not taken apart further. Factors and constants that cancel but for rounding are zero:
///            sign((a*u + b*u) - (a*u + b*u)) has no surface, and 5e-17*u would be one.
/// Cost       O(terms · log terms); the structural hash of a node is computed once.
/// Checked by tests/unit/flat/canonical_guard_test.cpp
#pragma once

#include <cstdint>
#include <vector>

#include "base/ids.hpp"
#include "expr/graph.hpp"

namespace saltus::flat {

struct CanonicalGuard {
  NodeId expression;
  bool flipped = false;
};

class GuardCanonicalizer {
 public:
  explicit GuardCanonicalizer(expr::Graph& graph) : graph_(graph) {}

  /// The guard of a relation between `left` and `right`. The expression is a constant if the sides differ by one.
  [[nodiscard]] CanonicalGuard canonical(NodeId left, NodeId right);

 private:
  struct Term {
    NodeId base;
    double factor = 1.0;
  };

  void collect(NodeId node, double factor);
  void merge();
  [[nodiscard]] bool before(NodeId a, NodeId b);
  [[nodiscard]] std::uint64_t hash(NodeId node);
  [[nodiscard]] double removable_factor() const;
  [[nodiscard]] NodeId build(double scale);

  expr::Graph& graph_;
  std::vector<std::uint64_t> hashes_;
  std::vector<Term> terms_;  // of the relation at hand
  std::vector<Term> pending_;
  double constant_ = 0.0;
  double constant_size_ = 0.0;  // of what was added up
};

}  // namespace saltus::flat
