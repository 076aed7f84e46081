#include "structure/reaching_law.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "expr/dependency.hpp"
#include "expr/derivative.hpp"
#include "structure/causalize.hpp"
#include "structure/control_form.hpp"
#include "structure/match/names.hpp"

namespace saltus::structure {
namespace {

NodeId difference_of(expr::Graph& graph, const flat::Equation& equation) {
  return graph.subtract(equation.left, equation.right);
}

std::vector<NodeId> leaves_in(const expr::Graph& graph, const flat::Equation& equation) {
  const std::array<NodeId, 2> sides{equation.left, equation.right};
  return expr::leaves_of(graph, sides);
}

}  // namespace

NodeId ReachingLaw::relation(const Surface& surface, flat::Condition::Kind kind, NodeId guarded,
                             const char* text) {
  const auto known = std::find_if(model_.guards.begin(), model_.guards.end(),
                                  [&](const flat::Guard& guard) { return guard.expression == guarded; });
  const GuardId guard(static_cast<std::size_t>(known - model_.guards.begin()));
  if (known == model_.guards.end()) {
    model_.guards.push_back({guarded});
  }
  flat::Condition condition;
  condition.kind = kind;
  condition.guard = guard;
  condition.text = fmt::format("surface of {} {}", quote(model_, surface.equation), text);
  condition.span = surface.equation.span;
  model_.conditions.push_back(std::move(condition));
  return model_.graph.condition(ConditionId(model_.conditions.size() - 1));
}

NodeId ReachingLaw::sign_of(const Surface& surface) {
  const NodeId above = relation(surface, flat::Condition::Kind::greater, surface.value, "> 0");
  const NodeId below = relation(surface, flat::Condition::Kind::less, surface.value, "< 0");
  return model_.graph.subtract(above, below);
}

NodeId ReachingLaw::saturated(const Surface& surface) {
  expr::Graph& graph = model_.graph;
  const NodeId width = graph.constant(request_.boundary_layer);
  const NodeId above = relation(surface, flat::Condition::Kind::greater, graph.subtract(surface.value, width),
                                "above its boundary layer");
  const NodeId below = relation(surface, flat::Condition::Kind::less, graph.add(surface.value, width),
                                "below its boundary layer");
  return graph.select(above, graph.constant(1.0),
                      graph.select(below, graph.constant(-1.0), graph.divide(surface.value, width)));
}

NodeId ReachingLaw::right_side(const Surface& surface) {
  using Law = FormulationRequest::Law;
  expr::Graph& graph = model_.graph;
  const NodeId direction = request_.law == Law::chattering       ? graph.unary(expr::Op::sign, surface.value)
                           : request_.law == Law::boundary_layer ? saturated(surface)
                                                                 : sign_of(surface);
  return graph.multiply(graph.constant(-surface.rate), direction);
}

std::vector<NodeId> ReachingLaw::coupled_right_sides(const std::vector<Surface>& surfaces) {
  expr::Graph& graph = model_.graph;
  std::vector<NodeId> controls;
  for (std::size_t j = 0; j < surfaces.size(); ++j) {
    const NodeId own = coupling_[j][j];
    const NodeId size = graph.unary(expr::Op::sqrt, graph.multiply(own, own));
    controls.push_back(graph.multiply(graph.divide(own, size), right_side(surfaces[j])));
  }
  std::vector<NodeId> sums;
  for (const std::vector<NodeId>& row : coupling_) {
    NodeId sum = graph.constant(0.0);
    for (std::size_t j = 0; j < row.size(); ++j) {
      if (row[j].valid()) {
        sum = graph.add(sum, graph.multiply(row[j], controls[j]));
      }
    }
    sums.push_back(sum);
  }
  return sums;
}

// The rows and unknowns that a multiplier reaches, and their equations.
ReachingLaw::Response ReachingLaw::response_to(NodeId multiplier, const std::vector<flat::Equation>& rows,
                                               const std::vector<NodeId>& moved) {
  expr::Graph& graph = model_.graph;
  std::vector<std::vector<NodeId>> leaves;
  for (const flat::Equation& row : rows) {
    leaves.push_back(leaves_in(graph, row));
  }
  std::vector<std::uint8_t> is_reached(rows.size(), 0);
  std::map<NodeId, NodeId> value_of;
  for (bool grows = true; grows;) {
    grows = false;
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const bool touches = std::any_of(leaves[r].begin(), leaves[r].end(), [&](NodeId leaf) {
        return leaf == multiplier || value_of.contains(leaf);
      });
      if (is_reached[r] != 0 || !touches) {
        continue;
      }
      is_reached[r] = 1;
      grows = true;
      for (const NodeId leaf : leaves[r]) {
        if (std::binary_search(moved.begin(), moved.end(), leaf) && !value_of.contains(leaf)) {
          flat::Variable variable;
          variable.name = fmt::format("reaching.response[{}]", ++n_responses_);
          variable.description = "answer of an acceleration to the force of a constraint";
          variable.span = rows[r].span;
          model_.variables.push_back(std::move(variable));
          value_of.emplace(leaf, graph.variable(VariableId(model_.variables.size() - 1)));
        }
      }
    }
  }
  Response response;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (is_reached[r] == 0) {
      continue;
    }
    const NodeId residual = difference_of(graph, rows[r]);
    NodeId sum = expr::derivative(graph, residual, multiplier);
    for (const NodeId leaf : leaves[r]) {
      if (const auto found = value_of.find(leaf); found != value_of.end()) {
        sum = graph.add(sum, graph.multiply(expr::derivative(graph, residual, leaf), found->second));
      }
    }
    model_.equations.push_back({sum, graph.constant(0.0), rows[r].span});
  }
  for (const auto& [leaf, value] : value_of) {
    response.items.push_back({leaf, value});
  }
  return response;
}

