/// Problem      the guards Z that are zero, together: find s ∈ [-1, 1]^Z with ġ_i(s) = 0 where |s_i| < 1, ġ_i ≥ 0 where
///              s_i = 1, ġ_i ≤ 0 where s_i = -1; ġ_i replaced by the first total derivative (order 1 to 3) that exceeds its
///              noise for some s (docs/semantics.md 7)
/// Method       one guard: two evaluations and the signs (classify.hpp). Several: ġ at k + 1 patterns gives M and q of the
///              affine problem, Lemke's method solves it from the latched corner (nonlinear/lemke.hpp), an evaluation at the
///              answer checks it; where ġ is not affine it is linearised there and solved again [FP03] 7.3
///              Guards across which the equations do not jump (GuardInfo::is_continuous) first: where each, with all of them
///              turned, moves on to its new side, that is the solution, since there is only one. One evaluation
/// Contract     The evaluator has the configuration (of guards slid on: any weights). Afterwards the latched values of `configuration` for Z
///              are those decided, and the evaluator has them (of guards that slide: the weights).
///              Nothing allocates once a decision with as many guards has been made.
/// Choices      Several solutions: the one nearest the sides before; of those that differ in their weights alone (ẋ is the
///              same) the one with the smallest weights, as in twisting. Repelling: the side before; at the start the relation
///              as written: the derivative with the guard at 0 decides, and if that vanishes the guard stays zero.
///              A derivative that is tiny beside the field is asked for again with its bound of rounding errors
///              (GuardFunctions::guard_derivatives); otherwise one right-hand side and a product with the gradient do.
/// Fails when   ġ is not affine and no s is found: Status::none, or an evaluation fails
/// Cost         one guard: 2 right-hand sides and a gradient; k guards: k + 2
/// Checked by   tests/unit/slide/decision_test.cpp, decisions_together_test.cpp
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/archive.hpp"
#include "linalg/minimum_norm.hpp"
#include "nonlinear/lemke.hpp"
#include "slide/decide/classify.hpp"
#include "system/locked_dae.hpp"

namespace saltus::slide {

/// Where and what is asked.
struct DecisionPoint {
  double t = 0.0;
  std::span<const double> x;
  double direction = 1.0;  ///< of time in this run
  /// Step size that worked last, 0: unknown. Derivatives that change a guard by no more than its rounding errors within such
  /// a step are looked at closely.
  double step = 0.0;
  /// By how much the point may lie beside the instant, as far as location leaves it open; 0: what time can resolve.
  double instant = 0.0;
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
  int order = 1;        ///< of the derivative that decided; 0: its own values (algebraic_sides.hpp)
  bool is_zero = true;  ///< as decided; a guard that depends on its side may have jumped
  /// That derivative with this guard at +1 and at -1, the others as decided; in the direction of the run. Not a number: not asked
  /// for.
  double rate_plus = 0.0;
  double rate_minus = 0.0;
  Encounter encounter = Encounter::undecided;
  bool is_barred = false;  ///< it would slide but must not (may_slide, GuardInfo::can_slide): it crosses

  void fields(Archive& a) {
    a(guard, kind, value, before, order, is_zero, rate_plus, rate_minus, encounter, is_barred);
  }
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

  /// Not empty: the side decided has no value at x, which rounding has put beyond the surface; the run goes on from this
  /// point on the side itself, next to x (slide/field/own_side.hpp).
  std::span<const double> own_side;

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

  void fields(Archive& a) {
    // Not saved: n_, infos_; what a decision works with (decision_, guards_, derivatives_, gradient_, fields_, moved_, is_moved_,
    // pattern_guards_, pattern_sides_, active_, found_, corner_, rates_, orders_, matrix_, vector_, force_noise_, answer_, forces_, resting_,
    // stays_as_written_, has_corner_field_, other_, start_, work_, lemke_, solver_) and leaves nothing of.
    a(rhs_evaluations_);
  }

 private:
  // A derivative of a guard in one configuration, in the direction of the run.
  struct Rate {
    double value = 0.0;
    double noise = 0.0;
  };
  // What moves one guard with the guard on one side.
  struct Side {
    Rate rate;  // of order motion.order, or of order 1 where nothing moves it
    Motion motion;
  };

  void resize(std::size_t k);
  [[nodiscard]] std::span<double> field(std::size_t pattern) {
    return std::span<double>(fields_).subspan(pattern * n_, n_);
  }
  system::Evaluation evaluate(system::Evaluator& evaluator, const DecisionPoint& point,
                              std::span<double> xdot);
  // … of a pattern of sides; next to x where it has no value at x.
  system::Evaluation evaluate_near(system::Evaluator& evaluator, const DecisionPoint& point,
                                   std::span<const Index> guards, std::span<const double> sides,
                                   std::size_t pattern);
  [[nodiscard]] std::span<double> moved(std::size_t pattern) {
    return std::span<double>(moved_).subspan(pattern * n_, n_);
  }
  const Decision& failed(const system::Evaluation& evaluation);
  // ġ from a right-hand side, looked at closely where it is small.
  system::Evaluation first_rate(system::Evaluator& evaluator, const DecisionPoint& point, Index guard,
                                std::span<const double> xdot, Rate& rate);
  // The width of the instant: within it nothing is known but rounding.
  [[nodiscard]] static double width(const DecisionPoint& point);
  system::Evaluation close_look(system::Evaluator& evaluator, const DecisionPoint& point, Index guard);

  [[nodiscard]] bool crosses_continuously(system::Evaluator& evaluator, const DecisionPoint& point,
                                          std::span<const Index> zero, std::span<const double> before,
                                          system::Configuration& configuration);

