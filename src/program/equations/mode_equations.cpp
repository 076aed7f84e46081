#include "program/equations/mode_equations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "program/equations/written_coefficients.hpp"
#include "program/guards/diagnostic_codes.hpp"
#include "saltus/contract.hpp"
#include "structure/match/names.hpp"

namespace saltus::program {

using structure::Unknown;

EquationRequest equation_request(std::shared_ptr<const SystemData> data) {
  EquationRequest request;
  request.frozen_inputs = data->frozen_inputs;
  request.bindings = run_bindings(*data);
  for (const Index column : data->discrete) {
    request.discrete.push_back(data->start_values[static_cast<std::size_t>(column)]);
  }
  request.conditions = &data->conditions;
  request.owner = std::move(data);
  return request;
}

void add_slots(const SystemData& data, std::span<const Unknown> slots, EquationRequest& request) {
  for (const Unknown& slot : slots) {
    request.slots.push_back(slot);
    request.slot_infos.push_back({.name = structure::name_of(data.model, slot),
                                  .variable = data.column_of_variable[slot.variable.index()],
                                  .order = slot.order,
                                  .nominal = data.scales[slot.variable.index()].nominal});
  }
}

void add_row_texts(std::shared_ptr<const SystemData> data, std::vector<RowSource> rows,
                   EquationRequest& request) {
  request.describe_rows = [data = std::move(data), rows = std::move(rows)] {
    LateGraph::Access graph = data->late_graph->open();
    return describe_rows(data->model, *graph, rows);
  };
}

ModeEquations::ModeEquations(std::shared_ptr<const SystemData> data, std::size_t mode)
    : data_(std::move(data)), mode_(data_->modes[mode]) {}

std::shared_ptr<const EquationProgram> ModeEquations::constraints() const {
  std::call_once(constraints_built_, [this] {
    if (!mode_.causalized.constraints.empty()) {
      constraints_ = build_constraints();
    }
  });
  return constraints_;
}

std::shared_ptr<const EquationProgram> ModeEquations::build_constraints() const {
  EquationRequest request = equation_request(data_);
  add_slots(*data_, mode_.causalized.states, request);
  std::vector<RowSource> texts;
  LateGraph::Access graph = data_->late_graph->open();
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
  add_row_texts(data_, std::move(texts), request);
  return std::make_shared<const EquationProgram>(*graph, std::move(request));
}

std::shared_ptr<const WrittenProgram> ModeEquations::written() const {
  std::call_once(written_built_, [this] { written_ = std::make_shared<const WrittenProgram>(data_, mode_); });
  return written_;
}

std::shared_ptr<const system::WrittenCoefficients> ModeEquations::written_coefficients() const {
  std::call_once(coefficients_found_, [this] {
    if (!mode_.causalized.uncombined.empty()) {
      coefficients_ = find_coefficients(*data_, mode_.causalized.uncombined, build_uncombined());
      return;
    }
    const Result<std::shared_ptr<const system::EquationSet>> array = derivative_array(0);
    coefficients_ = array ? find_coefficients(*data_, mode_.causalized.written, *array) : nullptr;
  });
  return coefficients_;
}

std::shared_ptr<const system::EquationSet> ModeEquations::build_uncombined() const {
  EquationRequest request = equation_request(data_);
  std::vector<RowSource> texts;
  LateGraph::Access graph = data_->late_graph->open();
  for (const flat::Equation& equation : mode_.causalized.uncombined) {
    request.rows.push_back(graph->subtract(equation.left, equation.right));
    texts.push_back({.left = equation.left,
                     .right = equation.right,
                     .equation = static_cast<Index>(texts.size()),
                     .span = equation.span});
  }
  add_slots(*data_, slots_of_array(0), request);
  add_row_texts(data_, std::move(texts), request);
  return std::make_shared<const EquationProgram>(*graph, std::move(request));
}

Result<std::shared_ptr<const system::EquationSet>> ModeEquations::derivative_array(int depth) const {
  SALTUS_EXPECT(depth >= 0, "the depth of a derivative array is not negative");
  const auto place = static_cast<std::size_t>(depth);
  const std::lock_guard lock(arrays_mutex_);
  if (place < arrays_.size() && arrays_[place] != nullptr) {
    return arrays_[place];
  }
  LateGraph::Access graph = data_->late_graph->open();
  std::shared_ptr<const system::EquationSet> array = build_array(*graph, depth);
  if (array == nullptr) {
    Diagnostics diagnostics(data_->model.source);
    diagnostics.error(
        kDerivativeArrayTooLarge,
        fmt::format(
            "the equations of '{}' and their derivatives up to order {} are too large to be written down",
            data_->model.name, depth),
        {}, "simplify the equations, or reduce the model by structure");
    return Unexpected(std::move(diagnostics));
  }
  arrays_.resize(std::max(arrays_.size(), place + 1));
  arrays_[place] = std::move(array);
  return arrays_[place];
}

// Null: too large.
std::shared_ptr<const system::EquationSet> ModeEquations::build_array(expr::Graph& graph, int depth) const {
  const structure::Causalized& causalized = mode_.causalized;
  if (!taylor_) {
    taylor_.emplace(graph, expr::TaylorLeaves{.coefficient = {}, .rests = [this](const expr::Node& leaf) {
                                                return data_->model[VariableId(leaf.first)].variability ==
                                                       flat::Variability::discrete;
                                              }});
  }
  EquationRequest request = equation_request(data_);
  std::vector<RowSource> texts;
  for (int order = 0; order <= depth; ++order) {
    for (std::size_t i = 0; i < causalized.written.size(); ++i) {
      const flat::Equation& equation = causalized.written[i];
      const NodeId residual = graph.subtract(equation.left, equation.right);
      request.rows.push_back(taylor_->total_derivative(residual, order));
      texts.push_back({.left = equation.left,
                       .right = equation.right,
                       .n_more_derivatives = order,
                       .order = order,
                       .equation = static_cast<Index>(i),
                       .span = equation.span});
      if (graph.size() > data_->most_array_nodes) {
        return nullptr;
      }
    }
  }
  const std::vector<Unknown> slots = slots_of_array(depth);
  request.jacobian = jacobian_of_array(graph, request.rows, slots, depth);
  if (graph.size() > data_->most_array_nodes) {
    return nullptr;
  }
  add_slots(*data_, slots, request);
  add_row_texts(data_, std::move(texts), request);
  return std::make_shared<const EquationProgram>(graph, std::move(request));
}

std::vector<Unknown> ModeEquations::slots_of_array(int depth) const {
  const structure::Causalized& causalized = mode_.causalized;
  std::vector<Unknown> slots;
  const int written = *std::max_element(causalized.written_orders.begin(), causalized.written_orders.end());
  for (int order = 0; order <= std::max(written, 1) + depth; ++order) {
    for (std::size_t v = 0; v < data_->model.variables.size(); ++v) {
      if (causalized.highest_orders[v] >= 0 && order <= std::max(causalized.written_orders[v], 1) + depth) {
        slots.push_back({.variable = VariableId(v), .order = order});
      }
    }
  }
  return slots;
}

// With D = d/dt: ∂F⁽ᵏ⁾/∂x⁽ʲ⁾ = Σᵢ C(k, j-i) D^(k-j+i) ∂F/∂x⁽ⁱ⁾, so only F itself is differentiated, and all depths share the
// series of its entries. `rows` begins with F.
expr::SparseJacobian ModeEquations::jacobian_of_array(expr::Graph& graph, std::span<const NodeId> rows,
                                                      std::span<const Unknown> slots, int depth) const {
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
          const NodeId term = taylor_->total_derivative(first.value[e], k - m);
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

std::shared_ptr<const ResidualForm> ModeEquations::residual_form() const {
  std::call_once(residual_built_, [this] {
    if (!mode_.causalized.needs_ranks) {
      residual_ = build_residual_form(data_, mode_);
    }
  });
  return residual_;
}

std::shared_ptr<const Divisors> ModeEquations::divisors() const {
  std::call_once(divisors_found_, [this] { divisors_ = find_divisors(*data_, mode_); });
  return divisors_;
}

}  // namespace saltus::program
