#include "program/blocks/block_sequence.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "program/blocks/block_homotopy.hpp"
#include "program/vm/slab_compiler.hpp"
#include "saltus/contract.hpp"

namespace saltus::program {
namespace {

using structure::Block;
using structure::Unknown;

// Two solutions that differ by more than this part of their size are two.
constexpr double kOtherSolution = 1e-6;

// The nodes whose values a block's part delivers: matrix and right side, or residual and matrix.
std::vector<NodeId> roots_of(const Block& block) {
  std::vector<NodeId> roots;
  if (block.kind == Block::Kind::nonlinear) {
    roots = block.residual;
  }
  for (const structure::MatrixEntry& entry : block.matrix) {
    roots.push_back(entry.value);
  }
  if (block.kind == Block::Kind::linear) {
    roots.insert(roots.end(), block.right_side.begin(), block.right_side.end());
  }
  return roots;
}

// Which implicit blocks the outputs depend on, through formulas and other blocks.
class NeededBlocks {
 public:
  NeededBlocks(const expr::Graph& graph, std::span<const Block> blocks, const LeafBindings& bindings)
      : graph_(graph),
        blocks_(blocks),
        bindings_(bindings),
        seen_(graph.size(), 0),
        needed_(blocks.size(), 0) {}

  // block_of_input[i]: the block that input register i is an unknown of, from register n_held + 1 on.
  std::vector<char> find(std::span<const NodeId> outputs, std::span<const std::size_t> block_of_input,
                         std::uint32_t n_held) {
    push(outputs);
    while (!stack_.empty()) {
      const expr::Node& node = graph_[stack_.back()];
      stack_.pop_back();
      const int n = expr::n_operands(node.op);
      for (int k = 0; k < n; ++k) {
        push_one(NodeId(node.operand(k)));
      }
      if (n > 0 || node.op == expr::Op::constant) {
        continue;
      }
      const Binding binding = bindings_.of(node);
      if (binding.kind == Binding::Kind::node) {
        push_one(NodeId(binding.value));
      } else if (binding.kind == Binding::Kind::input && binding.value > n_held) {
        const std::size_t block = block_of_input[binding.value];
        if (std::exchange(needed_[block], char{1}) == 0) {
          push(roots_of(blocks_[block]));
        }
      }
    }
    return std::move(needed_);
  }

 private:
  void push(std::span<const NodeId> nodes) {
    for (const NodeId node : nodes) {
      push_one(node);
    }
  }
  void push_one(NodeId node) {
    if (std::exchange(seen_[node.index()], char{1}) == 0) {
      stack_.push_back(node);
    }
  }

