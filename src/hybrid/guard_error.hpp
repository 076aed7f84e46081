/// Problem      the error test of a step weighs the states; a guard that amplifies them, g = 1000 (x - y), may be wrong by a
///              thousand tolerances, and with it the time of its event
/// Method       the idea of [PB96]: g under the error control of the method, as a state would be. A step of states x₁ with the
///              error estimate e changes g by g(t₁, x₁) - g(t₁, x₁ - e): a difference along e and not the gradient times e, so
///              that algebraic unknowns follow from the equations and all guards cost two evaluations
/// Notation     1 is the tolerance: |g(x₁) - g(x₁ - e)| / (atol + rtol |g(x₁)|), the largest of all watched guards
/// Contract     an ErrorRule for the loop over steps; guards that cannot be evaluated at one of the points say nothing
/// Choices      The largest counts, not a mean over states and guards: one guard among a thousand states decides on its event.
///              The absolute tolerance is that of a state of nominal value 1; who wants another scales the condition.
///              The error is that of the step. What a step inherits from those before it is no more controlled than in states.
/// Cost         two evaluations of the guards for each step that the states accept
/// Checked by   tests/events/guard_error_test.cpp
#pragma once

#include <span>
#include <vector>

#include "base/archive.hpp"
#include "integrate/advance.hpp"
#include "locate/watch.hpp"
#include "system/locked_dae.hpp"

namespace saltus::hybrid {

class GuardError final : public integrate::ErrorRule {
 public:
  explicit GuardError(double atol) : atol_(atol) {}

  /// What the next steps are asked about; both outlive them.
  void watch(system::Evaluator& evaluator, std::span<const locate::Watch> watches);

  double error_of(const integrate::Stepper& stepper) override;
  [[nodiscard]] std::int64_t evaluations() const { return n_evaluations_; }

  void fields(Archive& a) {
    // Not saved: atol_.
    a.pointer(evaluator_);
    a(guards_, point_, values_, moved_, n_evaluations_);
  }

 private:
  double atol_;
  system::Evaluator* evaluator_ = nullptr;
  std::vector<Index> guards_;
  std::vector<double> point_;
  std::vector<double> values_;
  std::vector<double> moved_;
  std::int64_t n_evaluations_ = 0;
};

}  // namespace saltus::hybrid
