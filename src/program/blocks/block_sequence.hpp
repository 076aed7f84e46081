/// Blocks in order, compiled: everything that is needed to compute chosen quantities at (t, x).
///
/// Method       explicit formulas are bound to the leaves they define and so become part of the slabs that use them;
///              each implicit block that the outputs depend on gets a part for its matrix and right side (or residual)
///              and its unknowns input registers; a last part computes the outputs. Input registers are: time, the
///              held inputs, the unknowns of implicit blocks.
/// Contract     SequenceCode has no number of a parameter in it and serves all of them; BlockSequence is the code with
///              one set of them: parameters and what else is frozen, where iterations begin, sizes of unknowns. Both are
///              immutable and shared; SequenceRunner belongs to one thread and does not allocate in run().
/// Checked by   tests/unit/program/compiled_system_test.cpp
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/archive.hpp"
#include "program/blocks/block_solver.hpp"
#include "program/blocks/solution_store.hpp"
#include "program/vm/aligned_buffer.hpp"
#include "program/vm/interpreter.hpp"
#include "program/vm/leaf_bindings.hpp"
#include "structure/match/causalized.hpp"
#include "system/locked_dae.hpp"

namespace saltus::program {

/// Start and size of an unknown, for Newton's iteration.
struct UnknownScale {
  double guess = 0.0;
  double nominal = 1.0;
};

struct SequenceRequest {
  std::span<const structure::Block> blocks;
  std::span<const structure::Unknown> states;  ///< x, in this order
  std::span<const NodeId> outputs;
  /// How many numbers are frozen: parameters, and behind them what bindings place there.
  std::size_t n_frozen_inputs = 0;
  /// Of leaves that neither states nor blocks give: conditions, discrete values, values before.
  LeafBindings bindings;
  /// Input registers 1 … n_held are set from outside and keep their values from run to run (SequenceRunner::set_held);
  /// `bindings` say what they stand for.
  std::uint32_t n_held = 0;
};

class SequenceCode {
 public:
  SequenceCode(const expr::Graph& graph, SequenceRequest request);

  struct Implicit {
    bool linear = false;
    bool is_singular = false;       ///< by structure: there is nothing to solve for
    std::size_t block = 0;          ///< index in the request
    std::size_t part = 0;           ///< of the program; the one before it prepares
    std::uint32_t first_input = 0;  ///< registers of the unknowns
    std::vector<structure::Unknown> unknowns;
    std::unique_ptr<const BlockPattern> pattern;
  };

  [[nodiscard]] const SlabProgram& program() const { return program_; }
  [[nodiscard]] const std::vector<Implicit>& implicit_blocks() const { return implicit_; }
  [[nodiscard]] std::uint32_t n_held() const { return n_held_; }
  /// The outputs are unknowns of blocks and nothing else: where these are known no code is needed.
  [[nodiscard]] bool only_solves() const { return only_solves_; }
  /// Whether some block is solved by iterations, which need a place to begin.
  [[nodiscard]] bool iterates() const;
  /// Operations with kinks or jumps (abs, max, relations, …) of what changes in time; conditions are held inputs and none of them.
  [[nodiscard]] bool has_kinks() const { return has_kinks_; }

 private:
  SlabProgram program_;
  std::uint32_t n_held_ = 0;
  bool only_solves_ = false;
  bool has_kinks_ = false;
  std::vector<Implicit> implicit_;
};

class BlockSequence {
 public:
  using Implicit = SequenceCode::Implicit;

  /// `scale_of` is asked for every unknown of an implicit block that is needed.
  template <class ScaleOf>
  BlockSequence(std::shared_ptr<const SequenceCode> code, std::span<const double> frozen_inputs,
                ScaleOf scale_of)
      : BlockSequence(std::move(code), frozen_inputs) {
    for (const Implicit& block : code_->implicit_blocks()) {
      Numbers& numbers = numbers_.emplace_back();
      for (const structure::Unknown& unknown : block.unknowns) {
        const UnknownScale scale = scale_of(unknown);
        numbers.guesses.push_back(scale.guess);
        numbers.nominals.push_back(scale.nominal);
      }
    }
  }

  [[nodiscard]] const SequenceCode& code() const { return *code_; }
  [[nodiscard]] const SlabProgram& program() const { return code_->program(); }
  [[nodiscard]] const std::vector<Implicit>& implicit_blocks() const { return code_->implicit_blocks(); }
  [[nodiscard]] std::uint32_t n_held() const { return code_->n_held(); }
  [[nodiscard]] const std::vector<double>& frozen() const { return frozen_; }
  [[nodiscard]] const std::vector<double>& frozen_wide() const { return frozen_wide_; }
  /// Of the unknowns of implicit_blocks()[i].
  [[nodiscard]] std::span<const double> guesses(std::size_t i) const { return numbers_[i].guesses; }
  [[nodiscard]] std::span<const double> nominals(std::size_t i) const { return numbers_[i].nominals; }

 private:
  struct Numbers {
    std::vector<double> guesses;
    std::vector<double> nominals;
  };
  BlockSequence(std::shared_ptr<const SequenceCode> code, std::span<const double> frozen_inputs);

