#include "flat/verify.hpp"

#include <algorithm>
#include <functional>
#include <unordered_set>

#include <fmt/format.h>

#include "flat/variability.hpp"

namespace saltus::flat {
namespace {

/// Past this many sentences a broken model says nothing new.
constexpr std::size_t kMaxViolations = 100;

class Verifier {
 public:
  explicit Verifier(const Model& model) : model_(model), variability_(model) {}

  std::vector<std::string> run() {
    check_graph();
    if (!violations_.empty()) {
      return std::move(violations_);  // node ids cannot be trusted any further
    }
    check_variables();
    check_parameters();
    check_conditions();
    check_equations(model_.equations, "equation");
    check_equations(model_.initial_equations, "initial equation");
    for (std::size_t i = 0; i < model_.when_clauses.size(); ++i) {
      check_clause(model_.when_clauses[i], i);
    }
    for (const Assertion& assertion : model_.assertions) {
      check_truth(assertion.condition, "condition of an assert");
      check_mode(assertion.mode, "assert");
    }
    check_modes();
    return std::move(violations_);
  }

 private:
  void report(std::string sentence) {
    if (violations_.size() < kMaxViolations) {
      violations_.push_back(std::move(sentence));
    }
  }

  void check_graph() {
    const expr::Graph& graph = model_.graph;
    for (std::size_t i = 0; i < graph.size(); ++i) {
      const expr::Node& node = graph[NodeId(i)];
      for (int k = 0; k < expr::n_references(node.op); ++k) {
        if (node.operand(k) >= i) {
          report(fmt::format("node {} has operand {}, which is not before it", i, node.operand(k)));
        }
      }
      check_leaf(node, i);
    }
  }

  void check_leaf(const expr::Node& node, std::size_t i) {
    const auto outside = [&](std::size_t size) { return node.first >= size; };
    const bool is_variable = node.op == expr::Op::variable || node.op == expr::Op::previous;
    if ((is_variable && outside(model_.variables.size())) ||
        (node.op == expr::Op::parameter && outside(model_.parameters.size())) ||
        (node.op == expr::Op::condition && outside(model_.conditions.size()))) {
      report(fmt::format("leaf {} names {} {}, which does not exist", i, expr::name_of(node.op), node.first));
    } else if (node.op == expr::Op::variable && node.second > 0 &&
               model_.variables[node.first].variability == Variability::discrete) {
      report(fmt::format("derivative of the discrete variable {}", model_.variables[node.first].name));
    }
  }

  bool check_node(NodeId node, std::string_view what) {
    if (!node.valid() || node.index() >= model_.graph.size()) {
      report(fmt::format("{}: no such node", what));
      return false;
    }
    return true;
  }

  /// An attribute or a parameter's value: an expression in parameters and constants.
  void check_parametric(const std::optional<NodeId>& node, std::string_view name, std::string_view what) {
    if (node && check_node(*node, what) && variability_.of(*node) > NodeVariability::parameter) {
      report(fmt::format("{} of {} depends on more than parameters", what, name));
    }
  }

  void check_mode(ModeId mode, std::string_view what) {
    if (mode.valid() && mode.index() >= model_.modes.size()) {
      report(fmt::format("{} of a mode that does not exist", what));
    }
  }

  void check_variables() {
    std::unordered_set<std::string_view> names;
    for (std::size_t i = 0; i < model_.variables.size(); ++i) {
      const Variable& variable = model_.variables[i];
      if (!variable.mode.valid() && !names.insert(variable.name).second) {
        report(fmt::format("two variables are called {}", variable.name));
      }
      if (variable.type == Type::string) {
        report(fmt::format("variable {} is a String", variable.name));
      }
      if (variable.type != Type::real && variable.variability != Variability::discrete) {
        report(fmt::format("variable {} is not Real and not discrete", variable.name));
      }
      check_parametric(variable.start, variable.name, "start");
      check_parametric(variable.minimum, variable.name, "min");
      check_parametric(variable.maximum, variable.name, "max");
      check_parametric(variable.nominal, variable.name, "nominal");
      check_mode(variable.mode, "variable");
    }
    for (const Parameter& parameter : model_.parameters) {
      if (!names.insert(parameter.name).second) {
        report(fmt::format("two parameters or variables are called {}", parameter.name));
      }
    }
  }

  void check_parameters() {
    for (const Parameter& parameter : model_.parameters) {
      check_parametric(parameter.value, parameter.name, "value");
      check_parametric(parameter.minimum, parameter.name, "min");
      check_parametric(parameter.maximum, parameter.name, "max");
    }
  }

  [[nodiscard]] bool is_owned_by(const Condition& condition, Condition::Kind kind) const {
    return condition.owner.valid() && condition.owner.index() < model_.conditions.size() &&
           model_[condition.owner].kind == kind;
  }

