/// An instant on the way back by pullbacks, at a cost that does not depend on the number of parameters.
///
/// Problem    as instant_columns.hpp, where one guard has crossed or one clock was due, states are continuous or set by rounds, and the structure stays
/// Method     forward: σ = -(∂g/∂x·S + ∂g/∂d·D + ∂g/∂p)/ġ, X = S + f⁻·σ, V⁻ of all variables along (σ, X, D), the rounds in order,
///            S⁺ = X⁺ - f⁺·σ. Backward, with bars for what weighs each quantity:
///              X̄ = λ⁺, σ̄ = -f⁺·λ⁺, D̄ = δ⁺; the rounds in reverse by their pullbacks; V̄ by that of the variables;
///              σ̄ += f⁻·X̄; and c = -σ̄/ġ times the pullback of g, or σ̄ times ∂t*/∂p of the clock.
/// Contract   what it does not offer is left to the columns, untouched: other structures, constraints, sliding, several causes, terms of
///            functionals there, grazing, parameters that are zero in rounds, and other guards that are zero before or after it or so close to it that small
///            changes lead there (surface_places.hpp). The guard that has crossed may stay at zero if the rounds leave it alone: then it is for all parameters.
/// Checked by tests/sensitivity/adjoint_test.cpp
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "sensitivity/adjoint/instant_columns.hpp"

namespace saltus::sensitivity {

class InstantPullback {
 public:
  /// The field of a stretch, in its configuration; null: there is none.
  using FieldOf = std::function<AdjointField*(const TapeStretch&)>;

  InstantPullback(const AdjointSources& sources, FieldOf field_of)
      : sources_(sources), field_of_(std::move(field_of)) {}

  /// False: not offered, and `sums` are as they were.
  [[nodiscard]] bool pass(const TapeStretch& before, const TapeInstant& instant, const TapeStretch& after,
                          const InstantWeights& weights, double step_size, AdjointSums& sums);
  void collect(std::span<double> gradient);

 private:
  struct Solver {
    system::StructureId structure;
    std::unique_ptr<system::RoundSolver> rounds;
    std::unique_ptr<system::RoundPullback> pullback;  // null: it is not offered
    std::vector<double> share;
  };
  /// Weights of what moves, on the way back.
  struct Bars {
    std::vector<double> x;
    std::vector<double> discrete;
    std::vector<double> values;  // of all variables; empty: none counts
    std::vector<double> reinits;
    double sigma = 0.0;
  };
  [[nodiscard]] bool is_offered(const TapeStretch& before, const TapeInstant& instant,
                                const TapeStretch& after, const InstantWeights& weights);
  [[nodiscard]] Solver& solver_for(const system::StructureId& structure);
  [[nodiscard]] double clock_change(double t) const;
  [[nodiscard]] double time_change(const settle::InstantMove& move, const TapeStretch& before,
                                   double time_size);
  [[nodiscard]] bool leaves_surfaces(const settle::InstantMove& move, const TapeStretch& after,
                                     double time_change, double time_size, AdjointField& field);
  [[nodiscard]] bool pass_rounds(const settle::InstantMove& move, Bars& bars,
                                 std::vector<std::pair<Solver*, std::vector<double>>>& shares);
  [[nodiscard]] bool pass_round(const settle::MoveStep& step, double t, Bars& bars,
                                std::vector<double>& share);

  const AdjointSources& sources_;
  FieldOf field_of_;
  std::vector<std::unique_ptr<Solver>> solvers_;
};

}  // namespace saltus::sensitivity
