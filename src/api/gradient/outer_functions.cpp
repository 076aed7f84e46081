// Functionals as functions of their terms.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <span>

#include "api/gradient/functional_model.hpp"
#include "expr/derivative.hpp"
#include "expr/traversal.hpp"
#include "program/guards/parameter_values.hpp"
#include "saltus/contract.hpp"
#include "sensitivity/instant/surface_places.hpp"

namespace saltus::api {
namespace {

// Slopes on both sides of a choice that come no closer than to this part when the sides do by half are different there.
constexpr double kLeastApproach = 1.5;
// Slopes and values that differ by this many rounding errors of terms are the same, each as a part of the change of the term.
constexpr double kRoundingsOfSlopes = 1000.0;

// What changes its slope, or jumps, where this is zero or, of what rounds, a whole number. None: nothing does.
std::optional<NodeId> distance_of(expr::Graph& graph, const expr::Node& node) {
  switch (node.op) {
    case expr::Op::abs:
    case expr::Op::sign:
    case expr::Op::floor:
    case expr::Op::ceil:
    case expr::Op::truncate: return NodeId(node.operand(0));
    case expr::Op::minimum:
    case expr::Op::maximum:
    case expr::Op::less:
    case expr::Op::less_equal:
    case expr::Op::equal:
    case expr::Op::not_equal: return graph.subtract(NodeId(node.operand(0)), NodeId(node.operand(1)));
    default: return std::nullopt;
  }
}

bool is_rounding(expr::Op op) {
  return op == expr::Op::floor || op == expr::Op::ceil || op == expr::Op::truncate;
}

}  // namespace

OuterFunctions::OuterFunctions(const flat::Model& model, const std::vector<std::string>& functionals,
                               const std::vector<std::string>& terms)
    : terms_(terms) {
  auto own = std::make_shared<flat::Model>(model);
  std::vector<NodeId> leaves;
  for (const std::string& term : terms) {
    const auto found = std::find_if(own->parameters.begin(), own->parameters.end(),
                                    [&](const flat::Parameter& parameter) { return parameter.name == term; });
    SALTUS_EXPECT(found != own->parameters.end(), "no parameter stands for a term");
    leaves.push_back(
        own->graph.parameter(ParameterId(static_cast<std::size_t>(found - own->parameters.begin()))));
    if (found->is_structural) {
      structural_.push_back(term);
    }
  }
  for (const std::string& name : functionals) {
    Function& function = functions_.emplace_back();
    for (const flat::Equation& equation : model.equations) {
      const expr::Node& left = model.graph[equation.left];
      if (left.op == expr::Op::variable && model.variables[left.first].name == name) {
        function.value = equation.right;
      }
    }
    SALTUS_EXPECT(function.value.valid(), "a functional has no equation");
    function.derivatives = expr::gradient(own->graph, function.value, leaves);
    for (const NodeId id : expr::needed_nodes(own->graph, std::span(&function.value, 1))) {
      const expr::Node node = own->graph[id];
      if (const std::optional<NodeId> distance = distance_of(own->graph, node)) {
        function.choices.push_back(
            {*distance, is_rounding(node.op), expr::gradient(own->graph, *distance, leaves)});
      }
    }
  }
  model_ = std::move(own);
}

program::ParameterOverrides OuterFunctions::overrides(const std::vector<double>& terms) const {
  program::ParameterOverrides all;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    all.emplace_back(terms_[i], terms[i]);
  }
  return all;
}

double OuterFunctions::value(std::size_t functional, const std::vector<double>& terms) const {
  const program::ParameterOverrides given = overrides(terms);
  program::ParameterValues values(*model_, given);
  return values.of(functions_[functional].value).value_or(std::nan(""));
}

// The value and the derivatives by term.
std::vector<double> OuterFunctions::numbers_at(const Function& function,
                                               const std::vector<double>& terms) const {
  const program::ParameterOverrides given = overrides(terms);
  program::ParameterValues values(*model_, given);
  std::vector<double> numbers{values.of(function.value).value_or(std::nan(""))};
  for (const NodeId derivative : function.derivatives) {
    numbers.push_back(values.of(derivative).value_or(std::nan("")));
  }
  return numbers;
}

// Small changes lead over the choice, and values or slopes on its two sides are not the same: they do not approach one another as the sides do.
bool OuterFunctions::is_on_edge(const Function& function, const Choice& choice,
                                const std::vector<double>& terms, const std::vector<double>& changes) const {
  const program::ParameterOverrides given = overrides(terms);
  program::ParameterValues values(*model_, given);
  const double value = values.of(choice.distance).value_or(std::nan(""));
  const double distance = choice.is_at_whole ? std::abs(value - std::round(value)) : std::abs(value);
  std::vector<double> across(terms.size(), 0.0);
  double reach = 0.0;
  double rounding = kRoundingsOfSlopes * std::numeric_limits<double>::epsilon();
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const double slope = values.of(choice.slopes[i]).value_or(0.0);
    const double motion = std::abs(slope) * changes[i];
    across[i] = motion > 0.0 ? std::copysign(changes[i], slope) : 0.0;
    reach += motion;
    if (motion > 0.0) {
      rounding = std::max(rounding, kRoundingsOfSlopes * std::numeric_limits<double>::epsilon() *
                                        std::abs(terms[i]) / changes[i]);
    }
  }
  if (!(reach > 0.0)) {
    return distance == 0.0;
  }
  if (!(distance <= reach)) {
    return false;
  }
  const auto numbers_beside = [&](double part) {
    std::vector<double> moved = terms;
    for (std::size_t i = 0; i < moved.size(); ++i) {
      moved[i] += part * across[i];
    }
    return numbers_at(function, moved);
  };
  // Beyond the edge whatever its distance.
  const std::array<std::vector<double>, 4> beside = {numbers_beside(-4.0), numbers_beside(-2.0),
                                                     numbers_beside(2.0), numbers_beside(4.0)};
  for (std::size_t i = 0; i < beside[0].size(); ++i) {
    const double near = std::abs(beside[2][i] - beside[1][i]);
    const double far = std::abs(beside[3][i] - beside[0][i]);
    const double size = std::abs(beside[1][i]) + std::abs(beside[2][i]);
    if (!(near <= rounding * size) && !(far >= kLeastApproach * near)) {
      return true;
    }
  }
  return false;
}

OuterFunctions::Value OuterFunctions::evaluate(std::size_t functional, const std::vector<double>& terms,
                                               const std::vector<double>& changes) const {
  const Function& function = functions_[functional];
  const std::vector<double> numbers = numbers_at(function, terms);
  Value found;
  found.value = numbers.front();
  found.derivatives.assign(numbers.begin() + 1, numbers.end());
  found.is_at_kink = std::any_of(function.choices.begin(), function.choices.end(), [&](const Choice& choice) {
    return is_on_edge(function, choice, terms, changes);
  });
  return found;
}

std::vector<double> small_changes(const FunctionalTexts& texts, const std::vector<double>& terms, double rtol,
                                  double atol) {
  std::vector<double> changes;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const bool is_exact = texts.terms[i].kind == Term::Kind::parameter;
    changes.push_back(is_exact ? 0.0 : sensitivity::kTolerancesOfReach * (rtol * std::abs(terms[i]) + atol));
  }
  return changes;
}

}  // namespace saltus::api
