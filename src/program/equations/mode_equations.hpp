/// The equations of one mode over slots, built when somebody asks for them: constraints, derivative arrays, residual form.
///
/// Contract     immutable as seen from outside; may be asked by several threads. What is built is kept.
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
#include "program/equations/equation_program.hpp"
#include "program/equations/equation_text.hpp"
#include "program/equations/residual_form.hpp"
#include "program/equations/system_data.hpp"
#include "program/equations/written_equations.hpp"
#include "system/mixed_equations.hpp"
#include "system/written_coefficients.hpp"

namespace saltus::program {

/// A request with everything but rows and slots: what programs of a system have in common.
[[nodiscard]] EquationRequest equation_request(std::shared_ptr<const SystemData> data);
/// Slots with names and sizes, by unknown.
void add_slots(const SystemData& data, std::span<const structure::Unknown> slots, EquationRequest& request);
/// Descriptions of rows in words, when they are asked for. The nodes are those of the late graph.
void add_row_texts(std::shared_ptr<const SystemData> data, std::vector<RowSource> rows,
                   EquationRequest& request);

class ModeEquations {
 public:
  ModeEquations(std::shared_ptr<const SystemData> data, std::size_t mode);

  /// Null: every state is consistent.
  [[nodiscard]] std::shared_ptr<const EquationProgram> constraints() const;
  [[nodiscard]] Result<std::shared_ptr<const system::EquationSet>> derivative_array(int depth) const;
  [[nodiscard]] std::shared_ptr<const ResidualForm> residual_form() const;
  /// Null: none that change.
  [[nodiscard]] std::shared_ptr<const Divisors> divisors() const;
  [[nodiscard]] std::shared_ptr<const WrittenProgram> written() const;
  /// Null: as system::CoefficientSource::written_coefficients().
  [[nodiscard]] std::shared_ptr<const system::WrittenCoefficients> written_coefficients() const;
  /// Null: as LockedEquations::mixed_equations().
  [[nodiscard]] std::shared_ptr<const system::MixedEquations> mixed() const;

 private:
  [[nodiscard]] std::shared_ptr<const EquationProgram> build_constraints() const;
  [[nodiscard]] std::shared_ptr<const system::EquationSet> build_uncombined() const;
  [[nodiscard]] std::shared_ptr<const system::MixedEquations> build_mixed() const;
  [[nodiscard]] std::shared_ptr<const system::EquationSet> build_array(expr::Graph& graph, int depth) const;
  [[nodiscard]] std::vector<structure::Unknown> slots_of_array(int depth) const;
  [[nodiscard]] expr::SparseJacobian jacobian_of_array(expr::Graph& graph, std::span<const NodeId> rows,
                                                       std::span<const structure::Unknown> slots,
                                                       int depth) const;

  std::shared_ptr<const SystemData> data_;
  const ModeData& mode_;
  mutable std::once_flag constraints_built_;
  mutable std::shared_ptr<const EquationProgram> constraints_;
  mutable std::once_flag residual_built_;
  mutable std::shared_ptr<const ResidualForm> residual_;
  mutable std::once_flag divisors_found_;
  mutable std::shared_ptr<const Divisors> divisors_;
  mutable std::once_flag written_built_;
  mutable std::shared_ptr<const WrittenProgram> written_;
  mutable std::once_flag coefficients_found_;
  mutable std::shared_ptr<const system::WrittenCoefficients> coefficients_;
  mutable std::once_flag mixed_built_;
  mutable std::shared_ptr<const system::MixedEquations> mixed_;
  mutable std::mutex arrays_mutex_;
  mutable std::vector<std::shared_ptr<const system::EquationSet>> arrays_;  // by depth
  mutable std::optional<expr::TaylorExpansion> taylor_;                     // of the late graph
};

}  // namespace saltus::program
