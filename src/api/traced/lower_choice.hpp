/// A tree of choices as choices by propositions.
///
/// Problem    short-circuit conditions are traced as choices within choices that have values in common.
/// Method     of the values at the ends of the tree the one that the shortest proposition leads to is taken out (of equals the one that is reached first,
///            with every comparison true as it was written), and it counts as any value in what is left. As long as some value has
///            several places; else the tree stays as it is.
/// Choices    a blend of both sides is the same for both forms: propositions are multilinear (expr/operation.hpp)
/// Cost       trees of more than kMostPlaces places are not taken apart
/// Checked by tests/traced/same_as_text_test.cpp
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "api/traced/traced_equations.hpp"
#include "lang/elaborate/arithmetic.hpp"

namespace saltus::api {

class ChoiceLowering {
 public:
  /// `contrary`: of a comparison as it was written.
  ChoiceLowering(const expr::Graph& graph, lang::Arithmetic& arithmetic,
                 const TracedEquations::Truths& truths, const std::vector<lang::Scalar>& images,
                 std::function<lang::Scalar(std::uint32_t)> contrary)
      : graph_(graph),
        arithmetic_(arithmetic),
        truths_(truths),
        images_(images),
        contrary_(std::move(contrary)) {}

  [[nodiscard]] lang::Scalar operator()(NodeId choice);

 private:
  static constexpr std::size_t kMostPlaces = 64;

  // A tree of choices; without a choice it is a value, or anything.
  struct Tree {
    std::uint32_t decision = 0;
    int if_true = -1;  // as it was written
    int if_false = -1;
    NodeId value;  // invalid, without a choice: anything
    [[nodiscard]] bool is_choice() const { return if_true >= 0; }
  };

  [[nodiscard]] int tree_of(NodeId node);
  /// Values in the order in which they are reached, and the most places that one of them has.
  struct Values {
    std::vector<NodeId> list;
    std::unordered_map<std::uint32_t, std::size_t> places;
    std::size_t most = 0;
  };
  void collect(int tree, Values& values) const;
  struct Proposition {
    lang::Scalar truth;
    std::size_t length = 0;                 // operations
    std::vector<std::uint32_t> needs = {};  // decisions that hold where it does
  };
  /// Whether the proposition excludes a decision: a < b excludes b < a.
  [[nodiscard]] bool excludes(const Proposition& proposition, std::uint32_t decision) const;
  /// That leads to the value.
  [[nodiscard]] Proposition proposition(int tree, NodeId value) const;
  [[nodiscard]] Proposition both(const Proposition& a, const Proposition& b) const;
  [[nodiscard]] Proposition either(const Proposition& a, const Proposition& b) const;
  /// The tree where the value counts as anything.
  [[nodiscard]] int without(int tree, NodeId value);
  [[nodiscard]] lang::Scalar plain(int tree) const;

  const expr::Graph& graph_;
  lang::Arithmetic& arithmetic_;
  const TracedEquations::Truths& truths_;
  const std::vector<lang::Scalar>& images_;
  std::function<lang::Scalar(std::uint32_t)> contrary_;
  std::vector<Tree> trees_;
  std::size_t n_places_ = 0;
};

}  // namespace saltus::api