  // One guard.
  system::Evaluation look_at_motion(system::Evaluator& evaluator, const DecisionPoint& point, Index guard,
                                    std::span<const double> xdot, Side& side);
  system::Evaluation look_at_side(system::Evaluator& evaluator, const DecisionPoint& point, Index guard,
                                  double which, std::size_t pattern, Side& side);
  const Decision& decide_one(system::Evaluator& evaluator, const DecisionPoint& point, Index guard,
                             double before, system::Configuration& configuration);
  void classify(const Side& plus, const Side& minus, bool may_slide, GuardDecision& guard) const;
  [[nodiscard]] bool asks_as_written(const GuardDecision& guard) const;
  [[nodiscard]] bool decide_values(system::Evaluator& plus, system::Evaluator& minus,
                                   const DecisionPoint& point, double before, GuardDecision& decided);
  system::Evaluation decide_as_written(system::Evaluator& evaluator, const DecisionPoint& point,
                                       GuardDecision& guard, system::Configuration& configuration);

  // Several guards (decision_several.cpp, decision_newton.cpp).
  struct Iteration;  // nonlinear/box_newton.hpp
  const Decision& decide_several(system::Evaluator& evaluator, const DecisionPoint& point,
                                 std::span<const Index> zero, std::span<const double> before,
                                 system::Configuration& configuration);
  [[nodiscard]] bool crosses_together(system::Evaluator& evaluator, const DecisionPoint& point);
  system::Evaluation gather_rates(system::Evaluator& evaluator, const DecisionPoint& point);
  system::Evaluation pattern_rates(system::Evaluator& evaluator, const DecisionPoint& point,
                                   std::size_t pattern, int order);
  [[nodiscard]] bool find_orders(system::Evaluator& evaluator, const DecisionPoint& point,
                                 system::Evaluation& evaluation);
  void build_affine_problem();
  [[nodiscard]] bool solve_affine(std::span<const double> corner, std::span<double> s);
  [[nodiscard]] double affine_force(std::size_t i, std::span<const double> s) const;
  [[nodiscard]] bool has_one_solution();
  [[nodiscard]] bool same_field(std::span<const double> a, std::span<const double> b) const;
  void look_for_others();
  void prefer_interior();
  system::Evaluation settle_touching(system::Evaluator& evaluator, const DecisionPoint& point);
  system::Evaluation evaluate_forces(system::Evaluator& evaluator, const DecisionPoint& point,
                                     std::size_t pattern);
  [[nodiscard]] double violation() const;
  [[nodiscard]] bool solves_problem() const;
  [[nodiscard]] bool turn_sides(system::Evaluator& evaluator, const DecisionPoint& point,
                                system::Configuration& configuration);
  [[nodiscard]] bool take_sides_alone(system::Evaluator& evaluator, const DecisionPoint& point,
                                      system::Configuration& configuration);
  system::Evaluation linearize(system::Evaluator& evaluator, const DecisionPoint& point, std::size_t pattern);
  system::Evaluation newton(system::Evaluator& evaluator, const DecisionPoint& point, bool& is_solution);
  system::Evaluation choose_as_written(system::Evaluator& evaluator, const DecisionPoint& point,
                                       system::Configuration& configuration);
  void resize_problem();
  void fix(std::size_t a, double value, GuardDecision::Kind kind, system::Evaluator& evaluator,
           system::Configuration& configuration);
  system::Evaluation solve_active(system::Evaluator& evaluator, const DecisionPoint& point,
                                  system::Configuration& configuration, bool& is_final);
  [[nodiscard]] bool leave_at_rest(system::Evaluator& evaluator, const DecisionPoint& point,
                                   system::Configuration& configuration);
  [[nodiscard]] bool wake_resting(system::Evaluator& evaluator, const DecisionPoint& point,
                                  system::Configuration& configuration);
  [[nodiscard]] bool bar_sliding(system::Evaluator& evaluator, const DecisionPoint& point,
                                 system::Configuration& configuration);
  void report_several(system::Evaluator& evaluator, system::Configuration& configuration);

  std::size_t n_;
  std::span<const system::GuardInfo> infos_;
  std::int64_t rhs_evaluations_ = 0;
  Decision decision_;
  std::vector<GuardDecision> guards_;
  system::GuardDerivatives derivatives_;
  std::vector<double> gradient_;
  std::vector<double> fields_;  // ẋ of each pattern, rows of n
  std::vector<double> moved_;   // where it was evaluated if not at x, rows of n
  std::vector<std::uint8_t> is_moved_;
  std::vector<Index> pattern_guards_;
  std::vector<double> pattern_sides_;

  // The problem of the guards that are still free: active_[a] is a place in guards_.
  std::vector<std::size_t> active_;
  std::vector<double>
      found_;  // by place in guards_: side of an answer that others were found not to rest with, 0: none
  std::vector<double> corner_;       // those, else sides before
  std::vector<Rate> rates_;          // [pattern][a]
  std::vector<int> orders_;          // by a
  std::vector<double> matrix_;       // M of F = M·s + q
  std::vector<double> vector_;       // q
  std::vector<double> force_noise_;  // of F
  std::vector<double> answer_;
  std::vector<double> forces_;  // F at answer_, evaluated
  std::vector<std::size_t> resting_;
  bool stays_as_written_ = false;
  bool has_corner_field_ = false;  // crosses_together has evaluated the sides before
  std::vector<double> other_;
  std::vector<double> start_;
  std::vector<double> work_;
  nonlinear::Lemke lemke_;
  linalg::MinimumNorm solver_;
};

}  // namespace saltus::slide
