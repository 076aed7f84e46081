/// Problem      guards whose own value jumps with their sides, g(t, x; s) (a relation over an algebraic variable that the relation
///              moves): find s ∈ [-1, 1]^k with g_i(s) = 0 where |s_i| < 1, g_i ≥ 0 where s_i = 1, g_i ≤ 0 where s_i = -1. Inside is an
///              algebraic slide: no side agrees with the value that it leads to
/// Method       the decision of decision.hpp with derivatives of order 0: values at k + 1 patterns of sides make the affine problem,
///              Lemke's method solves it from the sides before, an evaluation checks it; where the values are not affine they are
///              linearised at the answer and solved again [FP03] 7.3
/// Contract     find() splits guards that are zero into algebraic(), whose values jump with their own sides, be it through those of others,
///              driven(), whose values jump with sides of others only, and others(); decide() decides the first. The evaluator has the
///              configuration; afterwards it has the sides and weights decided, as `configuration` has. Allocates on growth only.
/// Choices      A guard that is zero on the side it has come to leave: what follows is asked for a moment later, when it has moved on by
///              kShift of what the sides do to it; the direction is that of its motion on that side.
/// Fails when   no s is found, or a guard that may not slide would have to: Status::none
/// Cost         two evaluations of the guards to find that none is algebraic; k + 2 and k³ otherwise
/// Checked by   tests/unit/slide/algebraic_sides_test.cpp
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "nonlinear/lemke.hpp"
#include "slide/decide/decision.hpp"

namespace saltus::slide {

class AlgebraicSides {
 public:
  /// `guards` of the model outlive this object.
  explicit AlgebraicSides(std::span<const system::GuardInfo> guards) : infos_(guards) {}

  /// Splits `zero`; `before` as for Decider::decide. Leaves the evaluator with other latched values for these guards.
  system::Evaluation find(system::Evaluator& evaluator, const DecisionPoint& point,
                          std::span<const Index> zero, std::span<const double> before);
  [[nodiscard]] std::span<const Index> algebraic() const { return algebraic_; }
  [[nodiscard]] std::span<const Index> driven() const { return driven_; }
  [[nodiscard]] std::span<const Index> others() const { return others_; }

  /// Decides `guards`, for instance algebraic(); `before` and point.leaving by guard. `decider` knows how guards move.
  const Decision& decide(system::Evaluator& evaluator, const DecisionPoint& point, Decider& decider,
                         std::span<const Index> guards, std::span<const double> before,
                         system::Configuration& configuration);

 private:
  struct Iteration;  // nonlinear/box_newton.hpp
  void find_own_causes(const system::Evaluator& evaluator, std::span<const Index> zero);
  system::Evaluation values_at(system::Evaluator& evaluator, const DecisionPoint& point,
                               std::span<const double> s, std::span<double> values);
  system::Evaluation linearize(system::Evaluator& evaluator, const DecisionPoint& point,
                               std::span<const double> at, double step);
  system::Evaluation find_shifts(system::Evaluator& evaluator, const DecisionPoint& point, Decider& decider);
  [[nodiscard]] double violation() const;
  system::Evaluation solve(system::Evaluator& evaluator, const DecisionPoint& point, Decider& decider);
  void report(const DecisionPoint& point);
  void resize(std::size_t k);

  std::span<const system::GuardInfo> infos_;
  std::vector<Index> algebraic_;
  std::vector<Index> driven_;
  std::vector<Index> others_;
  std::vector<std::uint8_t>
      reaches_;  // by two guards that are zero: the value of the first depends on the side of the second
  std::vector<double> first_;
  std::vector<double> second_;

  Decision decision_;
  std::vector<GuardDecision> decided_;
  std::vector<Index> guards_;        // that are free
  std::vector<std::size_t> places_;  // … in decided_
  std::vector<double> corner_;
  std::vector<double> base_;
  std::vector<double> noise_;
  std::vector<double> shift_;
  std::vector<double> matrix_;  // of g = M·s + q
  std::vector<double> vector_;
  std::vector<double> answer_;
  std::vector<double> values_;
  std::vector<double> moved_;
  nonlinear::Lemke lemke_;
};

}  // namespace saltus::slide
