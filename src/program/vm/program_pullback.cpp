#include "program/vm/program_pullback.hpp"

#include <algorithm>
#include <cmath>

#include "program/vm/operation_slopes.hpp"
#include "saltus/contract.hpp"

namespace saltus::program {
namespace {

bool rests_everywhere(SlabOp op) {
  switch (op) {
#define SALTUS_REST(name) case SlabOp::name:
    SALTUS_RESTING(SALTUS_REST)
#undef SALTUS_REST
    return true;
    default: return false;
  }
}

}  // namespace

ProgramPullback::ProgramPullback(const SlabProgram& program, std::span<const double> frozen,
                                 std::span<const ParameterId> zeros)
    : program_(program),
      frozen_values_(frozen),
      plan_(program),
      registers_(program.n_registers),
      cotangents_(program.n_registers),
      stack_(plan_.stack_size),
      states_(program.n_states),
      frozen_(program.n_frozen),
      prologue_(program.n_frozen) {
  SALTUS_EXPECT(frozen.size() == program.n_frozen, "the frozen space of the program");
  find_shared(zeros);
}

// By way of the prologue: what has an operand that moves with parameters moves with them, unless the operation rests.
void ProgramPullback::find_shared(std::span<const ParameterId> zeros) {
  std::vector<char> moves(program_.n_frozen, 0);
  std::fill_n(moves.begin(), program_.n_parameters, char{1});
  for (const ParameterId zero : zeros) {
    moves[zero.index()] = 0;
  }
  for (const Instruction& i : program_.prologue) {
    const auto element = [&](int operand, std::uint32_t k) {
      const auto step = std::int64_t{i.strides[operand]};
      return moves[static_cast<std::size_t>(std::int64_t{i.operands[operand].offset()} + k * step)] != 0;
    };
    for (std::uint32_t k = 0; k < i.length; ++k) {
      bool is_moved = false;
      if (i.op == SlabOp::gather) {
        is_moved = moves[i.operands[0].offset() + program_.indices[i.operands[1].code() + k]] != 0;
      } else if (!rests_everywhere(i.op)) {
        for (int operand = i.op == SlabOp::select ? 1 : 0; operand < n_operands(i.op); ++operand) {
          is_moved = is_moved || element(operand, k);
        }
      }
      moves[i.destination.offset() + k] = is_moved ? 1 : 0;
    }
  }
  for (std::uint32_t offset = 0; offset < moves.size(); ++offset) {
    if (moves[offset] != 0) {
      shared_.push_back(offset);
    }
  }
}

PullbackMemory ProgramPullback::memory(const double* states, double* outputs, double* output_cotangents) {
  return {{registers_.data(), states, outputs, frozen_values_.data()},
          {cotangents_.data(), states_.data(), output_cotangents, frozen_.data()}};
}

void ProgramPullback::run_held() {
  run_code_saving(program_.held_code, program_.indices.data(), memory(nullptr, nullptr, nullptr).values,
                  plan_.held_code.data(), stack_.data());
}

void ProgramPullback::run(std::size_t part, const double* states, double* outputs) {
  run_code_saving(code_of(program_, part), program_.indices.data(), memory(states, outputs, nullptr).values,
                  plan_.code.data() + program_.parts[part].begin, stack_.data());
}

void ProgramPullback::pull(std::size_t part, const double* states, double* outputs,
                           double* output_cotangents) {
  pull_code(code_of(program_, part), program_.indices.data(), memory(states, outputs, output_cotangents),
            plan_.code.data() + program_.parts[part].begin, stack_.data());
}

void ProgramPullback::pull_held() {
  pull_code(program_.held_code, program_.indices.data(), memory(nullptr, nullptr, nullptr),
            plan_.held_code.data(), stack_.data());
}

bool ProgramPullback::has_finite_share() const {
  return std::all_of(shared_.begin(), shared_.end(),
                     [this](std::uint32_t offset) { return std::isfinite(frozen_[offset]); });
}

void ProgramPullback::add_share(std::span<double> share) const {
  SALTUS_EXPECT(share.size() == shared_.size(), "a share of this object");
  for (std::size_t k = 0; k < shared_.size(); ++k) {
    share[k] += frozen_[shared_[k]];
  }
}

void ProgramPullback::clear(bool is_broken_off) {
  std::fill_n(cotangents_.data(), is_broken_off ? cotangents_.size() : program_.n_inputs, 0.0);
  std::fill(states_.begin(), states_.end(), 0.0);
  std::fill(frozen_.begin(), frozen_.end(), 0.0);
}

void ProgramPullback::to_parameters(std::span<const double> share, std::span<double> parameters) {
  SALTUS_EXPECT(share.size() == shared_.size() && parameters.size() <= program_.n_parameters,
                "a share of this object, and the parameters of its model");
  std::fill(prologue_.begin(), prologue_.end(), 0.0);
  for (std::size_t k = 0; k < shared_.size(); ++k) {
    prologue_[shared_[k]] = share[k];
  }
  pull_code(
      program_.prologue, program_.indices.data(),
      {{nullptr, nullptr, nullptr, frozen_values_.data()}, {nullptr, nullptr, nullptr, prologue_.data()}},
      nullptr, nullptr);
  for (const std::uint32_t offset : shared_) {
    if (offset < parameters.size()) {
      parameters[offset] += prologue_[offset];
    }
  }
}

}  // namespace saltus::program