  const expr::Graph& graph_;
  std::span<const Block> blocks_;
  const LeafBindings& bindings_;
  std::vector<char> seen_;
  std::vector<char> needed_;
  std::vector<NodeId> stack_;
};

BlockPattern pattern_of(const Block& block) {
  std::vector<BlockPattern::Entry> entries;
  entries.reserve(block.matrix.size());
  for (const structure::MatrixEntry& entry : block.matrix) {
    entries.push_back({entry.row, entry.column});
  }
  return BlockPattern(static_cast<Index>(block.unknowns.size()), std::move(entries));
}

}  // namespace

SequenceCode::SequenceCode(const expr::Graph& graph, SequenceRequest request) : n_held_(request.n_held) {
  LeafBindings& bindings = request.bindings;
  for (std::size_t i = 0; i < request.states.size(); ++i) {
    bindings.bind_variable(request.states[i].variable, request.states[i].order,
                           {Binding::Kind::state, static_cast<std::uint32_t>(i)});
  }
  std::vector<std::size_t> block_of_input(1 + request.n_held, 0);  // time and held inputs are no unknowns
  std::vector<std::uint32_t> first_input(request.blocks.size(), 0);
  for (std::size_t i = 0; i < request.blocks.size(); ++i) {
    const Block& block = request.blocks[i];
    if (block.kind == Block::Kind::explicit_formula) {
      bindings.bind_variable(block.unknowns[0].variable, block.unknowns[0].order,
                             {Binding::Kind::node, block.formula.value()});
      continue;
    }
    first_input[i] = static_cast<std::uint32_t>(block_of_input.size());
    for (const Unknown& unknown : block.unknowns) {
      bindings.bind_variable(unknown.variable, unknown.order,
                             {Binding::Kind::input, static_cast<std::uint32_t>(block_of_input.size())});
      block_of_input.push_back(i);
    }
  }
  const std::vector<char> needed =
      NeededBlocks(graph, request.blocks, bindings).find(request.outputs, block_of_input, n_held_);

  only_solves_ = std::all_of(request.outputs.begin(), request.outputs.end(), [&](NodeId output) {
    const expr::Node& node = graph[output];
    const Binding binding = node.op == expr::Op::variable ? bindings.of(node) : Binding{};
    return binding.kind == Binding::Kind::input && binding.value > n_held_;
  });

  ProgramRequest compile{.n_states = static_cast<std::uint32_t>(request.states.size()),
                         .n_inputs = static_cast<std::uint32_t>(block_of_input.size()),
                         .n_held = request.n_held,
                         .n_parameters = static_cast<std::uint32_t>(request.n_frozen_inputs),
                         .parts = {}};
  for (std::size_t i = 0; i < request.blocks.size(); ++i) {
    if (needed[i] == 0) {
      continue;
    }
    const Block& block = request.blocks[i];
    Implicit& implicit = implicit_.emplace_back();
    implicit.linear = block.kind == Block::Kind::linear;
    implicit.is_singular = block.is_singular;
    implicit.block = i;
    implicit.part = 2 * compile.parts.size() + 1;
    implicit.first_input = first_input[i];
    implicit.unknowns = block.unknowns;
    implicit.pattern = std::make_unique<const BlockPattern>(pattern_of(block));
    PartRequest& part = compile.parts.emplace_back(PartRequest{.roots = roots_of(block)});
    for (std::uint32_t k = 0; !implicit.linear && k < block.unknowns.size(); ++k) {
      part.iterated_inputs.push_back(first_input[i] + k);
    }
  }
  compile.parts.push_back({.roots = {request.outputs.begin(), request.outputs.end()}});
  program_ = compile_program(graph, bindings, compile);
  has_kinks_ = std::any_of(program_.code.begin(), program_.code.end(),
                           [](const Instruction& instruction) { return is_kink(instruction.op); });
}

bool SequenceCode::iterates() const {
  return std::any_of(implicit_.begin(), implicit_.end(), [](const Implicit& block) { return !block.linear; });
}

BlockSequence::BlockSequence(std::shared_ptr<const SequenceCode> code, std::span<const double> frozen_inputs)
    : code_(std::move(code)), frozen_(freeze(code_->program(), frozen_inputs)) {
  if (code_->implicit_blocks().empty()) {
    frozen_wide_ = replicate(frozen_, kLanes);
  }
}

struct SequenceRunner::Solver {
  std::optional<LinearBlockSolver> linear;
  std::optional<NewtonBlockSolver> newton;
  std::vector<double> work;  // outputs of the block's part
  std::vector<double> solution;
  std::vector<double> kept;  // of an accepted point; empty for linear blocks, which do not iterate

