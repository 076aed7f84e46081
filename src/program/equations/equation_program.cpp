#include "program/equations/equation_program.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/archive.hpp"
#include "expr/dependency.hpp"
#include "expr/linearity.hpp"
#include "expr/sparsity.hpp"
#include "expr/traversal.hpp"
#include "program/blocks/frozen_tangents.hpp"
#include "program/blocks/rows_pullback.hpp"
#include "program/vm/aligned_buffer.hpp"
#include "program/vm/dependence.hpp"
#include "program/vm/finite.hpp"
#include "program/vm/interpreter.hpp"
#include "program/vm/slab_compiler.hpp"
#include "program/vm/tangent_interpreter.hpp"
#include "saltus/contract.hpp"

namespace saltus::program {
namespace {

using Status = system::Evaluation::Status;

// Runs one part; owns its registers.
class PartRunner {
 public:
  PartRunner(const SlabProgram& program, const std::vector<double>& frozen)
      : program_(program),
        frozen_(frozen.data()),
        code_(code_of(program, 1)),
        registers_(program.n_registers) {}

  void set_held(std::size_t i, double value) {
    registers_[1 + i] = value;
    held_changed_ = true;
  }

  [[nodiscard]] std::span<const double> held(std::size_t n_held) const {
    return {registers_.data() + 1, n_held};
  }

  void run(double t, const double* slots, double* outputs) {
    const std::uint32_t* indices = program_.indices.data();
    registers_[0] = t;
    if (std::exchange(held_changed_, false)) {
      run_code(program_.held_code, indices, {registers_.data(), nullptr, nullptr, frozen_});
    }
    run_code(code_, indices, {registers_.data(), slots, outputs, frozen_});
  }

  void fields(Archive& a) {
    // Not saved: of the program frozen_, code_.
    a(registers_, held_changed_);
  }

 private:
  const SlabProgram& program_;
  const double* frozen_;
  std::span<const Instruction> code_;
  AlignedBuffer registers_;
  bool held_changed_ = true;
};

// Of the rows, in the configuration of the runner whose part it reads.
class ProgramTangents final : public system::EquationTangents {
 public:
  ProgramTangents(const EquationProgram& equations, const PartRunner& runner,
                  std::span<const double> frozen_tangents, std::size_t n_directions)
      : equations_(equations),
        program_(equations.code().residual()),
        runner_(runner),
        n_(n_directions),
        parameters_(frozen_tangents.begin(), frozen_tangents.end()),
        frozen_tangents_(
            freeze_tangents(program_, equations.frozen_of_residual(), frozen_tangents, n_directions)),
        registers_(program_.n_registers),
        tangents_(program_.n_registers * n_directions),
        values_(static_cast<std::size_t>(equations.n_rows())) {}

  system::Evaluation rows(double t, std::span<const double> slots, const system::Seeds& seeds,
                          std::span<double> tangents) override {
    const std::size_t n_discrete = equations_.code().n_discrete();
    SALTUS_EXPECT(std::ssize(slots) == equations_.n_slots() && seeds.x.size() == slots.size() * n_ &&
                      seeds.time.size() == n_ && seeds.discrete.size() == n_discrete * n_ &&
                      tangents.size() == values_.size() * n_,
                  "wrong number of slots, seeds or rows");
    const std::size_t n_conditions = equations_.code().conditions().n_conditions();
    const std::span<const double> held = runner_.held(n_conditions + n_discrete);
    registers_[0] = t;
    std::copy(held.begin(), held.end(), registers_.data() + 1);
    std::copy(seeds.time.begin(), seeds.time.end(), tangents_.data());
    std::copy(seeds.discrete.begin(), seeds.discrete.end(), tangents_.data() + (1 + n_conditions) * n_);
    const TangentMemory memory{
        {registers_.data(), slots.data(), values_.data(), equations_.frozen_of_residual().data()},
        {tangents_.data(), seeds.x.data(), tangents.data(), frozen_tangents_.data()},
        n_};
    run_code_tangents(program_.held_code, program_.indices.data(), memory);
    run_part_tangents(program_, 1, memory);
    if (!all_finite(values_)) {
      return {Status::not_finite, first_not_finite(values_)};
    }
    return all_finite(tangents)
               ? system::Evaluation{}
               : system::Evaluation{Status::not_finite, first_not_finite(tangents) / static_cast<Index>(n_)};
  }
  [[nodiscard]] std::vector<std::vector<Index>> moving_directions() const override {
    return program::moving_directions(program_, 1, parameters_, n_);
  }

