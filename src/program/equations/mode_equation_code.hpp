/// The equations of one mode over slots, built when somebody asks for them: constraints, derivative arrays, residual form.
///
/// Contract     what is built has no number of a parameter in it, is kept with the code of its mode and serves all systems of that
///              code. May be asked by several threads.
/// Choices      built in a copy of the model's graph (late_graph.hpp): runs with explicit methods pay nothing.
/// Cost         constraints, residual form: linear in the equations. Derivative array of depth l: O(l²) in the nodes of the
///              equations for the rows and of the entries of ∂F for the Jacobian (expr/taylor.hpp), which has block Toeplitz
///              structure. Measured for three equations with exp, sin, sqrt, atan2, depth 6: 610 operations for 21 rows, 1046
///              for 238 entries (2817 by differentiating the rows).
/// Fails when   an array has more nodes than the options of the system allow: derivative-array-too-large.
/// Checked by   tests/unit/program/mode_equations_test.cpp
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "expr/taylor.hpp"
#include "program/equations/divisors.hpp"
#include "program/equations/equation_text.hpp"
#include "program/equations/guard_values.hpp"
#include "program/equations/jump_program.hpp"
#include "program/equations/residual_form.hpp"
#include "program/equations/system_code.hpp"
#include "program/equations/written_equations.hpp"
#include "system/mixed_equations.hpp"
#include "system/written_coefficients.hpp"

namespace saltus::program {

/// A request with everything but rows and slots: what programs of a system have in common.
[[nodiscard]] EquationRequest equation_request(const SystemCode& code);
/// Slots with names and what they are sized as, by unknown.
void add_slots(const SystemCode& code, std::span<const structure::Unknown> slots, EquationRequest& request);
/// Descriptions of rows in words, when they are asked for. The nodes are those of the late graph.
void add_row_texts(const SystemCode& code, std::vector<RowSource> rows, EquationRequest& request);

/// system::MixedEquations without rows and starts, and what gives these.
struct MixedCode {
  system::MixedEquations relations;
  std::shared_ptr<const EquationCode> rows;
};

/// What was asked for of one mode.
struct LateEquations {
  Late<EquationCode> constraints;
  Late<EquationCode> uncombined;
  Late<ResidualCode> residual;
  Late<DivisorCode> divisors;
  Late<GuardValuesCode> guard_values;
  Late<WrittenCode> written;
  Late<system::WrittenCoefficients> coefficients;  ///< without equations
  Late<MixedCode> mixed;
  Late<JumpCode> jumps;
  struct Arrays {
    std::mutex mutex;
    std::vector<std::shared_ptr<const EquationCode>> by_depth;
    std::optional<expr::TaylorExpansion> taylor;  ///< of the late graph
  };
  mutable Arrays arrays;
};

class EquationCompiler {
 public:
  /// A mode of the code.
  EquationCompiler(const SystemCode& code, const ModeCode& mode) : code_(code), mode_(mode) {}

  /// Null: every state is consistent.
  [[nodiscard]] std::shared_ptr<const EquationCode> constraints() const;
  [[nodiscard]] Result<std::shared_ptr<const EquationCode>> derivative_array(int depth) const;
  [[nodiscard]] std::shared_ptr<const ResidualCode> residual_form() const;
  /// Null: none that change.
  [[nodiscard]] std::shared_ptr<const DivisorCode> divisors() const;
  [[nodiscard]] std::shared_ptr<const GuardValuesCode> guard_values() const;
  [[nodiscard]] std::shared_ptr<const WrittenCode> written() const;
  /// The equations that written_coefficients() is about, where these are no derivative array.
  [[nodiscard]] std::shared_ptr<const EquationCode> uncombined() const;
  /// Without the equations. Null: as system::CoefficientSource::written_coefficients().
  [[nodiscard]] std::shared_ptr<const system::WrittenCoefficients> written_coefficients() const;
  /// Null: as LockedEquations::mixed_equations().
  [[nodiscard]] std::shared_ptr<const MixedCode> mixed() const;

 private:
  [[nodiscard]] std::shared_ptr<const EquationCode> build_constraints() const;
  [[nodiscard]] std::shared_ptr<const EquationCode> build_uncombined() const;
  [[nodiscard]] std::shared_ptr<const MixedCode> build_mixed() const;
  [[nodiscard]] std::shared_ptr<const EquationCode> build_array(expr::Graph& graph, int depth) const;
  [[nodiscard]] std::vector<structure::Unknown> slots_of_array(int depth) const;
  [[nodiscard]] expr::SparseJacobian jacobian_of_array(expr::Graph& graph, std::span<const NodeId> rows,
                                                       std::span<const structure::Unknown> slots,
                                                       int depth) const;

  const SystemCode& code_;
  const ModeCode& mode_;
};

}  // namespace saltus::program