  void fields(Archive& a) { a(linear, newton, work, solution, kept); }
};

void SequenceRunner::fields(Archive& a) {
  // Not saved: of the sequence last_part_, indices_, has_blocks_; store_ and adds_to_store_; of the start search_ and other_solutions_.
  a(held_changed_, wide_held_changed_, registers_, wide_registers_, point_, point_outputs_);
  for (Solver& solver : solvers_) {
    a(solver);
  }
}

namespace {

// The place of a block's first unknown in a guess: input registers are numbered over all implicit blocks of the request,
// after time and the held inputs.
std::size_t place_in_guess(const BlockSequence& sequence, const BlockSequence::Implicit& block) {
  return block.first_input - 1 - sequence.n_held();
}

bool take_guess(const BlockSequence& sequence, const BlockSequence::Implicit& block,
                std::span<const double> guess, std::span<double> solution) {
  bool has_taken_all = true;
  for (std::size_t k = 0; k < solution.size(); ++k) {
    const std::size_t place = place_in_guess(sequence, block) + k;
    if (place < guess.size() && std::isfinite(guess[place])) {
      solution[k] = guess[place];
    } else {
      has_taken_all = false;
    }
  }
  return has_taken_all;
}

}  // namespace

SequenceRunner::SequenceRunner(const BlockSequence& sequence, std::span<const double> guess)
    : sequence_(sequence),
      last_part_(code_of(sequence.program(), sequence.program().parts.size() - 1)),
      indices_(sequence.program().indices.data()),
      has_blocks_(!sequence.implicit_blocks().empty()),
      registers_(sequence.program().n_registers),
      wide_registers_(sequence.implicit_blocks().empty() ? sequence.program().n_registers * kLanes : 0),
      point_(sequence.implicit_blocks().empty() ? 0 : sequence.program().n_states),
      point_outputs_(sequence.implicit_blocks().empty() ? 0 : sequence.program().parts.back().n_outputs) {
  solvers_.resize(sequence.implicit_blocks().size());
  for (std::size_t i = 0; i < solvers_.size(); ++i) {
    const BlockSequence::Implicit& block = sequence.implicit_blocks()[i];
    solvers_[i].work.resize(block.pattern->entries.size() + static_cast<std::size_t>(block.pattern->n));
    solvers_[i].solution.assign(sequence.guesses(i).begin(), sequence.guesses(i).end());
    take_guess(sequence, block, guess, solvers_[i].solution);
    if (block.linear) {
      solvers_[i].linear.emplace(*block.pattern, sequence_.nominals(i));
    } else {
      solvers_[i].newton.emplace(
          *block.pattern, solvers_[i].solution,
          std::vector<double>(sequence.nominals(i).begin(), sequence.nominals(i).end()));
      solvers_[i].kept = solvers_[i].solution;
    }
  }
}

SequenceRunner::~SequenceRunner() = default;

void SequenceRunner::keep_solutions() {
  for (Solver& solver : solvers_) {
    std::copy_n(solver.solution.begin(), solver.kept.size(), solver.kept.begin());
  }
}

void SequenceRunner::restore_solutions() {
  for (Solver& solver : solvers_) {
    std::copy(solver.kept.begin(), solver.kept.end(), solver.solution.begin());
  }
}

void SequenceRunner::copy_solutions(std::span<double> guess) const {
  for (std::size_t i = 0; i < solvers_.size(); ++i) {
    const std::size_t place = place_in_guess(sequence_, sequence_.implicit_blocks()[i]);
    if (place + solvers_[i].solution.size() <= guess.size()) {
      std::copy(solvers_[i].solution.begin(), solvers_[i].solution.end(),
                guess.begin() + static_cast<std::ptrdiff_t>(place));
    }
  }
}

bool SequenceRunner::set_solutions(std::span<const double> guess) {
  bool has_taken_all = true;
  for (std::size_t i = 0; i < solvers_.size(); ++i) {
    const BlockSequence::Implicit& block = sequence_.implicit_blocks()[i];
    has_taken_all =
        (take_guess(sequence_, block, guess, solvers_[i].solution) || block.linear) && has_taken_all;
  }
  return has_taken_all;
}

std::span<const double> SequenceRunner::solution(std::size_t implicit) const {
  return solvers_[implicit].solution;
}

void SequenceRunner::collect_solutions(std::span<std::span<const double>> by_block) const {
  for (std::size_t i = 0; i < solvers_.size(); ++i) {
    by_block[sequence_.implicit_blocks()[i].block] = solvers_[i].solution;
  }
}

namespace {

// The residual of a nonlinear block: its unknowns go to their registers, the part is run again.
class PartResidual final : public ResidualFunction {
 public:
  PartResidual(const SlabProgram& program, const BlockSequence::Implicit& block, Memory memory,
               std::span<double> work)
      : program_(program), block_(block), memory_(memory), work_(work) {
    memory_.outputs = work.data();
  }

  void evaluate(std::span<const double> z, std::span<double> residual, std::span<double> entries) override {
    std::copy(z.begin(), z.end(), memory_.registers + block_.first_input);
    run_part(program_, block_.part, memory_);
    std::copy_n(work_.begin(), residual.size(), residual.begin());
    std::copy_n(work_.begin() + static_cast<std::ptrdiff_t>(residual.size()), entries.size(),
                entries.begin());
  }

