/// The guards of a model in one mode as functions of (t, x): system::GuardFunctions, compiled.
///
/// Problem      for every guard g: value, bound of its rounding errors, gradient, total derivatives along ẋ = f up to
///              order 3, enclosures over boxes, and its shape as a function of (t, x).
/// Method       formulas of algebraic variables and derivatives are followed through the blocks of the mode, so g becomes a
///              tape (guard_tape.hpp) over time, states and held values. Noise: the tape run over intervals at the point.
///              Gradient: reverse accumulation over the tape, and through the equations of implicit blocks
///              (guard_closure.cpp). Rates over boxes: forward accumulation in intervals.
///              Derivatives: the Taylor series of g as nodes (expr/taylor.hpp) in which der(x) of order k is the total
///              derivative of order k - 1 of the formula of der(x). Unknowns of implicit blocks are solved first, then
///              they are inputs; what would need their derivatives in time is found by differences along the
///              solution (guard_differences.cpp).
/// Notation     solved: unknowns of implicit blocks.  held: inputs that keep their values (conditions, discrete values).
/// Contract     GuardCode has no number of a parameter in it; GuardSet is the code with one set of them. Both are immutable and
///              shared; a GuardRunner belongs to one thread and does not allocate after construction. Input registers and bindings are those of BlockSequence (block_sequence.hpp), so the same
///              held values go to both.
/// Fails when   a guard needs a leaf that nothing gives (a variable of another mode): can_evaluate() is false.
///              A value that is not finite: not_finite with culprit -1 - guard.
/// Cost         linear in the operations of the guards asked for. Derivatives stop at the order whose code would have more
///              than kMostDerivativeCode operations.
/// Checked by   tests/unit/program/guard_set_test.cpp, tests/unit/program/guard_closure_test.cpp,
///              tests/unit/program/guard_tube_test.cpp
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/archive.hpp"
#include "linalg/dense_lu.hpp"
#include "program/blocks/block_sequence.hpp"
#include "program/guards/guard_estimate.hpp"
#include "program/guards/guard_tape.hpp"
#include "program/guards/guard_tube.hpp"
#include "program/guards/time_series.hpp"
#include "system/guards.hpp"

namespace saltus::program {

/// A guard over thousands of states is decided by differences rather than by an expression of millions of nodes.
inline constexpr std::uint32_t kMostDerivativeCode = 50'000;

struct GuardSetRequest {
  std::span<const NodeId> guards;
  std::span<const structure::Block> blocks;
  std::span<const structure::Unknown> states;
  std::span<const structure::Unknown> derivatives;  ///< d/dt of the states
  std::size_t n_frozen_inputs = 0;                  ///< as for SequenceRequest
  LeafBindings bindings;                            ///< as given to SequenceCode
  std::uint32_t n_held = 0;
  std::span<const NodeId>
      effects;  ///< by guard: whether it has an effect (guard_effects.hpp); invalid: always
  std::span<const Index>
      guard_of_held;  ///< by held input: the guard whose side it is; -1 or beyond the end: none
};

class GuardCode {
 public:
  /// The graph grows.
  GuardCode(expr::Graph& graph, const GuardSetRequest& request);

  using Closure = GuardClosure;
  /// Guards over more unknowns are differentiated by differences and have no tubes: preconditioners are dense.
  static constexpr std::size_t kMostClosed = 64;
  /// … but estimates, up to so many unknowns of one guard, and of all closures of the set.
  static constexpr std::size_t kMostEstimated = 20'000;

  struct Guard {
    TapePiece value;
    TapePiece effect;       ///< one root, over held inputs alone; none: it always has one
    TapePiece derivatives;  ///< roots: orders 1, 2, … as far as they could be written down
    system::GuardShape shape;
    std::int32_t closure = -1;  ///< of what its value reads of implicit blocks; -1: nothing, or too much
    std::int32_t large = -1;    ///< where that is too much: among the large closures; -1: none
    std::optional<std::vector<Index>> states;  ///< that its value depends on; none: not known
    std::optional<std::vector<Index>> sides;   ///< guards whose sides its value depends on; none: not known
    std::uint32_t first_coefficient = 0;       ///< of an affine guard, in the runner's list
    bool has_series = false;  ///< it and its closure are affine in unknowns and states (guard_series.hpp)
  };