  void check_conditions() {
    for (const Guard& guard : model_.guards) {
      check_node(guard.expression, "guard");
    }
    for (const Condition& condition : model_.conditions) {
      switch (condition.kind) {
        case Condition::Kind::greater:
        case Condition::Kind::greater_equal:
        case Condition::Kind::less:
        case Condition::Kind::less_equal:
          if (!condition.guard.valid() || condition.guard.index() >= model_.guards.size()) {
            report(fmt::format("condition {} has no guard", condition.text));
          }
          break;
        case Condition::Kind::sample:
          check_node(condition.argument, "start of sample");
          check_node(condition.interval, "interval of sample");
          break;
        case Condition::Kind::floor:
        case Condition::Kind::ceil:
        case Condition::Kind::truncate: check_node(condition.argument, "argument of a held number"); break;
        case Condition::Kind::segment: check_segments(condition); break;
        case Condition::Kind::external: check_node(condition.argument, "start of an external value"); break;
        case Condition::Kind::norm: check_node(condition.argument, "length of a vector"); break;
        case Condition::Kind::component:
          check_node(condition.argument, "element of a vector");
          if (!is_owned_by(condition, Condition::Kind::norm)) {
            report(fmt::format("the element {} belongs to no vector", condition.text));
          }
          break;
        case Condition::Kind::gap:
          check_node(condition.argument, "gap");
          if (!is_owned_by(condition, Condition::Kind::less_equal) &&
              !is_owned_by(condition, Condition::Kind::greater_equal)) {
            report(fmt::format("no relation closes {}", condition.text));
          }
          break;
        case Condition::Kind::restitution:
          check_node(condition.argument, "restitution");
          if (!is_owned_by(condition, Condition::Kind::gap)) {
            report(fmt::format("the restitution of {} belongs to no contact", condition.text));
          }
          break;
        case Condition::Kind::initial:
        case Condition::Kind::terminal: break;
      }
    }
  }

  void check_segments(const Condition& condition) {
    check_node(condition.argument, "argument of a table");
    const bool has_data = condition.knots != nullptr && condition.numbers != nullptr &&
                          condition.numbers->size() == condition.knots->size() + 1;
    if (!has_data || std::adjacent_find(condition.knots->begin(), condition.knots->end(),
                                        std::greater_equal<>()) != condition.knots->end()) {
      report(fmt::format("the knots of the table {} do not ascend or lack numbers", condition.text));
    }
  }

  void check_equations(const std::vector<Equation>& equations, std::string_view what) {
    for (const Equation& equation : equations) {
      check_node(equation.left, what);
      check_node(equation.right, what);
    }
  }

  void check_truth(NodeId node, std::string_view what) { check_node(node, what); }

  void check_body(const Body& body) {
    for (const Body::Assignment& assignment : body.assignments) {
      check_target(assignment, Variability::discrete, "assignment");
    }
    for (const Body::Assignment& reinit : body.reinits) {
      check_target(reinit, Variability::continuous, "reinit");
    }
    check_equations(body.jump_equations, "jump equation");
    for (const Body::Message& message : body.asserts) {
      check_truth(message.condition, "condition of an assert");
    }
  }

  void check_target(const Body::Assignment& assignment, Variability variability, std::string_view what) {
    check_node(assignment.value, what);
    if (!assignment.variable.valid() || assignment.variable.index() >= model_.variables.size()) {
      report(fmt::format("{} to a variable that does not exist", what));
    } else if (model_[assignment.variable].variability != variability) {
      report(
          fmt::format("{} to {}, which is of the other variability", what, model_[assignment.variable].name));
    }
  }

  void check_clause(const WhenClause& clause, std::size_t i) {
    check_mode(clause.mode, "when clause");
    if (clause.branches.empty()) {
      report(fmt::format("when clause {} has no branch", i));
    }
    for (const WhenBranch& branch : clause.branches) {
      if (branch.vector_elements.empty()) {
        check_truth(branch.condition, "condition of a when clause");
      }
      for (const NodeId element : branch.vector_elements) {
        check_truth(element, "element of a when condition");
      }
      check_body(branch.body);
    }
  }

  void check_modes() {
    if (model_.modes.empty() == model_.initial_mode.valid()) {
      report("an initial mode is given exactly when there are modes");
    }
    std::unordered_set<std::string_view> names;
    for (std::size_t i = 0; i < model_.modes.size(); ++i) {
      const Mode& mode = model_.modes[i];
      if (!names.insert(mode.name).second) {
        report(fmt::format("two modes are called {}", mode.name));
      }
      check_equations(mode.equations, "equation of a mode");
      for (const VariableId variable : mode.variables) {
        if (!variable.valid() || variable.index() >= model_.variables.size() ||
            model_[variable].mode != ModeId(i)) {
          report(fmt::format("mode {} lists a variable that is not its own", mode.name));
        }
      }
      for (const Transition& transition : mode.transitions) {
        if (transition.from != ModeId(i) || !transition.to.valid()) {
          report(fmt::format("a transition of mode {} has wrong ends", mode.name));
        }
        check_mode(transition.to, "transition");
        check_truth(transition.condition, "condition of a transition");
        check_body(transition.body);
      }
      if (mode.sliding_between) {
        check_mode(mode.sliding_between->first, "sliding mode");
        check_mode(mode.sliding_between->second, "sliding mode");
      }
    }
  }

  const Model& model_;
  VariabilityOfNodes variability_;
  std::vector<std::string> violations_;
};

}  // namespace

std::vector<std::string> verify(const Model& model) {
  return Verifier(model).run();
}

}  // namespace saltus::flat
