#include "program/blocks/sequence_tangent.hpp"

#include <algorithm>
#include <cstring>

#include "saltus/contract.hpp"

namespace saltus::program {
namespace {

// Takes over what differs in a bit; whether something did.
bool replace(std::span<double> kept, std::span<const double> values) {
  if (std::memcmp(kept.data(), values.data(), values.size_bytes()) == 0) {
    return false;
  }
  std::copy(values.begin(), values.end(), kept.begin());
  return true;
}

}  // namespace

SequenceTangents::SequenceTangents(const BlockSequence& sequence, std::span<const double> frozen_tangents,
                                   std::size_t n_directions)
    : sequence_(sequence),
      n_directions_(n_directions),
      frozen_tangents_(freeze_tangents(sequence.program(), sequence.frozen(), frozen_tangents, n_directions)),
      registers_(sequence.program().n_registers),
      tangents_(sequence.program().n_registers * n_directions) {
  blocks_.reserve(sequence.implicit_blocks().size());
  for (std::size_t i = 0; i < sequence.implicit_blocks().size(); ++i) {
    const BlockSequence::Implicit& implicit = sequence.implicit_blocks()[i];
    const auto n = static_cast<std::size_t>(implicit.pattern->n);
    const std::size_t n_outputs = implicit.pattern->entries.size() + n;
    blocks_.push_back({.solver = LinearBlockSolver(*implicit.pattern, sequence.nominals(i)),
                       .work = std::vector<double>(n_outputs),
                       .work_tangents = std::vector<double>(n_outputs * n_directions),
                       .right_sides = std::vector<double>(n * n_directions)});
    blocks_.back().solver.reserve_rows(n_directions);
  }
}

void SequenceTangents::set_held(std::size_t i, std::span<const double> tangents) {
  SALTUS_EXPECT(i < sequence_.n_held() && tangents.size() == n_directions_, "no such held input");
  held_changed_ =
      replace(tangents_.span().subspan((1 + i) * n_directions_, n_directions_), tangents) || held_changed_;
}

void SequenceTangents::take_held(const SequenceRunner& runner) {
  held_changed_ = replace(registers_.span().subspan(1, sequence_.n_held()), runner.held()) || held_changed_;
  if (held_changed_) {
    held_changed_ = false;
    const SlabProgram& program = sequence_.program();
    run_code_tangents(program.held_code, program.indices.data(),
                      {{registers_.data(), nullptr, nullptr, sequence_.frozen().data()},
                       {tangents_.data(), nullptr, nullptr, frozen_tangents_.data()},
                       n_directions_});
  }
}

system::Evaluation SequenceTangents::run(const SequenceRunner& runner, double t, const double* x,
                                         const Motion& motion, double* outputs, double* tangents) {
  SALTUS_EXPECT(motion.time.size() == n_directions_, "time moves in every direction");
  take_held(runner);
  registers_[0] = t;
  std::copy(motion.time.begin(), motion.time.end(), tangents_.data());
  TangentMemory memory{{registers_.data(), x, outputs, sequence_.frozen().data()},
                       {tangents_.data(), motion.x, tangents, frozen_tangents_.data()},
                       n_directions_};
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    if (const system::Evaluation evaluation = pass_block(runner, i, memory); !evaluation.ok()) {
      return evaluation;
    }
  }
  run_part_tangents(sequence_.program(), sequence_.program().parts.size() - 1, memory);
  return {};
}

// Of A·dz = db - dA·z, or of J·dz = -dr. Parts give first the entries, then the right side; or first the residual, then the entries.
void SequenceTangents::find_right_sides(const BlockSequence::Implicit& implicit, std::span<const double> z,
                                        Block& block) const {
  const std::vector<BlockPattern::Entry>& entries = implicit.pattern->entries;
  const std::size_t first = implicit.linear ? entries.size() : 0;
  const double sign = implicit.linear ? 1.0 : -1.0;
  const double* const given = block.work_tangents.data() + first * n_directions_;
  for (std::size_t i = 0; i < block.right_sides.size(); ++i) {
    block.right_sides[i] = sign * given[i];
  }
  for (std::size_t e = 0; implicit.linear && e < entries.size(); ++e) {
    double* const to = block.right_sides.data() + static_cast<std::size_t>(entries[e].row) * n_directions_;
    const double* const entry = block.work_tangents.data() + e * n_directions_;
    const double factor = z[static_cast<std::size_t>(entries[e].column)];
    for (std::size_t k = 0; k < n_directions_; ++k) {
      to[k] -= entry[k] * factor;
    }
  }
}

system::Evaluation SequenceTangents::pass_block(const SequenceRunner& runner, std::size_t index,
                                                TangentMemory memory) {
  const BlockSequence::Implicit& implicit = sequence_.implicit_blocks()[index];
  Block& block = blocks_[index];
  const std::span<const double> z = runner.solution(index);
  memory.values.outputs = block.work.data();
  memory.tangents.outputs = block.work_tangents.data();
  // Its unknowns rest until their tangents are known.
  std::copy(z.begin(), z.end(), registers_.data() + implicit.first_input);
  double* const moved = tangents_.data() + implicit.first_input * n_directions_;
  std::fill_n(moved, z.size() * n_directions_, 0.0);
  run_part_tangents(sequence_.program(), implicit.part - 1, memory);
  run_part_tangents(sequence_.program(), implicit.part, memory);
  const std::size_t n_entries = implicit.pattern->entries.size();
  const std::span<const double> entries =
      std::span<const double>(block.work).subspan(implicit.linear ? 0 : z.size(), n_entries);
  find_right_sides(implicit, z, block);
  if (block.solver.solve_rows(entries, block.right_sides, {moved, z.size() * n_directions_}) !=
      BlockStatus::ok) {
    return {system::Evaluation::Status::singular_block, static_cast<Index>(implicit.block)};
  }
  return {};
}

}  // namespace saltus::program
