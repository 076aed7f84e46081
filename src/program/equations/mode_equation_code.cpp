#include "program/equations/mode_equation_code.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "program/equations/written_coefficients.hpp"
#include "program/guards/diagnostic_codes.hpp"
#include "saltus/contract.hpp"
#include "structure/match/names.hpp"

namespace saltus::program {

using structure::Unknown;

EquationRequest equation_request(const SystemCode& code) {
  EquationRequest request;
  request.n_frozen_inputs = code.n_frozen_inputs();
  request.bindings = run_bindings(code);
  request.n_discrete = code.discrete.size();
  request.conditions = &code.conditions;
  return request;
}

void add_slots(const SystemCode& code, std::span<const Unknown> slots, EquationRequest& request) {
  for (const Unknown& slot : slots) {
    request.slots.push_back(slot);
    request.sized_as.push_back(slot.variable);
    request.slot_infos.push_back({.name = structure::name_of(code.model, slot),
                                  .variable = code.column_of_variable[slot.variable.index()],
                                  .order = slot.order});
  }
}

void add_row_texts(const SystemCode& code, std::vector<RowSource> rows, EquationRequest& request) {
  request.describe_rows = [&code, rows = std::move(rows)] {
    LateGraph::Access graph = code.late_graph->open();
    return describe_rows(code.model, *graph, rows);
  };
}

std::shared_ptr<const EquationCode> EquationCompiler::constraints() const {
  return mode_.late->constraints.get([this]() -> std::shared_ptr<const EquationCode> {
    return mode_.causalized.constraints.empty() ? nullptr : build_constraints();
  });
}

std::shared_ptr<const EquationCode> EquationCompiler::build_constraints() const {
  EquationRequest request = equation_request(code_);
  add_slots(code_, mode_.causalized.states, request);
  std::vector<RowSource> texts;
  LateGraph::Access graph = code_.late_graph->open();
  for (const structure::Constraint& constraint : mode_.causalized.constraints) {
    const flat::Equation& equation = constraint.equation;
    request.rows.push_back(graph->subtract(equation.left, equation.right));
    RowSource text{.left = equation.left,
                   .right = equation.right,
                   .order = constraint.origin.order,
                   .equation = static_cast<Index>(constraint.origin.equation),
                   .span = equation.span,
                   .is_combined = constraint.is_combined};
    // Those of one equation follow each other: the first one is written down and differentiated.
    if (!texts.empty() && texts.back().equation == text.equation) {
      text.left = texts.back().left;
      text.right = texts.back().right;
      text.n_more_derivatives = texts.back().n_more_derivatives + text.order - texts.back().order;
    }
    texts.push_back(text);
  }
  add_row_texts(code_, std::move(texts), request);
  return std::make_shared<const EquationCode>(*graph, std::move(request));
}

std::shared_ptr<const system::WrittenCoefficients> EquationCompiler::written_coefficients() const {
  return mode_.late->coefficients.get([this]() -> std::shared_ptr<const system::WrittenCoefficients> {
    if (!mode_.causalized.uncombined.empty()) {
      return find_coefficients(code_, mode_.causalized.uncombined, *uncombined());
    }
    const Result<std::shared_ptr<const EquationCode>> array = derivative_array(0);
    return array ? find_coefficients(code_, mode_.causalized.written, **array) : nullptr;
  });
}

std::shared_ptr<const EquationCode> EquationCompiler::uncombined() const {
  return mode_.late->uncombined.get([this] { return build_uncombined(); });
}

std::shared_ptr<const EquationCode> EquationCompiler::build_uncombined() const {
  EquationRequest request = equation_request(code_);
  std::vector<RowSource> texts;
  LateGraph::Access graph = code_.late_graph->open();
  for (const flat::Equation& equation : mode_.causalized.uncombined) {
    request.rows.push_back(graph->subtract(equation.left, equation.right));
    texts.push_back({.left = equation.left,
                     .right = equation.right,
                     .equation = static_cast<Index>(texts.size()),
                     .span = equation.span});
  }
  add_slots(code_, slots_of_array(0), request);
  add_row_texts(code_, std::move(texts), request);
  return std::make_shared<const EquationCode>(*graph, std::move(request));
}

Result<std::shared_ptr<const EquationCode>> EquationCompiler::derivative_array(int depth) const {
  SALTUS_EXPECT(depth >= 0, "the depth of a derivative array is not negative");
  const auto place = static_cast<std::size_t>(depth);
  LateEquations::Arrays& arrays = mode_.late->arrays;
  const std::lock_guard lock(arrays.mutex);
  if (place < arrays.by_depth.size() && arrays.by_depth[place] != nullptr) {
    return arrays.by_depth[place];
  }
  LateGraph::Access graph = code_.late_graph->open();
  std::shared_ptr<const EquationCode> array = build_array(*graph, depth);
  if (array == nullptr) {
    Diagnostics diagnostics(code_.model.source);
    diagnostics.error(
        kDerivativeArrayTooLarge,
        fmt::format(
            "the equations of '{}' and their derivatives up to order {} are too large to be written down",
            code_.model.name, depth),
        {}, "simplify the equations, or reduce the model by structure");
    return Unexpected(std::move(diagnostics));
  }
  arrays.by_depth.resize(std::max(arrays.by_depth.size(), place + 1));
  arrays.by_depth[place] = std::move(array);
  return arrays.by_depth[place];
}

// Null: too large.
std::shared_ptr<const EquationCode> EquationCompiler::build_array(expr::Graph& graph, int depth) const {
  const structure::Causalized& causalized = mode_.causalized;
  std::optional<expr::TaylorExpansion>& taylor = mode_.late->arrays.taylor;
  if (!taylor) {
    taylor.emplace(graph,
                   expr::TaylorLeaves{.coefficient = {}, .rests = [&code = code_](const expr::Node& leaf) {
                                        return code.model[VariableId(leaf.first)].variability ==
                                               flat::Variability::discrete;
                                      }});
  }
  EquationRequest request = equation_request(code_);
  std::vector<RowSource> texts;
  for (int order = 0; order <= depth; ++order) {
    for (std::size_t i = 0; i < causalized.written.size(); ++i) {
      const flat::Equation& equation = causalized.written[i];
      const NodeId residual = graph.subtract(equation.left, equation.right);
      request.rows.push_back(taylor->total_derivative(residual, order));
      texts.push_back({.left = equation.left,
                       .right = equation.right,
                       .n_more_derivatives = order,
                       .order = order,
                       .equation = static_cast<Index>(i),
                       .span = equation.span});
      if (graph.size() > code_.most_array_nodes) {
        return nullptr;
      }
    }
  }
  const std::vector<Unknown> slots = slots_of_array(depth);
  request.jacobian = jacobian_of_array(graph, request.rows, slots, depth);
  if (graph.size() > code_.most_array_nodes) {
    return nullptr;
  }
  add_slots(code_, slots, request);
  add_row_texts(code_, std::move(texts), request);
  return std::make_shared<const EquationCode>(graph, std::move(request));
}

std::vector<Unknown> EquationCompiler::slots_of_array(int depth) const {
  const structure::Causalized& causalized = mode_.causalized;
  std::vector<Unknown> slots;
  if (causalized.written_orders.empty()) {
    return slots;  // a model of assertions and events alone
  }
  const int written = *std::max_element(causalized.written_orders.begin(), causalized.written_orders.end());
  for (int order = 0; order <= std::max(written, 1) + depth; ++order) {
    for (std::size_t v = 0; v < code_.model.variables.size(); ++v) {
      if (causalized.highest_orders[v] >= 0 && order <= std::max(causalized.written_orders[v], 1) + depth) {
        slots.push_back({.variable = VariableId(v), .order = order});
      }
    }
  }
  return slots;
}

// With D = d/dt: ∂F⁽ᵏ⁾/∂x⁽ʲ⁾ = Σᵢ C(k, j-i) D^(k-j+i) ∂F/∂x⁽ⁱ⁾, so only F itself is differentiated, and all depths share the
// series of its entries. `rows` begins with F.
expr::SparseJacobian EquationCompiler::jacobian_of_array(expr::Graph& graph, std::span<const NodeId> rows,
                                                         std::span<const Unknown> slots, int depth) const {
  expr::TaylorExpansion& taylor = *mode_.late->arrays.taylor;
  std::vector<NodeId> leaves;
  std::map<Unknown, std::uint32_t> place_of;
  for (const Unknown& slot : slots) {
    place_of.emplace(slot, static_cast<std::uint32_t>(leaves.size()));
    leaves.push_back(graph.variable(slot.variable, slot.order));
  }
  const std::size_t n_equations = rows.size() / static_cast<std::size_t>(depth + 1);
  const expr::SparseJacobian first = expr::jacobian(graph, rows.first(n_equations), leaves);
  expr::SparseJacobian result{.row_start = {0}, .column = {}, .value = {}};
  for (int k = 0; k <= depth; ++k) {
    for (std::size_t row = 0; row < n_equations; ++row) {
      std::map<std::uint32_t, NodeId> entries;
      for (std::size_t e = first.row_start[row]; e < first.row_start[row + 1]; ++e) {
        Unknown slot = slots[first.column[e]];
        double binomial = 1.0;
        for (int m = 0; m <= k; ++m, ++slot.order) {  // m = j - i
          const NodeId term = taylor.total_derivative(first.value[e], k - m);
          if (!graph.is_constant(term, 0.0)) {
            const NodeId product = graph.multiply(graph.constant(binomial), term);
            NodeId& sum = entries[place_of.at(slot)];
            sum = sum.valid() ? graph.add(sum, product) : product;
          }
          binomial = binomial * (k - m) / (m + 1);
        }
      }
      for (const auto& [column, value] : entries) {
        if (!graph.is_constant(value, 0.0)) {
          result.column.push_back(column);
          result.value.push_back(value);
        }
      }
      result.row_start.push_back(result.column.size());
    }
  }
  return result;
}

std::shared_ptr<const ResidualCode> EquationCompiler::residual_form() const {
  return mode_.late->residual.get([this]() -> std::shared_ptr<const ResidualCode> {
    return mode_.causalized.needs_ranks ? nullptr : build_residual_form(code_, mode_);
  });
}

std::shared_ptr<const DivisorCode> EquationCompiler::divisors() const {
  return mode_.late->divisors.get([this] { return find_divisors(code_, mode_); });
}

std::shared_ptr<const GuardValuesCode> EquationCompiler::guard_values() const {
  return mode_.late->guard_values.get([this] { return build_guard_values(code_, mode_); });
}

std::shared_ptr<const WrittenCode> EquationCompiler::written() const {
  return mode_.late->written.get([this] { return std::make_shared<const WrittenCode>(code_, mode_); });
}

}  // namespace saltus::program
