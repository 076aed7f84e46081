/// The reduced equations of a system that its derivative array reduces, for implicit methods.
///
/// Problem      r(t, x, ẋ) = 0 with a row for every state, regular of index at most 1, with the solutions of the model, and its
///              Jacobian without differences
/// Method       P(t, x) are the nearest consistent states, f(t, x) the rates at them, both from one solution of the array
///              (array_newton.hpp), in which all other slots are eliminated and redundant rows drop out. Rows:
///                T₂ᵀ·(ẋ - f(t, x))     n - a: the differential part, and what nothing determines, whose f is 0
///                Bᵀ·(x - P(t, x))      a: the constraints
///              with frozen T₂, a basis of the kernel of the constraints, and B, one of its complement [KM06] 6, [Wun08] 5.1, 7.1.
///              ∂P/∂x and ∂f/∂x are responses of the array to its states: one solution with the matrix of the point for each.
/// Notation     in nominal values: (T₂, B) is an orthogonal matrix over x / nominal
/// Contract     An EquationRunner over the slots (x, ẋ), whose pattern is full: entries column by column. Where μ = 0, u = 0 and
///              v = 0, r is F as it is written, with the chains ẋ_k = x_(k+1). Does not allocate but for new projectors.
/// Choices      T₂ᵀ·ẋ instead of Z₁ᵀ·F(t, x, ẋ): both have the same solutions, but the combination of ẋ in which F is written turns
///              with time, and methods of low stage order fall to that order (measured with sdirk4: 2 instead of 4). With frozen
///              T₂ it is the derivative of T₂ᵀ·x. Zeros of r do not depend on projectors and matrices, so a method keeps its
///              order whatever is refreshed between its steps (projector_policy.hpp).
/// Fails when   P has no value: as ArrayEvaluator; F is not finite: the culprit is a row of it
/// Cost         a residual: one or a few residuals of the array. A Jacobian: one of the array, its decomposition and n solutions, and
///              where projectors are made a decomposition of an n × n matrix
/// Checked by   tests/unit/reduce/reduced_equations_test.cpp, tests/convergence/rank_order_test.cpp
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/archive.hpp"
#include "linalg/dense_matrix.hpp"
#include "reduce/nonlinear/projector_policy.hpp"
#include "reduce/ranks/array_layout.hpp"
#include "reduce/ranks/characteristic_values.hpp"
#include "system/equation_set.hpp"
#include "system/locked_dae.hpp"

namespace saltus::reduce {

/// What reduced equations need of the one who moves points onto constraints.
class ConsistentPoints {
 public:
  ConsistentPoints() = default;
  ConsistentPoints(const ConsistentPoints&) = delete;
  ConsistentPoints& operator=(const ConsistentPoints&) = delete;
  virtual ~ConsistentPoints() = default;

  /// Before nearest() at a new point: ReducedEquations::take() has been called for the analysis that holds there.
  virtual system::Evaluation make_ready(double t, std::span<const double> x) = 0;
  /// P(t, x) and f(t, x).
  virtual system::Evaluation nearest(double t, std::span<const double> x, std::span<double> states,
                                     std::span<double> rates) = 0;
  /// A matrix at the last nearest(), for respond().
  virtual system::Evaluation linearise(double t) = 0;
  /// Their derivatives with respect to one of the states.
  virtual void respond(Index state, std::span<double> states, std::span<double> rates) = 0;
};

class ReducedEquations final : public system::EquationRunner {
 public:
  /// All outlive this object.
  ReducedEquations(const system::LockedDae& dae, ConsistentPoints& points) : dae_(dae), points_(points) {}

  /// Another analysis holds: projectors are those of `values`. False: the equations cannot be had.
  [[nodiscard]] bool take(const CharacteristicValues& values);

  void set_configuration(const system::Configuration& configuration) override;
  void set_latched(Index guard, double value) override;
  system::Evaluation residual(double t, std::span<const double> slots, std::span<double> values) override;
  system::Evaluation jacobian(double t, std::span<const double> slots, std::span<double> entries) override;

  [[nodiscard]] Index n_projectors_made() const { return n_projectors_made_; }

  void fields(Archive& a) override;

 private:
  [[nodiscard]] bool have_written();
  void lay_out(const CharacteristicValues& values);
  void set_projectors(const linalg::DenseMatrix& kernel, const linalg::DenseMatrix& normal);
  void refresh_projectors();
  system::Evaluation written_residual(double t, std::span<const double> slots, std::span<double> values);
  system::Evaluation written_jacobian(double t, std::span<const double> slots, std::span<double> entries);
  void fill_written(std::span<const double> slots);

  const system::LockedDae& dae_;
  ConsistentPoints& points_;

  Index n_ = 0;             // states
  bool is_direct_ = false;  // r is F
  std::vector<double> nominal_;

  // F as written.
  std::shared_ptr<const system::EquationSet> written_;
  std::unique_ptr<system::EquationRunner> written_runner_;
  struct Chain {
    Index state = 0;  // its rate is …
    Index rate = 0;   // … this state

    void fields(Archive& a) { a(state, rate); }
  };
  std::vector<Chain> chains_;
  std::vector<Index> state_of_slot_;  // which state it is; n + state: its rate
  std::vector<double> written_slots_;
  std::vector<double> written_entries_;

  // Reduced.
  ProjectorPolicy policy_;
  Index n_projectors_made_ = 0;
  linalg::DenseMatrix kernel_;  // T₂ over nominal values: n × (n - a)
  linalg::DenseMatrix normal_;  // B over nominal values: n × a
  std::vector<double> nearest_;
  std::vector<double> rates_;
  std::vector<double> d_states_;  // column by column
  std::vector<double> d_rates_;
  std::vector<double> moved_;  // ∂(x - P)/∂x in nominal values
  std::vector<Index> row_of_entry_;
};

}  // namespace saltus::reduce