 private:
  const EquationProgram& equations_;
  const SlabProgram& program_;
  const PartRunner& runner_;
  std::size_t n_;
  std::vector<double> parameters_;  // how they move, [parameter][direction]
  std::vector<double> frozen_tangents_;
  AlignedBuffer registers_;
  AlignedBuffer tangents_;
  std::vector<double> values_;
};

class ProgramRunner final : public system::EquationRunner {
  struct Setter {
    ProgramRunner& runner;
    void operator()(std::size_t input, double value) const {
      runner.residual_.set_held(input, value);
      runner.entries_.set_held(input, value);
    }
  };

 public:
  explicit ProgramRunner(const EquationProgram& program)
      : program_(program),
        held_(program.code().conditions(), program.discrete().size()),
        residual_(program.code().residual(), program.frozen_of_residual()),
        entries_(program.code().entries(), program.frozen_of_entries()),
        work_(program.pattern().n_entries()) {
    for (std::size_t i = 0; i < program.discrete().size(); ++i) {
      held_.set_discrete(i, program.discrete()[i], Setter{*this});
    }
  }

  void begin_with(const HeldInputs& inputs, std::span<const double> held) {
    held_.adopt(inputs);
    for (std::size_t i = 0; i < held.size(); ++i) {
      Setter{*this}(i, held[i]);
    }
  }

  void set_configuration(const system::Configuration& configuration) override {
    held_.set_configuration(configuration, Setter{*this});
  }
  void set_latched(Index guard, double value) override {
    held_.set_latched(static_cast<std::size_t>(guard), value, Setter{*this});
  }

  system::Evaluation residual(double t, std::span<const double> slots, std::span<double> values) override {
    SALTUS_EXPECT(std::ssize(slots) == program_.n_slots() && std::ssize(values) == program_.n_rows(),
                  "wrong number of slots or rows");
    residual_.run(t, slots.data(), values.data());
    return all_finite(values) ? system::Evaluation{}
                              : system::Evaluation{Status::not_finite, first_not_finite(values)};
  }
  system::Evaluation jacobian(double t, std::span<const double> slots, std::span<double> entries) override {
    SALTUS_EXPECT(std::ssize(slots) == program_.n_slots() && entries.size() == program_.pattern().n_entries(),
                  "wrong number of slots or entries");
    entries_.run(t, slots.data(), work_.data());
    const std::uint32_t* const places = program_.code().entry_places().data();
    for (std::size_t k = 0; k < work_.size(); ++k) {
      entries[places[k]] = work_[k];
    }
    if (all_finite(work_)) {
      return {};
    }
    const auto bad = static_cast<std::size_t>(first_not_finite(entries));
    return {Status::not_finite, program_.pattern().rows[bad]};
  }

  std::unique_ptr<system::EquationTangents> tangents(const system::ParameterDirections& directions) override {
    const auto frozen =
        frozen_tangents(directions, program_.code().residual().n_parameters, program_.zeros());
    return frozen ? std::make_unique<ProgramTangents>(program_, residual_, *frozen,
                                                      static_cast<std::size_t>(directions.n_directions))
                  : nullptr;
  }

  std::unique_ptr<system::Pullback> pullback() override {
    const EquationCode& code = program_.code();
    return make_rows_pullback({.program = code.residual(),
                               .frozen = program_.frozen_of_residual(),
                               .zeros = program_.zeros(),
                               .held = residual_.held(code.conditions().n_conditions() + code.n_discrete()),
                               .n_discrete = code.n_discrete(),
                               .rests = program_.rests()});
  }

  void fields(Archive& a) override { a(held_, residual_, entries_, work_); }

