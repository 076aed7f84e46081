/// Problem      a mode without states has no error test: nothing keeps a step from going over whole periods of what its variables do,
///              whose solutions by iteration may then end on another branch, and whose guards are sampled too coarsely
/// Method       the variables themselves are interpolated over the step at nine Chebyshev points; the last two coefficients of the
///              interpolants are their error [Tre13], which is held to the tolerance as that of a state would be
/// Notation     1 is the tolerance: (|c₇| + |c₈|) / (rtol (1 + max |v|)), the largest of all variables
/// Contract     an ErrorRule for the loop over steps, for every method. Points are gone through in the order of time, from the
///              solution at the start of the step, so that a branch is followed. A step whose start cannot be evaluated is not judged.
/// Choices      A run has at least kLeastSteps steps: nine points say nothing of a whole run. Steps below kShortestShare of the run are
///              not judged: a variable that jumps without an event is never resolved.
///              Variables have nominal value 1 here, as guards have in guard_error.hpp.
/// Cost         eight evaluations of the variables for each step
/// Checked by   tests/events/no_states_test.cpp
#pragma once

#include <array>
#include <span>
#include <vector>

#include "base/archive.hpp"
#include "integrate/advance.hpp"
#include "system/locked_dae.hpp"

namespace saltus::hybrid {

class OutputError final : public integrate::ErrorRule {
 public:
  /// `span`: length of the run. `n_values`: variables, `n_guess`: as for Evaluator::copy_output_solutions.
  OutputError(double span, std::size_t n_values, std::size_t n_guess);

  /// The longest step that is not too long whatever the variables do.
  [[nodiscard]] double longest_step() const { return longest_; }
  /// A stretch begins: what the next steps are asked about; it outlives them.
  void restart(system::Evaluator& evaluator);

  double error_of(const integrate::Stepper& stepper) override;

  void fields(Archive& a) {
    // Not saved: span_, longest_, n_values_.
    a.pointer(evaluator_);
    a(has_start_, end_time_, start_, values_);
  }

 private:
  void take_start(double t);
  [[nodiscard]] double tail_of(std::size_t variable, double rtol) const;

  double span_;
  double longest_;
  system::Evaluator* evaluator_ = nullptr;
  bool has_start_ = false;  // start_ is where the iterations were at the start of the step
  double end_time_ = 0.0;   // of the step that was looked at last
  std::vector<double> start_;
  std::vector<double> values_;  // point by point
  std::size_t n_values_;
};

}  // namespace saltus::hybrid