  [[nodiscard]] Index size() const { return static_cast<Index>(guards_.size()); }
  [[nodiscard]] bool can_evaluate(Index i) const { return (*this)[i].value.is_complete; }
  [[nodiscard]] const Guard& operator[](Index i) const { return guards_[static_cast<std::size_t>(i)]; }
  [[nodiscard]] const std::vector<Closure>& closures() const { return closures_; }
  /// Of more than kMostClosed unknowns.
  [[nodiscard]] const std::vector<Closure>& large_closures() const { return large_closures_; }
  [[nodiscard]] const GuardTape& tape() const { return tape_; }
  [[nodiscard]] const SeriesDependence& time_dependence() const { return time_dependence_; }
  /// All guards that can be evaluated without solving, at once.
  [[nodiscard]] const TapePiece& all() const { return all_; }
  [[nodiscard]] std::size_t n_states() const { return states_.size(); }
  [[nodiscard]] std::uint32_t n_held() const { return n_held_; }
  [[nodiscard]] std::size_t n_coefficients() const { return n_coefficients_; }
  [[nodiscard]] const std::vector<structure::Unknown>& states() const { return states_; }
  /// Gives the unknowns `solved_unknowns`, in this order; null: nothing is solved for.
  [[nodiscard]] const std::shared_ptr<const SequenceCode>& solved() const { return solved_; }
  [[nodiscard]] const std::vector<structure::Unknown>& solved_unknowns() const { return solved_unknowns_; }
  [[nodiscard]] const std::vector<std::uint32_t>& solved_inputs() const { return solved_inputs_; }
  /// Gives ẋ; only where some guard needs differences.
  [[nodiscard]] const std::shared_ptr<const SequenceCode>& rates() const { return rates_; }

 private:
  void compile_sequences(expr::Graph& graph, const GuardSetRequest& request);
  void find_series();

  std::vector<Guard> guards_;
  std::vector<Closure> closures_;
  std::vector<Closure> large_closures_;
  GuardTape tape_;
  SeriesDependence time_dependence_;
  TapePiece all_;
  std::uint32_t n_held_ = 0;
  std::size_t n_coefficients_ = 0;
  std::vector<structure::Unknown> states_;
  std::vector<structure::Unknown> solved_unknowns_;
  std::vector<std::uint32_t> solved_inputs_;
  bool needs_rates_ = false;
  std::shared_ptr<const SequenceCode> solved_;
  std::shared_ptr<const SequenceCode> rates_;
};

class GuardSet {
 public:
  using Closure = GuardCode::Closure;
  using Guard = GuardCode::Guard;

  /// `frozen_inputs` and `scale_of` as for BlockSequence.
  template <class ScaleOf>
  GuardSet(std::shared_ptr<const GuardCode> code, std::span<const double> frozen_inputs, ScaleOf scale_of)
      : code_(std::move(code)), numbers_(code_->tape(), frozen_inputs) {
    for (const structure::Unknown& state : code_->states()) {
      nominals_.push_back(scale_of(state).nominal);
    }
    for (const structure::Unknown& unknown : code_->solved_unknowns()) {
      solved_nominals_.push_back(scale_of(unknown).nominal);
    }
    if (code_->solved() != nullptr) {
      solved_.emplace(code_->solved(), frozen_inputs, scale_of);
    }
    if (code_->rates() != nullptr) {
      rates_.emplace(code_->rates(), frozen_inputs, scale_of);
    }
  }

  [[nodiscard]] const GuardCode& code() const { return *code_; }
  [[nodiscard]] Index size() const { return code_->size(); }
  [[nodiscard]] const Guard& operator[](Index i) const { return (*code_)[i]; }
  [[nodiscard]] const GuardTape& tape() const { return code_->tape(); }
  [[nodiscard]] const TapeNumbers& numbers() const { return numbers_; }
  [[nodiscard]] const std::vector<double>& nominals() const { return nominals_; }
  [[nodiscard]] const std::vector<double>& solved_nominals() const { return solved_nominals_; }
  [[nodiscard]] const std::optional<BlockSequence>& solved() const { return solved_; }
  [[nodiscard]] const std::optional<BlockSequence>& rates() const { return rates_; }