 private:
  const EquationProgram& program_;
  HeldInputs held_;
  PartRunner residual_;
  PartRunner entries_;
  std::vector<double> work_;  // entries in the order of computation
};

// Rows of a chunk, whose shared values stay in the first-level cache while all their entries are computed.
constexpr std::size_t kChunkRows = 256;

// Entries in the order of computation: within a chunk of rows the first entries of all rows, then the second ones, …
std::vector<std::size_t> order_of_entries(const expr::SparseJacobian& jacobian) {
  std::vector<std::size_t> order;
  order.reserve(jacobian.value.size());
  const std::size_t n_rows = jacobian.row_start.size() - 1;
  for (std::size_t begin = 0; begin < n_rows; begin += kChunkRows) {
    std::vector<std::size_t> rows;  // of the chunk, that have an entry of this number
    for (std::size_t row = begin; row < std::min(begin + kChunkRows, n_rows); ++row) {
      rows.push_back(row);
    }
    for (std::size_t number = 0; !rows.empty(); ++number) {
      std::erase_if(rows, [&](std::size_t row) {
        return jacobian.row_start[row] + number == jacobian.row_start[row + 1];
      });
      for (const std::size_t row : rows) {
        order.push_back(jacobian.row_start[row] + number);
      }
    }
  }
  return order;
}

}  // namespace

EquationCode::EquationCode(expr::Graph& graph, EquationRequest request)
    : slots_(std::move(request.slot_infos)),
      sized_as_(std::move(request.sized_as)),
      describe_rows_(std::move(request.describe_rows)),
      n_discrete_(request.n_discrete),
      conditions_(request.conditions) {
  SALTUS_EXPECT(slots_.size() == request.slots.size() && slots_.size() == sized_as_.size(),
                "every slot is described");
  pattern_.n_rows = static_cast<Index>(request.rows.size());
  pattern_.n_columns = static_cast<Index>(slots_.size());
  std::vector<NodeId> leaves;
  for (std::size_t i = 0; i < request.slots.size(); ++i) {
    const structure::Unknown& slot = request.slots[i];
    leaves.push_back(graph.variable(slot.variable, slot.order));
    request.bindings.bind_variable(slot.variable, slot.order,
                                   {Binding::Kind::state, static_cast<std::uint32_t>(i)});
  }
  is_linear_ = expr::are_affine(graph, request.rows, leaves);
  const expr::SparseJacobian jacobian =
      request.jacobian ? *std::move(request.jacobian) : expr::jacobian(graph, request.rows, leaves);
  find_pattern(jacobian);
  if (request.n_derivatives > 0 && !is_linear_) {
    find_nonlinear_derivatives(graph, jacobian, leaves, request.n_derivatives);
  }
  std::vector<NodeId> entries;
  std::vector<std::uint32_t> places;
  for (const std::size_t k : order_of_entries(jacobian)) {
    entries.push_back(jacobian.value[k]);
    places.push_back(entry_places_[k]);
  }
  entry_places_ = std::move(places);
  has_constant_jacobian_ = is_linear_;
  for (const NodeId leaf : expr::leaves_of(graph, entries)) {
    has_constant_jacobian_ = has_constant_jacobian_ && graph[leaf].op != expr::Op::time;
  }
  const auto compile = [&](const std::vector<NodeId>& roots) {
    const auto n_held = static_cast<std::uint32_t>(conditions_->n_conditions() + n_discrete_);
    return compile_program(graph, request.bindings,
                           {.n_states = static_cast<std::uint32_t>(slots_.size()),
                            .n_inputs = 1 + n_held,
                            .n_held = n_held,
                            .n_parameters = static_cast<std::uint32_t>(request.n_frozen_inputs),
                            .parts = {{.roots = roots}}});
  };
  residual_ = compile(request.rows);
  entries_ = compile(entries);
  if (request.finds_rows_of_guards) {
    find_rows_of_guards(graph, request.rows);
  }
}

// Columns of derivatives with an entry that depends on a derivative or on an algebraic unknown. One pass over the graph of these entries.
void EquationCode::find_nonlinear_derivatives(const expr::Graph& graph, const expr::SparseJacobian& jacobian,
                                              std::span<const NodeId> leaves, std::size_t n_states) {
  const std::size_t first = leaves.size() - n_states;
  std::vector<NodeId> entries;
  for (std::size_t k = 0; k < jacobian.value.size(); ++k) {
    if (jacobian.column[k] >= first) {
      entries.push_back(jacobian.value[k]);
    }
  }
  expr::NodeTable<std::uint8_t> depends(graph.size());
  const std::vector<NodeId> order = expr::needed_nodes(graph, entries);
  for (const NodeId node : order) {
    depends[node] = 0;
  }
  for (std::size_t i = n_states; i < leaves.size(); ++i) {
    depends[leaves[i]] = 1;  // of one outside the order: never read
  }
  for (const NodeId node : order) {
    const expr::Node& content = graph[node];
    for (int i = 0; i < expr::n_operands(content.op); ++i) {
      depends[node] = std::max(depends[node], depends[content.operand(i)]);
    }
  }
  std::vector<std::uint8_t> is_nonlinear(n_states, 0);
  for (std::size_t k = 0; k < jacobian.value.size(); ++k) {
    if (jacobian.column[k] >= first && depends[jacobian.value[k]] != 0) {
      is_nonlinear[jacobian.column[k] - first] = 1;
    }
  }
  for (std::size_t i = 0; i < n_states; ++i) {
    if (is_nonlinear[i] != 0) {
      nonlinear_derivatives_.push_back(static_cast<Index>(i));
    }
  }
}

void EquationCode::find_rows_of_guards(const expr::Graph& graph, std::span<const NodeId> rows) {
  auto& found = rows_of_guards_.emplace(conditions_->guards().size());
  if (found.empty()) {
    return;
  }
  expr::IncidenceFinder find(graph, expr::Op::condition);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    for (const NodeId leaf : find(rows.subspan(row, 1), expr::Occurrence::any)) {
      const Index guard = conditions_->guard_of(ConditionId(graph[leaf].first));
      if (guard < 0) {
        continue;
      }
      std::vector<Index>& of_guard = found[static_cast<std::size_t>(guard)];
      if (of_guard.empty() || of_guard.back() != static_cast<Index>(row)) {
        of_guard.push_back(static_cast<Index>(row));
      }
    }
  }
}

