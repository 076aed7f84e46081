/// All rooted trees up to an order, for the order conditions of Runge–Kutta methods [HNW93, II.2].
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace saltus::test {

struct RootedTree {
  int order = 1;
  double density = 1.0;               ///< γ(τ): the order times the densities of the children
  double symmetry = 1.0;              ///< σ(τ): automorphisms
  std::vector<std::size_t> children;  ///< indices of smaller trees in the list, ascending
};

/// Trees in increasing order; 1, 1, 2, 4, 9, 20, 48, 115 of the orders 1..8.
inline std::vector<RootedTree> rooted_trees(int max_order) {
  std::vector<RootedTree> trees = {RootedTree{}};
  for (int order = 2; order <= max_order; ++order) {
    const std::size_t n_smaller = trees.size();
    // Children are chosen with ascending indices; `open` holds partial choices.
    struct Partial {
      int rest;
      std::vector<std::size_t> children;
    };
    std::vector<Partial> open = {{order - 1, {}}};
    while (!open.empty()) {
      const Partial partial = open.back();
      open.pop_back();
      if (partial.rest == 0) {
        RootedTree tree;
        tree.order = order;
        tree.density = order;
        tree.children = partial.children;
        double repeated = 0.0;
        for (std::size_t i = 0; i < tree.children.size(); ++i) {
          const RootedTree& child = trees[tree.children[i]];
          repeated = i > 0 && tree.children[i] == tree.children[i - 1] ? repeated + 1.0 : 1.0;
          tree.density *= child.density;
          tree.symmetry *= child.symmetry * repeated;
        }
        trees.push_back(tree);
        continue;
      }
      const std::size_t first = partial.children.empty() ? 0 : partial.children.back();
      for (std::size_t child = first; child < n_smaller; ++child) {
        if (trees[child].order <= partial.rest) {
          Partial next = partial;
          next.rest -= trees[child].order;
          next.children.push_back(child);
          open.push_back(next);
        }
      }
    }
  }
  return trees;
}

/// For every tree the vector over stages whose product with b is the elementary weight; `a` is a full square matrix.
inline std::vector<std::vector<double>> stage_weights(const std::vector<RootedTree>& trees,
                                                      const std::vector<std::vector<double>>& a) {
  std::vector<std::vector<double>> weights;
  for (const RootedTree& tree : trees) {
    std::vector<double> weight(a.size(), 1.0);
    for (const std::size_t child : tree.children) {
      for (std::size_t i = 0; i < a.size(); ++i) {
        double sum = 0.0;
        for (std::size_t j = 0; j < a.size(); ++j) {
          sum += a[i][j] * weights[child][j];
        }
        weight[i] *= sum;
      }
    }
    weights.push_back(weight);
  }
  return weights;
}

}  // namespace saltus::test
