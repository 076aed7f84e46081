#include "program/equations/written_equations.hpp"

#include <algorithm>
#include <utility>

#include "expr/dependency.hpp"
#include "program/equations/held_inputs.hpp"
#include "program/vm/interval.hpp"
#include "structure/match/names.hpp"

namespace saltus::program {

using structure::Unknown;

WrittenProgram::WrittenProgram(std::shared_ptr<const SystemData> data, const ModeData& mode)
    : data_(std::move(data)), mode_(mode) {
  LeafBindings bindings = run_bindings(*data_);
  const structure::Causalized& causalized = mode_.causalized;
  for (std::size_t v = 0; v < data_->model.variables.size(); ++v) {
    for (int order = 0;
         causalized.highest_orders[v] >= 0 && order <= std::max(causalized.written_orders[v], 0); ++order) {
      bindings.bind_variable(VariableId(v), order,
                             {Binding::Kind::state, static_cast<std::uint32_t>(slots_.size())});
      slots_.push_back({{data_->column_of_variable[v], order}, data_->scales[v].nominal});
      unknowns_.push_back({.variable = VariableId(v), .order = order});
    }
  }
  std::vector<NodeId> sides;
  for (const flat::Equation& equation : causalized.written) {
    sides.push_back(equation.left);
    sides.push_back(equation.right);
  }
  const auto n_held = static_cast<std::uint32_t>(data_->conditions.n_conditions() + data_->discrete.size());
  TapeBuilder builder(data_->model.graph, bindings, data_->frozen_inputs, n_held, 1 + n_held);
  piece_ = builder.add(sides);
  tape_ = builder.finish();
}

std::vector<NodeId> WrittenProgram::leaves_of_row(std::size_t row) const {
  const flat::Equation& equation = mode_.causalized.written[row];
  const NodeId sides[] = {equation.left, equation.right};
  return expr::leaves_of(data_->model.graph, sides);
}

std::string WrittenProgram::text(std::size_t row) const {
  return structure::quote(data_->model, mode_.causalized.written[row]);
}

std::string WrittenProgram::slot_name(std::size_t slot) const {
  return structure::name_of(data_->model, unknowns_[slot]);
}

std::vector<std::size_t> WrittenProgram::slots_of(std::size_t row) const {
  std::vector<std::size_t> found;
  for (const NodeId leaf : leaves_of_row(row)) {
    const expr::Node& node = data_->model.graph[leaf];
    if (node.op != expr::Op::variable) {
      continue;
    }
    const Unknown unknown{.variable = VariableId(node.first), .order = static_cast<int>(node.second)};
    const auto place = std::find(unknowns_.begin(), unknowns_.end(), unknown);
    if (place != unknowns_.end()) {
      found.push_back(static_cast<std::size_t>(place - unknowns_.begin()));
    }
  }
  return found;
}

std::vector<std::size_t> WrittenProgram::rows_over(Index guard) const {
  std::vector<std::size_t> found;
  for (std::size_t row = 0; row < n_rows(); ++row) {
    const std::vector<NodeId> leaves = leaves_of_row(row);
    const bool is_over = std::any_of(leaves.begin(), leaves.end(), [&](NodeId leaf) {
      const expr::Node& node = data_->model.graph[leaf];
      return node.op == expr::Op::condition && node.first < data_->conditions.n_conditions() &&
             data_->conditions.guard_of(ConditionId(node.first)) == guard;
    });
    if (is_over) {
      found.push_back(row);
    }
  }
  return found;
}

class WrittenProgramRunner final : public system::WrittenRunner {
 public:
  explicit WrittenProgramRunner(const WrittenProgram& program)
      : program_(program),
        held_(program.data_->conditions, program.data_->discrete.size()),
        registers_(program.tape_.intervals) {
    for (std::size_t i = 0; i < program.data_->discrete.size(); ++i) {
      const auto column = static_cast<std::size_t>(program.data_->discrete[i]);
      set(program.data_->conditions.n_conditions() + i, program.data_->start_values[column]);
    }
  }

  void set_configuration(const system::Configuration& configuration) override {
    held_.set_configuration(configuration, [this](std::size_t i, double value) { set(i, value); });
  }
  void set_latched(Index guard, double value) override {
    held_.set_latched(static_cast<std::size_t>(guard), value,
                      [this](std::size_t i, double number) { set(i, number); });
  }
  void ranges(const Interval& t, std::span<const Interval> slots, std::span<Interval> rows) override {
    registers_[0] = t;
    run_tape(program_.tape_.code_of(program_.piece_), registers_.data(), slots.data());
    for (std::size_t row = 0; row < rows.size(); ++row) {
      const std::int32_t* const sides = program_.piece_.roots.data() + 2 * row;
      rows[row] = subtract(read_operand(sides[0], registers_.data(), slots.data()),
                           read_operand(sides[1], registers_.data(), slots.data()));
    }
  }

 private:
  void set(std::size_t held, double value) { registers_[1 + held] = point_interval(value); }

  const WrittenProgram& program_;
  HeldInputs held_;
  std::vector<Interval> registers_;
};

std::unique_ptr<system::WrittenRunner> WrittenProgram::make_runner() const {
  return std::make_unique<WrittenProgramRunner>(*this);
}

}  // namespace saltus::program