 private:
  const SlabProgram& program_;
  const BlockSequence::Implicit& block_;
  Memory memory_;
  std::span<double> work_;
};

system::Evaluation evaluation_of(BlockStatus status, std::size_t block) {
  using Status = system::Evaluation::Status;
  switch (status) {
    case BlockStatus::ok: return {};
    case BlockStatus::singular: return {Status::singular_block, static_cast<Index>(block)};
    default: return {Status::no_convergence, static_cast<Index>(block)};
  }
}

}  // namespace

// The solution at a point of the store, if it is there.
bool SequenceRunner::recall(std::size_t index, std::size_t point) {
  if (point == SolutionStore::kNone) {
    return false;
  }
  const BlockSequence::Implicit& block = sequence_.implicit_blocks()[index];
  const std::span<const double> known = store_->known(point, block.block);
  std::copy(known.begin(), known.end(), solvers_[index].solution.begin());
  std::copy(known.begin(), known.end(), registers_.data() + block.first_input);
  return !known.empty();
}

bool SequenceRunner::recall_all(std::size_t point) {
  for (std::size_t i = 0; i < solvers_.size(); ++i) {
    if (!recall(i, point)) {
      return false;
    }
  }
  return true;
}

// What `newton` has not found from the guess, or found from elsewhere.
BlockStatus SequenceRunner::search(std::size_t index, ResidualFunction& residual, BlockStatus status,
                                   std::span<const double> guess) {
  const BlockSequence::Implicit& block = sequence_.implicit_blocks()[index];
  Solver& solver = solvers_[index];
  if (status != BlockStatus::ok) {
    const bool is_found = search_ == Search::homotopy &&
                          BlockHomotopy(*block.pattern, sequence_.nominals(index), *solver.newton, residual)
                              .solve(solver.solution);
    if (!is_found) {
      return status;
    }
  } else if (solver.newton->has_begun_at_guess()) {
    return status;
  }
  std::vector<double> other(guess.size());
  for (std::size_t i = 0; i < other.size(); ++i) {
    other[i] = 2.0 * guess[i] - solver.solution[i];
  }
  if (solver.newton->solve_from(residual, other) == BlockStatus::ok) {
    for (std::size_t i = 0; i < other.size(); ++i) {
      const double size = std::max(std::abs(other[i]), sequence_.nominals(index)[i]);
      if (std::abs(other[i] - solver.solution[i]) > kOtherSolution * size) {
        other_solutions_.push_back({block.block, solver.solution, std::move(other)});
        break;
      }
    }
  }
  return BlockStatus::ok;
}

// Later parts use what the parts of a block compute without its unknowns: these are run in any case.
system::Evaluation SequenceRunner::solve_block(std::size_t index, const double* x, std::size_t point) {
  const BlockSequence::Implicit& block = sequence_.implicit_blocks()[index];
  if (block.is_singular) {
    return evaluation_of(BlockStatus::singular, block.block);
  }
  Solver& solver = solvers_[index];
  Memory memory{registers_.data(), x, solver.work.data(), sequence_.frozen().data()};
  run_part(sequence_.program(), block.part - 1, memory);
  if (block.linear) {
    run_part(sequence_.program(), block.part, memory);
  }
  if (recall(index, point)) {
    return {};
  }
  BlockStatus status = BlockStatus::ok;
  if (block.linear) {
    const std::size_t n_entries = block.pattern->entries.size();
    const std::span<const double> work(solver.work);
    status = solver.linear->solve(work.first(n_entries), work.subspan(n_entries), solver.solution);
  } else {
    PartResidual residual(sequence_.program(), block, memory, solver.work);
    if (search_ == Search::guess) {
      status = solver.newton->solve(residual, solver.solution);
    } else {
      const std::vector<double> guess = solver.solution;
      status = solver.newton->solve(residual, solver.solution);
      status = search(index, residual, status, guess);
    }
  }
  std::copy(solver.solution.begin(), solver.solution.end(), registers_.data() + block.first_input);
  if (status == BlockStatus::ok && point != SolutionStore::kNone && adds_to_store_) {
    store_->keep(point, block.block, solver.solution);
  }
  return evaluation_of(status, block.block);
}

system::Evaluation SequenceRunner::solve_blocks(const double* x) {
  if (search_ != Search::guess) {
    other_solutions_.clear();
  }
  const std::size_t point = store_ == nullptr ? SolutionStore::kNone
                            : adds_to_store_  ? store_->find_or_add(registers_[0], x)
                                              : store_->find(registers_[0], x);
  if (sequence_.code().only_solves() && recall_all(point)) {
    return {};
  }
  for (std::size_t i = 0; i < solvers_.size(); ++i) {
    if (const system::Evaluation evaluation = solve_block(i, x, point); !evaluation.ok()) {
      return evaluation;
    }
  }
  return {};
}

void SequenceRunner::run_held_code() {
  held_changed_ = false;
  const SlabProgram& program = sequence_.program();
  run_code(program.held_code, program.indices.data(),
           {registers_.data(), nullptr, nullptr, sequence_.frozen().data()});
}

void SequenceRunner::run_held_code_wide() {
  wide_held_changed_ = false;
  double* wide = wide_registers_.data() + kLanes;
  for (const double value : held()) {
    wide = std::fill_n(wide, kLanes, value);
  }
  const SlabProgram& program = sequence_.program();
  run_code_wide(program.held_code, program.indices.data(),
                {wide_registers_.data(), nullptr, nullptr, sequence_.frozen_wide().data()});
}

system::Evaluation SequenceRunner::run_wide(const double* t, const double* x, double* outputs) {
  if (!solvers_.empty()) {
    return run_lanes(t, x, outputs);
  }
  std::copy_n(t, kLanes, wide_registers_.data());
  const SlabProgram& program = sequence_.program();
  if (wide_held_changed_) {
    run_held_code_wide();
  }
  run_part_wide(program, program.parts.size() - 1,
                {wide_registers_.data(), x, outputs, sequence_.frozen_wide().data()});
  return {};
}

system::Evaluation SequenceRunner::run_lanes(const double* t, const double* x, double* outputs) {
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    for (std::size_t i = 0; i < point_.size(); ++i) {
      point_[i] = x[i * kLanes + lane];
    }
    if (const system::Evaluation evaluation = run(t[lane], point_.data(), point_outputs_.data());
        !evaluation.ok()) {
      return evaluation;
    }
    for (std::size_t i = 0; i < point_outputs_.size(); ++i) {
      outputs[i * kLanes + lane] = point_outputs_[i];
    }
  }
  return {};
}

}  // namespace saltus::program
