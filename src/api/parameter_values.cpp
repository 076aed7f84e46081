// Values of parameters, which may depend on each other in any order.

#include <cmath>
#include <limits>

#include "api/instance.hpp"
#include "expr/evaluate.hpp"
#include "expr/traversal.hpp"

namespace saltus::api {
namespace {

// A depth-first walk with its own stack: chains of parameters may be as long as the model.
class ParameterWalk {
 public:
  explicit ParameterWalk(const flat::Model& model)
      : model_(model),
        values_(model.parameters.size(), std::numeric_limits<double>::quiet_NaN()),
        state_(model.parameters.size(), State::unseen),
        evaluate_(model.graph, leaves()) {}

  std::vector<double> run() {
    for (std::uint32_t i = 0; i < values_.size(); ++i) {
      visit(i);
    }
    return values_;
  }

 private:
  enum class State : char { unseen, open, done };

  expr::LeafValues leaves() {
    expr::LeafValues leaves;
    leaves.parameters = values_;
    return leaves;
  }

  void visit(std::uint32_t root) {
    stack_.push_back(root);
    while (!stack_.empty()) {
      const std::uint32_t i = stack_.back();
      if (state_[i] == State::done || !model_.parameters[i].value) {
        state_[i] = State::done;
        stack_.pop_back();
      } else if (state_[i] == State::unseen) {
        state_[i] = State::open;
        push_needed(*model_.parameters[i].value);
      } else {
        values_[i] = evaluate_(*model_.parameters[i].value);
        state_[i] = State::done;
        stack_.pop_back();
      }
    }
  }

  // A parameter that is open already is part of a cycle (an error of the model, reported elsewhere): it stays NaN.
  void push_needed(NodeId value) {
    const NodeId roots[] = {value};
    for (const NodeId node : expr::needed_nodes(model_.graph, roots)) {
      const expr::Node& leaf = model_.graph[node];
      if (leaf.op == expr::Op::parameter && state_[leaf.first] == State::unseen) {
        stack_.push_back(leaf.first);
      }
    }
  }

  const flat::Model& model_;
  std::vector<double> values_;
  std::vector<State> state_;
  std::vector<std::uint32_t> stack_;
  expr::Evaluator evaluate_;
};

}  // namespace

std::vector<double> parameter_values(const flat::Model& model) {
  return ParameterWalk(model).run();
}

}  // namespace saltus::api