  std::shared_ptr<const SequenceCode> code_;
  std::vector<double> frozen_;
  std::vector<double> frozen_wide_;  // empty when there are implicit blocks: they are solved point by point
  std::vector<Numbers> numbers_;     // by implicit block
};

/// Runs a sequence; holds registers and the last solutions of implicit blocks.
class SequenceRunner {
 public:
  /// `guess`: for the unknowns of all implicit blocks of the request, in their order; where it is not finite, or empty,
  /// the guesses of the sequence take its place.
  explicit SequenceRunner(const BlockSequence& sequence, std::span<const double> guess = {});
  SequenceRunner(const SequenceRunner&) = delete;
  SequenceRunner& operator=(const SequenceRunner&) = delete;
  ~SequenceRunner();

  /// Blocks at points that the store knows are not solved; what is solved goes there, if the sequence is one that `adds`.
  void share(SolutionStore& store, bool adds) {
    store_ = &store;
    adds_to_store_ = adds;
  }

  /// For the start of a run. `newton`: where Newton's method does not arrive from the guess, the solution that it finds from points
  /// beside it is compared with what lies opposite (OtherSolution). `homotopy`: and where it does not arrive from these either, block_homotopy.hpp.
  enum class Search : std::uint8_t { guess, newton, homotopy };
  void set_search(Search search) { search_ = search; }
  /// Of a block that has several: which one was taken is a choice.
  struct OtherSolution {
    std::size_t block = 0;
    std::vector<double> taken;
    std::vector<double> other;
  };
  /// Of the last run.
  [[nodiscard]] const std::vector<OtherSolution>& other_solutions() const { return other_solutions_; }

  /// Sets held input i, counted from 0; zero until then.
  void set_held(std::size_t i, double value) {
    if (std::bit_cast<std::uint64_t>(registers_[1 + i]) == std::bit_cast<std::uint64_t>(value)) {
      return;
    }
    registers_[1 + i] = value;
    held_changed_ = true;
    wide_held_changed_ = true;
  }
  /// Held inputs from 0 to n_held-1.
  [[nodiscard]] std::span<const double> held() const { return {registers_.data() + 1, sequence_.n_held()}; }

  /// Failure of a block is reported with the block's index; values that are not finite are left to the caller.
  [[nodiscard]] system::Evaluation run(double t, const double* x, double* outputs) {
    registers_[0] = t;
    if (held_changed_) {
      run_held_code();
    }
    if (has_blocks_) {
      if (const system::Evaluation evaluation = solve_blocks(x); !evaluation.ok()) {
        return evaluation;
      }
    }
    run_code(last_part_, indices_, {registers_.data(), x, outputs, sequence_.frozen().data()});
    return {};
  }
  /// At kLanes points: t[point], x [state][point], outputs [output][point].
  [[nodiscard]] system::Evaluation run_wide(const double* t, const double* x, double* outputs);

  /// Makes the last solutions those that restore_solutions() goes back to; at first these are the guesses.
  void keep_solutions();
  void restore_solutions();
  /// The last solutions in the order of `guess` of the constructor; places of blocks that are not run are left alone.
  void copy_solutions(std::span<double> guess) const;
  /// The next iterations begin here; values that are not finite are not taken. Whether all that is iterated for was taken.
  bool set_solutions(std::span<const double> guess);
  /// The last solution of an implicit block of the sequence.
  [[nodiscard]] std::span<const double> solution(std::size_t implicit) const;
  /// The last solutions, each at the index of its block in the request; others are left alone.
  void collect_solutions(std::span<std::span<const double>> by_block) const;

  void fields(Archive& a);

 private:
  struct Solver;
  void run_held_code();
  void run_held_code_wide();
  [[nodiscard]] system::Evaluation solve_block(std::size_t index, const double* x, std::size_t point);
  [[nodiscard]] BlockStatus search(std::size_t index, ResidualFunction& residual, BlockStatus status,
                                   std::span<const double> guess);
  [[nodiscard]] bool recall(std::size_t index, std::size_t point);
  [[nodiscard]] bool recall_all(std::size_t point);
  [[nodiscard]] system::Evaluation solve_blocks(const double* x);
  [[nodiscard]] system::Evaluation run_lanes(const double* t, const double* x, double* outputs);

  const BlockSequence& sequence_;
  std::span<const Instruction> last_part_;
  const std::uint32_t* indices_;
  SolutionStore* store_ = nullptr;
  bool adds_to_store_ = false;
  bool has_blocks_;
  bool held_changed_ = true;       // since the held code was run, …
  bool wide_held_changed_ = true;  // … for kLanes points
  AlignedBuffer registers_;
  AlignedBuffer wide_registers_;
  std::vector<double> point_;  // one point of a wide run with implicit blocks
  std::vector<double> point_outputs_;
  std::vector<Solver> solvers_;
  Search search_ = Search::guess;
  std::vector<OtherSolution> other_solutions_;
};

}  // namespace saltus::program