std::optional<std::string> ReachingLaw::find_couplings() {
  if (!model_.modes.empty()) {
    return "reaching:raw is for models without modes";
  }
  const Result<Causalized> causalized = causalize(model_);
  if (!causalized) {
    return "its equations are not determined";
  }
  const ControlForm form = control_form(model_, *causalized);
  if (form.refusal || !form.is_paired) {
    return form.refusal ? *form.refusal
                        : "it cannot be told which of the unknowns " + list_names(model_, form.multipliers) +
                              " belongs to which constraint";
  }
  expr::Graph& graph = model_.graph;
  std::vector<flat::Equation> rows;
  for (const std::uint32_t row : form.rows) {
    rows.push_back(causalized->equations[row]);
  }
  std::vector<NodeId> moved;
  for (const Unknown& unknown : form.moved) {
    moved.push_back(graph.variable(unknown.variable, unknown.order));
  }
  std::sort(moved.begin(), moved.end());
  const std::size_t m = form.constraints.size();
  coupling_.assign(m, std::vector<NodeId>(m));
  for (std::size_t j = 0; j < m; ++j) {
    const NodeId multiplier = graph.variable(form.multipliers[j].variable, form.multipliers[j].order);
    Response response = response_to(multiplier, rows, moved);
    response.items.push_back({multiplier, graph.constant(1.0)});  // it may be an acceleration itself
    for (std::size_t i = 0; i < m; ++i) {
      const NodeId rate = difference_of(graph, causalized->equations[form.constraints[i].row]);
      for (const Response::Item& item : response.items) {
        if (expr::depends_on(graph, rate, item.leaf)) {
          const NodeId term = graph.multiply(expr::derivative(graph, rate, item.leaf), item.value);
          coupling_[i][j] = coupling_[i][j].valid() ? graph.add(coupling_[i][j], term) : term;
        }
      }
    }
    if (!coupling_[j][j].valid()) {
      return "a constraint is not moved by its own multiplier";
    }
  }
  return std::nullopt;
}

}  // namespace saltus::structure
