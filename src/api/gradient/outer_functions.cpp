// Functionals as functions of their terms.
#include <algorithm>
#include <cmath>
#include <span>

#include "api/gradient/functional_model.hpp"
#include "expr/derivative.hpp"
#include "expr/traversal.hpp"
#include "program/guards/parameter_values.hpp"
#include "saltus/contract.hpp"

namespace saltus::api {
namespace {

// What changes its slope, or jumps, at these operands.
bool is_kink(expr::Op op, double a, double b) {
  switch (op) {
    case expr::Op::abs:
    case expr::Op::sign: return a == 0.0;
    case expr::Op::floor:
    case expr::Op::ceil:
    case expr::Op::truncate: return a == std::floor(a);
    case expr::Op::minimum:
    case expr::Op::maximum:
    case expr::Op::less:
    case expr::Op::less_equal:
    case expr::Op::equal:
    case expr::Op::not_equal: return a == b;
    default: return false;
  }
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

OuterFunctions::Value OuterFunctions::evaluate(std::size_t functional,
                                               const std::vector<double>& terms) const {
  const program::ParameterOverrides given = overrides(terms);
  program::ParameterValues values(*model_, given);
  const Function& function = functions_[functional];
  Value found;
  found.value = values.of(function.value).value_or(std::nan(""));
  for (const NodeId derivative : function.derivatives) {
    found.derivatives.push_back(values.of(derivative).value_or(std::nan("")));
  }
  for (const NodeId id : expr::needed_nodes(model_->graph, std::span(&function.value, 1))) {
    const expr::Node& node = model_->graph[id];
    const int n = expr::n_operands(node.op);
    const auto operand = [&](int i) {
      return i < n ? values.of(NodeId(node.operand(i))).value_or(std::nan("")) : 0.0;
    };
    found.is_at_kink = found.is_at_kink || is_kink(node.op, operand(0), operand(1));
  }
  return found;
}

}  // namespace saltus::api