 private:
  std::shared_ptr<const GuardCode> code_;
  TapeNumbers numbers_;
  std::vector<double> nominals_;
  std::vector<double> solved_nominals_;
  std::optional<BlockSequence> solved_;
  std::optional<BlockSequence> rates_;
};

class GuardSeries;

/// The functions of system::GuardFunctions over a GuardSet.
class GuardRunner {
 public:
  /// `guess` and `store` as for SequenceRunner; without a store every point is solved for.
  explicit GuardRunner(const GuardSet& set, std::span<const double> guess = {},
                       SolutionStore* store = nullptr);
  ~GuardRunner();

  /// Sets held input i, counted from 0.
  void set_held(std::size_t i, double value);
  /// As SequenceRunner::copy_solutions.
  void copy_solutions(std::span<double> guess) const {
    if (solver_) {
      solver_->copy_solutions(guess);
    }
  }

  [[nodiscard]] system::GuardShape shape(Index i) const { return set_[i].shape; }
  [[nodiscard]] std::optional<std::span<const Index>> states(Index i) const {
    const auto& states = set_[i].states;
    return states ? std::optional(std::span<const Index>(*states)) : std::nullopt;
  }
  [[nodiscard]] std::optional<std::span<const Index>> sides(Index i) const {
    const auto& sides = set_[i].sides;
    return sides ? std::optional(std::span<const Index>(*sides)) : std::nullopt;
  }
  [[nodiscard]] bool has_effect(Index i);
  system::Evaluation values(std::span<const Index> which, double t, std::span<const double> x,
                            std::span<double> values);
  [[nodiscard]] double noise(Index i, double t, std::span<const double> x);
  system::Evaluation gradient(Index i, double t, std::span<const double> x, std::span<double> gradient,
                              double& time_derivative);
  [[nodiscard]] system::AffineGuard affine(Index i) const;
  system::Evaluation derivatives(Index i, double t, std::span<const double> x,
                                 system::GuardDerivatives& derivatives);
  [[nodiscard]] Interval enclose(Index i, const Interval& t, std::span<const Interval> x);
  [[nodiscard]] Interval enclose_rate(Index i, const Interval& t, std::span<const Interval> x,
                                      std::span<const Interval> xdot);
  /// … of a guard over unknowns of implicit blocks, along a curve (guard_bounds.cpp).
  [[nodiscard]] system::GuardBounds bound(Index i, const system::CurvePiece& piece);

  void fields(Archive& a);

 private:
  struct Sample {
    double value = 0.0;
    double noise = 0.0;
  };
  struct Difference {
    Sample before;
    Sample after;
    double slope = 0.0;
    double rounding = 0.0;  ///< of the slope
    double formula = 0.0;   ///< its error by what twice the step gives
  };

