/// An instant on the way back: the transpose of what it does to S.
///
/// Problem    λ⁺ and the multipliers of discrete values after an instant, with the weights of what functionals ask for there; wanted are those before
///            it and what falls to the gradient ([sensitivities](docs/math/sensitivities.md), adjoint)
/// Method     everything that an instant does to S is linear: σ, saltation, the factors of its move, constraints. Forward sensitivities
///            through this one instant (forward.hpp) of unit changes of every state and discrete value, made consistent with the
///            constraints before it, and of the given columns are the rows of that map, and multiplying by λ⁺ from the left is its transpose.
/// Contract   what is undefined for forward sensitivities in one of these directions is undefined here. Unit changes that would leave a surface on which
///            the run rests are no changes of the run (stretch_start.hpp).
/// Cost       one instant of forward sensitivities with as many columns as there are states, discrete variables and parameters
/// Checked by tests/sensitivity/adjoint_test.cpp
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sensitivity/adjoint/adjoint_field.hpp"
#include "sensitivity/adjoint/tape.hpp"
#include "sensitivity/field/silent_observer.hpp"
#include "sensitivity/forward.hpp"

namespace saltus::sensitivity {

/// How what is asked for depends on values at an instant. By variable; empty: on none.
struct InstantWeights {
  std::vector<double> before;  ///< at t*(p), before it
  std::vector<double> after;   ///< … and after it
  double time = 0.0;           ///< of t* itself
  bool is_counted = false;     ///< later instants are asked for, by numbers that count this one once

  [[nodiscard]] bool empty() const { return before.empty() && after.empty() && time == 0.0; }
};

class InstantColumns {
 public:
  explicit InstantColumns(AdjointSources& sources);
  ~InstantColumns();
  InstantColumns(const InstantColumns&) = delete;
  InstantColumns& operator=(const InstantColumns&) = delete;

  /// From the stretch after it to the stretch before it; `step_size`: of the last step before. `sums` become those before. False: undefined, problem()
  /// says why.
  [[nodiscard]] bool pass(const TapeStretch& before, const TapeInstant& instant, const TapeStretch& after,
                          const InstantWeights& weights, double step_size, AdjointSums& sums);
  /// The start, by the given columns themselves: nothing is left in `sums` but the gradient.
  [[nodiscard]] bool pass_start(const TapeInstant& instant, const TapeStretch& after,
                                const InstantWeights& weights, AdjointSums& sums);
  /// An instant that ends the run: `values` are weights of the last values, which move with it. `sums` begin here.
  [[nodiscard]] bool pass_last(const TapeStretch& before, const TapeInstant& instant,
                               std::span<const double> values, const InstantWeights& weights,
                               double step_size, AdjointSums& sums);
  [[nodiscard]] const std::string& problem() const { return problem_; }

 private:
  class Ear;
  [[nodiscard]] std::unique_ptr<ForwardRun> forward_of(const Setup& setup);
  void hear(const InstantWeights& weights, bool keeps_rows);
  void prepare(const TapeStretch& before, const TapeInstant& instant, double step_size);
  [[nodiscard]] bool go_through(const TapeInstant& instant, const TapeStretch& after,
                                const InstantWeights& weights, ForwardRun& forward, const AdjointSums& sums,
                                std::vector<double>& totals);
  [[nodiscard]] bool gather(const InstantWeights& weights, std::vector<double>& totals);
  [[nodiscard]] bool take(const TapeStretch& before, std::span<const double> totals, AdjointSums& sums);

  AdjointSources& sources_;
  SilentObserver silence_;
  std::unique_ptr<Ear> ear_;
  std::unique_ptr<ForwardRun> forward_;
  std::string problem_;
};

}  // namespace saltus::sensitivity
