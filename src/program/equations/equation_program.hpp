/// Equations over slots (system/equation_set.hpp), compiled.
///
/// Problem      rows r(t, s) = 0 given as nodes, slots s given as leaves of the graph: values and sparse ∂r/∂s.
/// Method       the Jacobian is symbolic and sparse (expr/jacobian.hpp); residual and entries are one slab program each, over
///              the slots as states, with conditions and discrete values as held inputs.
/// Contract     EquationProgram is immutable and shared; its runners do not allocate after construction. Every leaf below a
///              row is a slot or bound by the request. Entries that are zero by structure are not in the pattern.
/// Choices      two programs, not two parts of one: simplified Newton asks for many residuals and few Jacobians, and a
///              residual that need not keep values for the entries has a smaller working set. Entries are computed in
///              an order in which alike entries of neighbouring rows stand together, which compiles to long slabs, and put
///              in their places afterwards.
/// Cost         linear in the nodes of rows and entries, in time and in memory.
/// Checked by   tests/unit/program/equation_program_test.cpp
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "expr/jacobian.hpp"
#include "program/equations/held_inputs.hpp"
#include "program/guards/condition_inputs.hpp"
#include "program/vm/leaf_bindings.hpp"
#include "program/vm/slab_program.hpp"
#include "structure/match/causalized.hpp"
#include "system/equation_set.hpp"

namespace saltus::program {

struct EquationRequest {
  std::vector<NodeId> rows;
  /// As many; asked for once, when somebody wants to read them. No reference to what the request does not own.
  std::function<std::vector<system::RowInfo>()> describe_rows;
  std::vector<structure::Unknown> slots;  ///< the leaves that they are
  /// ∂row/∂slot where it is known already, without zeros; none: found by differentiation.
  std::optional<expr::SparseJacobian> jacobian = {};
  std::vector<system::SlotInfo> slot_infos;
  std::span<const double> frozen_inputs;  ///< as for SequenceRequest
  LeafBindings bindings;                  ///< of conditions and discrete values
  std::vector<double> discrete;           ///< discrete values until a configuration is set
  /// The conditions of the model; `owner` keeps them alive.
  const ConditionInputs* conditions = nullptr;
  std::shared_ptr<const void> owner;
  /// Which rows contain conditions over which guard is to be known (EquationSet::rows_over).
  bool finds_rows_of_guards = false;
  /// Of a residual form: the last slots are the derivatives of as many first ones (EquationSet::nonlinear_derivatives).
  std::size_t n_derivatives = 0;
};

class EquationProgram final : public system::EquationSet {
 public:
  /// The graph grows.
  EquationProgram(expr::Graph& graph, EquationRequest request);

  [[nodiscard]] const std::vector<system::SlotInfo>& slots() const override { return slots_; }
  [[nodiscard]] const std::vector<system::RowInfo>& rows() const override;
  [[nodiscard]] const system::RectangularPattern& pattern() const override { return pattern_; }
  [[nodiscard]] bool is_linear() const override { return is_linear_; }
  [[nodiscard]] bool has_constant_jacobian() const override { return has_constant_jacobian_; }
  [[nodiscard]] std::span<const Index> nonlinear_derivatives() const override {
    return nonlinear_derivatives_;
  }
  [[nodiscard]] std::vector<Index> rows_over(Index guard) const override;
  [[nodiscard]] std::unique_ptr<system::EquationRunner> make_runner() const override;
  /// One that begins with these held inputs: `inputs` is what they were set from.
  [[nodiscard]] std::unique_ptr<system::EquationRunner> make_runner(const HeldInputs& inputs,
                                                                    std::span<const double> held) const;

  /// A program with one part and the values of its frozen space.
  struct Part {
    SlabProgram program;
    std::vector<double> frozen;
  };
  [[nodiscard]] const Part& residual() const { return residual_; }
  [[nodiscard]] const Part& entries() const { return entries_; }
  /// Place in the pattern of each output of entries().
  [[nodiscard]] const std::vector<std::uint32_t>& entry_places() const { return entry_places_; }
  [[nodiscard]] const ConditionInputs& conditions() const { return *conditions_; }
  [[nodiscard]] const std::vector<double>& discrete() const { return discrete_; }

 private:
  void find_pattern(const expr::SparseJacobian& jacobian);
  void find_rows_of_guards(const expr::Graph& graph, std::span<const NodeId> rows);
  void find_nonlinear_derivatives(const expr::Graph& graph, const expr::SparseJacobian& jacobian,
                                  std::span<const NodeId> leaves, std::size_t n_states);

  std::vector<system::SlotInfo> slots_;
  std::function<std::vector<system::RowInfo>()> describe_rows_;
  mutable std::once_flag rows_described_;
  mutable std::vector<system::RowInfo> rows_;
  system::RectangularPattern pattern_;
  std::optional<std::vector<std::vector<Index>>> rows_of_guards_;
  std::vector<Index> nonlinear_derivatives_;
  bool is_linear_ = false;
  bool has_constant_jacobian_ = false;
  Part residual_;
  Part entries_;
  std::vector<std::uint32_t> entry_places_;
  std::vector<double> discrete_;
  const ConditionInputs* conditions_;
  std::shared_ptr<const void> owner_;
};

}  // namespace saltus::program
