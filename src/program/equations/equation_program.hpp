/// Equations over slots (system/equation_set.hpp), compiled.
///
/// Problem      rows r(t, s) = 0 given as nodes, slots s given as leaves of the graph: values and sparse ∂r/∂s.
/// Method       the Jacobian is symbolic and sparse (expr/jacobian.hpp); residual and entries are one slab program each, over
///              the slots as states, with conditions and discrete values as held inputs.
/// Contract     EquationCode has no number of a parameter in it; EquationProgram is the code with one set of them. Both are
///              immutable and shared; runners do not allocate after construction. Every leaf below a row is a slot or
///              bound by the request. Entries that are zero by structure are not in the pattern.
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
  /// As many; asked for once, when somebody wants to read them, while the conditions below are there.
  std::function<std::vector<system::RowInfo>()> describe_rows;
  std::vector<structure::Unknown> slots;  ///< the leaves that they are
  /// ∂row/∂slot where it is known already, without zeros; none: found by differentiation.
  std::optional<expr::SparseJacobian> jacobian = {};
  std::vector<system::SlotInfo> slot_infos;
  std::vector<VariableId> sized_as;  ///< by slot: the variable whose nominal value it has
  std::size_t n_frozen_inputs = 0;   ///< as for SequenceRequest
  LeafBindings bindings;             ///< of conditions and discrete values
  std::size_t n_discrete = 0;        ///< discrete values
  /// The conditions of the model, which outlive the code.
  const ConditionInputs* conditions = nullptr;
  /// Which rows contain conditions over which guard is to be known (EquationSet::rows_over).
  bool finds_rows_of_guards = false;
  /// Of a residual form: the last slots are the derivatives of as many first ones (EquationSet::nonlinear_derivatives).
  std::size_t n_derivatives = 0;
};

class EquationCode {
 public:
  /// The graph grows.
  EquationCode(expr::Graph& graph, EquationRequest request);

  /// Without nominal values: see sized_as().
  [[nodiscard]] const std::vector<system::SlotInfo>& slots() const { return slots_; }
  [[nodiscard]] const std::vector<VariableId>& sized_as() const { return sized_as_; }
  [[nodiscard]] const std::vector<system::RowInfo>& rows() const;
  [[nodiscard]] const system::RectangularPattern& pattern() const { return pattern_; }
  [[nodiscard]] bool is_linear() const { return is_linear_; }
  [[nodiscard]] bool has_constant_jacobian() const { return has_constant_jacobian_; }
  [[nodiscard]] std::span<const Index> nonlinear_derivatives() const { return nonlinear_derivatives_; }
  /// None: not asked for.
  [[nodiscard]] const std::optional<std::vector<std::vector<Index>>>& rows_of_guards() const {
    return rows_of_guards_;
  }

  /// Programs with one part each.
  [[nodiscard]] const SlabProgram& residual() const { return residual_; }
  [[nodiscard]] const SlabProgram& entries() const { return entries_; }
  /// Place in the pattern of each output of entries().
  [[nodiscard]] const std::vector<std::uint32_t>& entry_places() const { return entry_places_; }
  [[nodiscard]] const ConditionInputs& conditions() const { return *conditions_; }
  [[nodiscard]] std::size_t n_discrete() const { return n_discrete_; }

 private:
  void find_pattern(const expr::SparseJacobian& jacobian);
  void find_rows_of_guards(const expr::Graph& graph, std::span<const NodeId> rows);
  void find_nonlinear_derivatives(const expr::Graph& graph, const expr::SparseJacobian& jacobian,
                                  std::span<const NodeId> leaves, std::size_t n_states);

  std::vector<system::SlotInfo> slots_;
  std::vector<VariableId> sized_as_;
  std::function<std::vector<system::RowInfo>()> describe_rows_;
  mutable std::once_flag rows_described_;
  mutable std::vector<system::RowInfo> rows_;
  system::RectangularPattern pattern_;
  std::optional<std::vector<std::vector<Index>>> rows_of_guards_;
  std::vector<Index> nonlinear_derivatives_;
  bool is_linear_ = false;
  bool has_constant_jacobian_ = false;
  SlabProgram residual_;
  SlabProgram entries_;
  std::vector<std::uint32_t> entry_places_;
  std::size_t n_discrete_;
  const ConditionInputs* conditions_;
};

struct EquationNumbers {
  std::span<const double> frozen_inputs;
  std::function<double(const structure::Unknown&)> nominal_of;
  std::vector<double> discrete = {};  ///< discrete values until a configuration is set
  std::vector<char> rests = {};       ///< by discrete value: Booleans, Integers and flags; empty: none does
  std::span<const ParameterId> zeros = {};  ///< parameters that the code does not read (zero_parameters.hpp)
  std::shared_ptr<const void> owner = {};   ///< keeps alive what the code refers to
};

class EquationProgram final : public system::EquationSet {
 public:
  EquationProgram(std::shared_ptr<const EquationCode> code, EquationNumbers numbers);

  [[nodiscard]] const std::vector<system::SlotInfo>& slots() const override { return slots_; }
  [[nodiscard]] const std::vector<system::RowInfo>& rows() const override { return code_->rows(); }
  [[nodiscard]] const system::RectangularPattern& pattern() const override { return code_->pattern(); }
  [[nodiscard]] bool is_linear() const override { return code_->is_linear(); }
  [[nodiscard]] bool has_constant_jacobian() const override { return code_->has_constant_jacobian(); }
  [[nodiscard]] std::span<const Index> nonlinear_derivatives() const override {
    return code_->nonlinear_derivatives();
  }
  [[nodiscard]] std::vector<Index> rows_over(Index guard) const override;
  [[nodiscard]] std::unique_ptr<system::EquationRunner> make_runner() const override;
  /// One that begins with these held inputs: `inputs` is what they were set from.
  [[nodiscard]] std::unique_ptr<system::EquationRunner> make_runner(const HeldInputs& inputs,
                                                                    std::span<const double> held) const;

  [[nodiscard]] const EquationCode& code() const { return *code_; }
  [[nodiscard]] const std::vector<double>& frozen_of_residual() const { return frozen_of_residual_; }
  [[nodiscard]] const std::vector<double>& frozen_of_entries() const { return frozen_of_entries_; }
  [[nodiscard]] const std::vector<double>& discrete() const { return discrete_; }
  /// By discrete value; empty: none does.
  [[nodiscard]] std::span<const char> rests() const { return rests_; }
  [[nodiscard]] std::span<const ParameterId> zeros() const { return zeros_; }

 private:
  std::shared_ptr<const EquationCode> code_;
  std::vector<system::SlotInfo> slots_;
  std::vector<double> frozen_of_residual_;
  std::vector<double> frozen_of_entries_;
  std::vector<double> discrete_;
  std::vector<char> rests_;
  std::span<const ParameterId> zeros_;
  std::shared_ptr<const void> owner_;
};

}  // namespace saltus::program
