#include "program/blocks/sequence_pullback.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "saltus/contract.hpp"

namespace saltus::program {

SequencePullback::SequencePullback(const BlockSequence& sequence, std::span<const ParameterId> zeros)
    : sequence_(sequence),
      program_(sequence.program(), sequence.frozen(), zeros),
      outputs_(sequence.program().parts.back().n_outputs),
      output_cotangents_(outputs_.size()) {
  blocks_.reserve(sequence.implicit_blocks().size());
  for (std::size_t i = 0; i < sequence.implicit_blocks().size(); ++i) {
    const BlockSequence::Implicit& implicit = sequence.implicit_blocks()[i];
    const auto n = static_cast<std::size_t>(implicit.pattern->n);
    const std::size_t n_outputs = implicit.pattern->entries.size() + n;
    blocks_.push_back({.solver = LinearBlockSolver(*implicit.pattern, sequence.nominals(i)),
                       .work = std::vector<double>(n_outputs),
                       .work_cotangents = std::vector<double>(n_outputs),
                       .right_side = std::vector<double>(n),
                       .solution = std::vector<double>(n)});
  }
}

system::Evaluation SequencePullback::run(const SequenceRunner& runner, double t, const double* x,
                                         std::span<const double> weights) {
  SALTUS_EXPECT(weights.size() == outputs_.size(), "a weight for every output");
  program_.clear(std::exchange(is_broken_off_, true));
  const std::span<const double> held = runner.held();
  program_.inputs()[0] = t;
  std::copy(held.begin(), held.end(), program_.inputs().begin() + 1);
  program_.run_held();
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    run_block(runner, i, x);
  }
  const std::size_t last_part = sequence_.program().parts.size() - 1;
  program_.run(last_part, x, outputs_.data());
  std::copy(weights.begin(), weights.end(), output_cotangents_.begin());
  program_.pull(last_part, x, outputs_.data(), output_cotangents_.data());
  for (std::size_t i = blocks_.size(); i-- > 0;) {
    if (const system::Evaluation evaluation = pull_block(runner, i, x); !evaluation.ok()) {
      return evaluation;
    }
  }
  program_.pull_held();
  is_broken_off_ = false;
  return {};
}

void SequencePullback::run_block(const SequenceRunner& runner, std::size_t index, const double* x) {
  const BlockSequence::Implicit& implicit = sequence_.implicit_blocks()[index];
  const std::span<const double> z = runner.solution(index);
  std::copy(z.begin(), z.end(), program_.inputs().begin() + implicit.first_input);
  program_.run(implicit.part - 1, x, nullptr);
  program_.run(implicit.part, x, blocks_[index].work.data());
}

// Parts give first the entries, then the right side; or first the residual, then the entries, which no result depends on.
void SequencePullback::weigh_part(const BlockSequence::Implicit& implicit, std::span<const double> z,
                                  Block& block) const {
  const std::vector<BlockPattern::Entry>& entries = implicit.pattern->entries;
  const std::span<const double> w = block.solution;
  const auto n = static_cast<std::ptrdiff_t>(z.size());
  if (!implicit.linear) {
    std::transform(w.begin(), w.end(), block.work_cotangents.begin(), [](double value) { return -value; });
    std::fill(block.work_cotangents.begin() + n, block.work_cotangents.end(), 0.0);
    return;
  }
  for (std::size_t e = 0; e < entries.size(); ++e) {
    block.work_cotangents[e] =
        -w[static_cast<std::size_t>(entries[e].row)] * z[static_cast<std::size_t>(entries[e].column)];
  }
  std::copy(w.begin(), w.end(), block.work_cotangents.end() - n);
}

system::Evaluation SequencePullback::pull_block(const SequenceRunner& runner, std::size_t index,
                                                const double* x) {
  const BlockSequence::Implicit& implicit = sequence_.implicit_blocks()[index];
  Block& block = blocks_[index];
  const std::span<const double> z = runner.solution(index);
  const std::span<const double> pulled = program_.input_cotangents().subspan(implicit.first_input, z.size());
  const bool is_asked_for =
      std::any_of(pulled.begin(), pulled.end(), [](double cotangent) { return cotangent != 0.0; });
  std::fill(block.work_cotangents.begin(), block.work_cotangents.end(), 0.0);
  if (is_asked_for) {
    std::copy(pulled.begin(), pulled.end(), block.right_side.begin());
    const std::span<const double> entries =
        std::span<const double>(block.work)
            .subspan(implicit.linear ? 0 : z.size(), implicit.pattern->entries.size());
    const BlockStatus status = block.solver.solve_transposed(entries, block.right_side, block.solution);
    if (status == BlockStatus::singular) {
      return {system::Evaluation::Status::singular_block, static_cast<Index>(implicit.block)};
    }
    if (status != BlockStatus::ok) {
      std::fill(block.solution.begin(), block.solution.end(), std::numeric_limits<double>::quiet_NaN());
    }
    weigh_part(implicit, z, block);
  }
  program_.pull(implicit.part, x, block.work.data(), block.work_cotangents.data());
  // What the part of the block adds to z̄ nobody reads: of z itself everything has been said by w.
  program_.pull(implicit.part - 1, x, nullptr, nullptr);
  return {};
}

}  // namespace saltus::program