// Compressed rows to compressed columns by counting; rows ascend within a column because they are visited in order.
// Leaves the place of each entry of the Jacobian in entry_places_.
void EquationCode::find_pattern(const expr::SparseJacobian& jacobian) {
  pattern_.column_starts.assign(slots_.size() + 1, 0);
  for (const std::uint32_t column : jacobian.column) {
    ++pattern_.column_starts[column + 1];
  }
  for (std::size_t c = 0; c < slots_.size(); ++c) {
    pattern_.column_starts[c + 1] += pattern_.column_starts[c];
  }
  std::vector<Index> next(pattern_.column_starts.begin(), pattern_.column_starts.end() - 1);
  pattern_.rows.resize(jacobian.column.size());
  for (std::size_t row = 0; row + 1 < jacobian.row_start.size(); ++row) {
    for (std::size_t k = jacobian.row_start[row]; k < jacobian.row_start[row + 1]; ++k) {
      const Index place = next[jacobian.column[k]]++;
      pattern_.rows[static_cast<std::size_t>(place)] = static_cast<Index>(row);
      entry_places_.push_back(static_cast<std::uint32_t>(place));
    }
  }
}

const std::vector<system::RowInfo>& EquationCode::rows() const {
  std::call_once(rows_described_, [this] {
    rows_ = describe_rows_();
    SALTUS_ASSERT(std::ssize(rows_) == pattern_.n_rows);
  });
  return rows_;
}

EquationProgram::EquationProgram(std::shared_ptr<const EquationCode> code, EquationNumbers numbers)
    : code_(std::move(code)),
      slots_(code_->slots()),
      frozen_of_residual_(freeze(code_->residual(), numbers.frozen_inputs)),
      frozen_of_entries_(freeze(code_->entries(), numbers.frozen_inputs)),
      discrete_(std::move(numbers.discrete)),
      rests_(std::move(numbers.rests)),
      zeros_(numbers.zeros),
      owner_(std::move(numbers.owner)) {
  SALTUS_EXPECT(
      discrete_.size() == code_->n_discrete() && (rests_.empty() || rests_.size() == discrete_.size()),
      "every discrete value is given");
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    slots_[i].nominal = numbers.nominal_of({.variable = code_->sized_as()[i], .order = slots_[i].order});
  }
}

std::vector<Index> EquationProgram::rows_over(Index guard) const {
  const auto& rows_of_guards = code_->rows_of_guards();
  return rows_of_guards ? (*rows_of_guards)[static_cast<std::size_t>(guard)]
                        : system::EquationSet::rows_over(guard);
}

std::unique_ptr<system::EquationRunner> EquationProgram::make_runner() const {
  return std::make_unique<ProgramRunner>(*this);
}

std::unique_ptr<system::EquationRunner> EquationProgram::make_runner(const HeldInputs& inputs,
                                                                     std::span<const double> held) const {
  auto runner = std::make_unique<ProgramRunner>(*this);
  runner->begin_with(inputs, held);
  return runner;
}

}  // namespace saltus::program