  [[nodiscard]] system::Evaluation solve(double t, const double* x);
  [[nodiscard]] system::Evaluation prepare(const TapePiece& piece, double t, const double* x);
  void widen_solved_errors(double t, std::span<const double> x);
  void run_point_intervals(const TapePiece& piece, double t, std::span<const double> x, double state_error);
  [[nodiscard]] static double radius(double value, const Interval& enclosure);
  void compute_affine(const GuardSet::Guard& guard) const;
  void run_adjoints(const TapePiece& piece, std::int32_t root, std::span<const Index> states,
                    std::span<const std::uint32_t> inputs, std::span<const double> x,
                    std::span<double> gradient);
  // Of guard_bounds.cpp.
  [[nodiscard]] bool solve_piece(const GuardSet::Closure& closure, const system::CurvePiece& piece);
  [[nodiscard]] bool make_tube(const GuardSet::Closure& closure, GuardTube& tube,
                               const system::CurvePiece& piece);
  void refine(Index i, const GuardTube& tube, const system::CurvePiece& piece, system::GuardBounds& bounds);
  [[nodiscard]] system::GuardBounds estimate(const GuardSet::Guard& guard, const system::CurvePiece& piece);
  [[nodiscard]] TapeMemory memory();
  // Of guard_closure.cpp. False: the equations are singular there.
  [[nodiscard]] bool knows_closure(const GuardSet::Guard& guard, std::span<const double> x) const;
  [[nodiscard]] bool differentiate_closure(const GuardSet::Guard& guard, std::span<const double> x);
  [[nodiscard]] bool multiply_closure(const GuardSet::Guard& guard, std::span<const double> x,
                                      std::span<double> gradient);
  [[nodiscard]] bool is_near_rounding(const GuardSet::Guard& guard, double value) const;
  [[nodiscard]] double noise_through_blocks(const GuardSet::Guard& guard, std::span<const double> x);
  [[nodiscard]] bool gradient_through_blocks(const GuardSet::Guard& guard, std::span<const double> x,
                                             std::span<double> gradient, double& time_derivative);
  system::Evaluation gradient_by_differences(Index i, double t, std::span<const double> x,
                                             std::span<double> gradient, double& time_derivative);
  // Of guard_differences.cpp
  [[nodiscard]] std::optional<double> rate_through_blocks(Index i, double t, std::span<const double> x);
  template <class SampleAt>
  [[nodiscard]] static bool central_difference(const SampleAt& sample, double h, Difference& difference);
  template <class SampleAt>
  [[nodiscard]] static bool resolved_difference(const SampleAt& sample, std::optional<double> known,
                                                double& scale, Difference& best);
  system::Evaluation difference_derivatives(Index i, double t, std::span<const double> x,
                                            system::GuardDerivatives& derivatives);
  system::Evaluation one_sided_derivative(Index i, double t, std::span<const double> x, double h,
                                          const Sample& beside, system::GuardDerivatives& derivatives);
  system::Evaluation sample_guard(Index i, double t, Sample& sample);
  system::Evaluation sample_first_derivative(Index i, double t, Sample& sample);
  void place_on_curve(std::span<const double> x, double h);
  [[nodiscard]] double time_scale(double t, std::span<const double> x) const;

  const GuardSet& set_;
  mutable std::vector<double> registers_;
  std::vector<Interval> intervals_;
  std::vector<Interval> tangents_;
  mutable std::vector<double> adjoints_;
  std::vector<Interval> point_;  // states as intervals
  mutable std::vector<double> state_adjoints_;
  std::vector<double> solved_errors_;  // by input register of the tape
  std::vector<double> solution_;       // of the implicit blocks
  std::vector<double> rounded_point_;  // the states beside their rounding errors
  std::vector<double> rounded_;        // the solution there
  mutable std::vector<Index> affine_states_;
  mutable std::vector<double> coefficients_;
  struct AffineNumbers {
    double time_coefficient = 0.0;
    double constant = 0.0;
    std::uint64_t version = 0;  // 0: not computed
  };
  mutable std::vector<AffineNumbers> affine_;
  std::uint64_t version_ = 1;
  std::optional<SequenceRunner> solver_;
  std::optional<SequenceRunner> rates_;
  // Closures
  std::vector<std::unique_ptr<linalg::DenseLu>> closure_solvers_;  // by order
  struct KnownClosure {
    std::uint64_t version = 0;  ///< of what is held; 0: none
    const GuardSet::Guard* guard = nullptr;
    double t = 0.0;
    std::vector<double> x;
  };
  KnownClosure known_closure_;  // whose derivatives closure_rows_ and its solver have
  std::vector<double> multipliers_;
  std::vector<double> closure_rows_;  // row after row: by state of the guard, then by time
  // Tubes
  std::vector<GuardTube> tubes_;          // by closure
  std::vector<GuardEstimate> estimates_;  // by large closure
  std::unique_ptr<GuardSeries> series_;   // null: no guard has one
  std::vector<double> value_tangents_;
  std::vector<Interval> interval_adjoints_;
  std::vector<Interval> interval_gradient_;
  std::vector<Continuity> levels_;
  std::vector<double> tube_start_;   // the unknowns where a piece begins …
  std::vector<double> tube_point_;   // … and at its point,
  std::vector<double> tube_errors_;  // and what solving for them leaves
  // Differences
  std::vector<double> moved_;
  std::vector<double> rate_;
  std::vector<double> rate_change_;
  std::vector<double> neighbour_rate_;
  std::vector<double> new_rate_change_;
};

}  // namespace saltus::program
