/// Problem      a step could not be evaluated, perhaps because a guard's surface lies within it and its side has no value
///              beyond: which size ends just before that surface, so that the root lies in [h, 1.3 h] and is found on the
///              extension without an evaluation on the wrong side (docs/semantics.md 2.2)
/// Method       the first root of the Taylor polynomials of the watched guards, from their derivatives at the start of the
///              step; the size is that divided by a little more than one [CMR16] 2.2
/// Contract     a guess: where it fails, smaller ones follow, then the controller decides
/// Cost         derivatives of all watched guards, for steps that fail only
/// Checked by   tests/unit/hybrid/before_surface_test.cpp
#pragma once

#include <span>

#include "integrate/advance.hpp"
#include "locate/watch.hpp"
#include "system/locked_dae.hpp"

namespace saltus::hybrid {

class BeforeSurface final : public integrate::FailureRule {
 public:
  /// All outlive this object. `direction` of the run; `is_first`: no step has been kept since the restart.
  BeforeSurface(system::Evaluator& evaluator, const integrate::Stepper& stepper,
                std::span<const locate::Watch> watches, double direction, bool is_first)
      : evaluator_(evaluator),
        stepper_(stepper),
        watches_(watches),
        direction_(direction),
        is_first_(is_first) {}

  double size_after(double tried) override;

 private:
  [[nodiscard]] double first_root(double tried);

  system::Evaluator& evaluator_;
  const integrate::Stepper& stepper_;
  std::span<const locate::Watch> watches_;
  double direction_;
  bool is_first_;
  double root_ = -1.0;  // known after the first question
  std::size_t n_asked_ = 0;
};

}  // namespace saltus::hybrid
