#include "program/equations/written_equations.hpp"

#include <algorithm>
#include <utility>

#include "base/archive.hpp"
#include "expr/dependency.hpp"
#include "program/equations/held_inputs.hpp"
#include "program/vm/interval.hpp"
#include "structure/match/names.hpp"

namespace saltus::program {

using structure::Unknown;

WrittenCode::WrittenCode(const SystemCode& system, const ModeCode& of_mode) : code(system), mode(of_mode) {
  LeafBindings bindings = run_bindings(code);
  const structure::Causalized& causalized = mode.causalized;
  for (std::size_t v = 0; v < code.model.variables.size(); ++v) {
    for (int order = 0;
         causalized.highest_orders[v] >= 0 && order <= std::max(causalized.written_orders[v], 0); ++order) {
      bindings.bind_variable(VariableId(v), order,
                             {Binding::Kind::state, static_cast<std::uint32_t>(unknowns.size())});
      unknowns.push_back({.variable = VariableId(v), .order = order});
    }
  }
  std::vector<NodeId> sides;
  for (const flat::Equation& equation : causalized.written) {
    sides.push_back(equation.left);
    sides.push_back(equation.right);
  }
  const auto n_held = static_cast<std::uint32_t>(code.n_conditions() + code.discrete.size());
  TapeBuilder builder(code.model.graph, bindings, n_held, 1 + n_held);
  piece = builder.add(sides);
  tape = builder.finish();
}

WrittenProgram::WrittenProgram(std::shared_ptr<const WrittenCode> code,
                               std::shared_ptr<const SystemData> data)
    : code_(std::move(code)), data_(std::move(data)), numbers_(code_->tape, data_->frozen_inputs) {
  for (const Unknown& unknown : code_->unknowns) {
    const std::size_t v = unknown.variable.index();
    slots_.push_back({{code_->code.column_of_variable[v], unknown.order}, data_->nominal_of(unknown)});
  }
}

std::vector<NodeId> WrittenProgram::leaves_of_row(std::size_t row) const {
  const flat::Equation& equation = code_->mode.causalized.written[row];
  const NodeId sides[] = {equation.left, equation.right};
  return expr::leaves_of(code_->code.model.graph, sides);
}

std::string WrittenProgram::text(std::size_t row) const {
  return structure::quote(code_->code.model, code_->mode.causalized.written[row]);
}

std::string WrittenProgram::slot_name(std::size_t slot) const {
  return structure::name_of(code_->code.model, code_->unknowns[slot]);
}

std::vector<std::size_t> WrittenProgram::slots_of(std::size_t row) const {
  std::vector<std::size_t> found;
  for (const NodeId leaf : leaves_of_row(row)) {
    const expr::Node& node = code_->code.model.graph[leaf];
    if (node.op != expr::Op::variable) {
      continue;
    }
    const Unknown unknown{.variable = VariableId(node.first), .order = static_cast<int>(node.second)};
    const auto place = std::find(code_->unknowns.begin(), code_->unknowns.end(), unknown);
    if (place != code_->unknowns.end()) {
      found.push_back(static_cast<std::size_t>(place - code_->unknowns.begin()));
    }
  }
  return found;
}

std::vector<std::size_t> WrittenProgram::rows_over(Index guard) const {
  std::vector<std::size_t> found;
  for (std::size_t row = 0; row < n_rows(); ++row) {
    const std::vector<NodeId> leaves = leaves_of_row(row);
    const bool is_over = std::any_of(leaves.begin(), leaves.end(), [&](NodeId leaf) {
      const expr::Node& node = code_->code.model.graph[leaf];
      return node.op == expr::Op::condition && node.first < code_->code.conditions.n_conditions() &&
             code_->code.conditions.guard_of(ConditionId(node.first)) == guard;
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
        held_(program.code_->code.conditions, program.code_->code.discrete.size()),
        registers_(program.numbers_.intervals) {
    for (std::size_t i = 0; i < program.code_->code.discrete.size(); ++i) {
      const auto column = static_cast<std::size_t>(program.code_->code.discrete[i]);
      set(program.code_->code.conditions.n_conditions() + i, program.data_->start_values[column]);
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
    run_tape(program_.code_->tape.code_of(program_.code_->piece), registers_.data(), slots.data());
    for (std::size_t row = 0; row < rows.size(); ++row) {
      const std::int32_t* const sides = program_.code_->piece.roots.data() + 2 * row;
      rows[row] = subtract(read_operand(sides[0], registers_.data(), slots.data()),
                           read_operand(sides[1], registers_.data(), slots.data()));
    }
  }

  void fields(Archive& a) override { a(held_, registers_); }

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
