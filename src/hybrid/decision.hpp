/// Problem      the guards Z that are zero, together: find s ∈ [-1, 1]^Z with ġ_i(s) = 0 where |s_i| < 1, ġ_i ≥ 0 where
///              s_i = 1, ġ_i ≤ 0 where s_i = -1; ġ_i replaced by the first total derivative (order 1 to 3) that exceeds its
///              noise for some s (docs/semantics.md 7)
/// Method       one guard: two evaluations and the signs (classify.hpp). Several: ġ at k + 1 patterns gives M and q of the
///              affine problem, Lemke's method solves it from the latched corner (linalg/lemke.hpp), an evaluation at the
///              answer checks it; where ġ is not affine a semismooth Newton iteration goes on from there [FP03] 9.2
/// Contract     The evaluator is in the mode of the configuration. Afterwards the latched values of `configuration` for Z
///              are those decided, and the evaluator has them (of guards that slide: the weights).
///              Nothing allocates once a decision with as many guards has been made.
/// Choices      Several solutions: the one nearest the sides before; of those that differ in their weights alone (ẋ is the
///              same) the one with the smallest weights, as in twisting. Repelling: the side before; at the start the relation
///              as written: the derivative with the guard at 0 decides, and if that vanishes the guard stays zero.
///              A derivative that is tiny beside the field is asked for again with its bound of rounding errors
///              (GuardFunctions::guard_derivatives); otherwise one right-hand side and a product with the gradient do.
/// Fails when   ġ is not affine and no s is found: Status::none, or an evaluation fails
/// Cost         one guard: 2 right-hand sides and a gradient; k guards: k + 2
/// Checked by   tests/unit/hybrid/decision_test.cpp
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hybrid/classify.hpp"
#include "linalg/lemke.hpp"
#include "linalg/minimum_norm.hpp"
#include "system/locked_dae.hpp"

namespace saltus::hybrid {

/// Where and what is asked.
struct DecisionPoint {
  double t = 0.0;
  std::span<const double> x;
  double direction = 1.0;  ///< of time in this run
  /// Step size that worked last, 0: unknown. Derivatives that change a guard by no more than its rounding errors within such
  /// a step are looked at closely.
  double step = 0.0;
  /// Whether guards that can slide may (`--sliding`); otherwise a guard crosses to the side opposite to the one before.
  bool may_slide = true;
  /// By guard of Z, where its weight has just reached a bound while sliding (a root of 1 - s or 1 + s): that bound, ±1;
  /// else 0. Empty: none. On that side the derivative is zero there and goes outwards: no sign of rounding errors is asked.
  std::span<const double> leaving = {};
};

/// What was decided for one guard, and why: also the material of --explain-event.
struct GuardDecision {
  enum class Kind : std::uint8_t {
    side,        ///< value ±1
    slides,      ///< value: the weight
    stays_zero,  ///< value 0
  };
  Index guard = -1;
  Kind kind = Kind::side;
  double value = 0.0;
  double before = 0.0;  ///< side or weight before, 0: none
  int order = 1;        ///< of the derivative that decided
  /// That derivative with this guard at +1 and at -1, the others as decided; in the direction of the run.
  double rate_plus = 0.0;
  double rate_minus = 0.0;
  Encounter encounter = Encounter::undecided;
  bool is_barred = false;  ///< it would slide but must not (may_slide, GuardInfo::can_slide): it crosses
};

struct Decision {
  enum class Status : std::uint8_t { decided, none, evaluation_failed };
  Status status = Status::decided;
  bool is_ambiguous = false;              ///< several solutions with different ẋ
  bool is_repelling = false;              ///< one guard, and it repels
  bool slides = false;                    ///< on any of them
  system::Evaluation evaluation;          ///< of evaluation_failed
  std::span<const GuardDecision> guards;  ///< in the order of Z; valid until the next decision
  /// ẋ for what was decided, known where the last evaluation was the right one: then a restart needs none.
  bool derivative_known = false;
  std::span<const double> derivative;

  [[nodiscard]] bool ok() const { return status == Status::decided; }
};

class Decider {
 public:
  /// `guards` of the model outlive this object.
  Decider(Index n_states, std::span<const system::GuardInfo> guards);

  /// `zero`: the guards Z; `before`: their sides before the instant (±1; a weight if it was slid on; 0: none, as at the
  /// start).
  const Decision& decide(system::Evaluator& evaluator, const DecisionPoint& point,
                         std::span<const Index> zero, std::span<const double> before,
                         system::Configuration& configuration);

  /// Two modes on one surface: `plus` holds where guard > 0. Both evaluators have their configuration already and keep
  /// it. `before`: +1 when the mode of `plus` was left.
  const Decision& decide_pair(system::Evaluator& plus, system::Evaluator& minus, const DecisionPoint& point,
                              Index guard, double before);

  /// A guard that matters to no jump of the equations (docs/semantics.md 7.4): its motion in the locked field.
  system::Evaluation motion(system::Evaluator& evaluator, const DecisionPoint& point, Index guard,
                            Motion& motion);

  [[nodiscard]] std::int64_t rhs_evaluations() const { return rhs_evaluations_; }

 private:
  struct Rate {
    double value = 0.0;
    double noise = 0.0;
  };
  void resize(Index k);

  std::size_t n_;
  std::span<const system::GuardInfo> infos_;
  std::int64_t rhs_evaluations_ = 0;
  Decision decision_;
  std::vector<GuardDecision> guards_;
  std::vector<double> fields_;
  std::vector<double> gradient_;
  linalg::Lemke lemke_;
  linalg::MinimumNorm solver_;
};

}  // namespace saltus::hybrid
