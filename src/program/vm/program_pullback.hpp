/// A slab program with everything that a way back over it needs: registers, what was overwritten, cotangents, and what falls to parameters.
///
/// Method       pullback_interpreter.hpp. What falls to the frozen space stays there until somebody asks for parameters: the share is its
///              numbers that depend on parameters, and the prologue is passed backwards once for all shares (to_parameters()).
/// Contract     the caller writes inputs (registers 0 to n_inputs-1), runs held code and parts in their order, and goes back over the same
///              parts in the opposite order. After that cotangents of inputs, states and the frozen space are there to be read, until clear().
///              Constants, what is computed from them alone, and parameters that the code does not read (zero_parameters.hpp) are in no share.
///              No allocation after construction.
/// Checked by   tests/unit/program/pullback_interpreter_test.cpp, tests/unit/program/sequence_pullback_test.cpp
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/ids.hpp"
#include "program/vm/aligned_buffer.hpp"
#include "program/vm/pullback_interpreter.hpp"

namespace saltus::program {

class ProgramPullback {
 public:
  /// `frozen`: the frozen space of the program; both must outlive the object.
  ProgramPullback(const SlabProgram& program, std::span<const double> frozen,
                  std::span<const ParameterId> zeros);

  [[nodiscard]] std::span<double> inputs() { return registers_.span().first(program_.n_inputs); }
  [[nodiscard]] std::span<double> input_cotangents() { return cotangents_.span().first(program_.n_inputs); }
  [[nodiscard]] std::span<const double> state_cotangents() const { return states_; }

  void run_held();
  void run(std::size_t part, const double* states, double* outputs);
  /// Cotangents of the outputs are zero afterwards.
  void pull(std::size_t part, const double* states, double* outputs, double* output_cotangents);
  void pull_held();

  /// Whether all numbers of the share are, as the way back has left them.
  [[nodiscard]] bool has_finite_share() const;
  [[nodiscard]] std::size_t share_size() const { return shared_.size(); }
  void add_share(std::span<double> share) const;
  /// No cotangent of inputs, states and the frozen space is left; after a way back that was broken off, of none.
  void clear(bool is_broken_off = false);

  void to_parameters(std::span<const double> share, std::span<double> parameters);

 private:
  void find_shared(std::span<const ParameterId> zeros);
  [[nodiscard]] PullbackMemory memory(const double* states, double* outputs, double* output_cotangents);

  const SlabProgram& program_;
  std::span<const double> frozen_values_;
  SavePlan plan_;
  AlignedBuffer registers_;
  AlignedBuffer cotangents_;
  std::vector<double> stack_;
  std::vector<double> states_;         // cotangents of the states …
  std::vector<double> frozen_;         // … and of the frozen space
  std::vector<std::uint32_t> shared_;  // offsets in the frozen space
  std::vector<double> prologue_;       // cotangents of the frozen space on the way to parameters
};

}  // namespace saltus::program
