/// λ along the steps of a stretch, from its end to its start: the adjoint equation along the dense solution of the run.
///
/// Problem    -λ̇ = (∂f/∂x)ᵀ·λ, and ∫ λᵀ·∂f/∂p dt, ∫ λᵀ·∂f/∂d dt
/// Method     the continuous adjoint. Explicit steps: the Dormand-Prince pair on pullbacks of the rates. Implicit steps: Radau IIA on the
///            residual form (backward_stages.hpp). Integrals with the nodes and weights of the step.
/// Contract   a step whose error in λ is too large is divided. Errors are measured in rtol·|λᵢ| + αᵢ·max |λⱼ|·nⱼ/nᵢ, αᵢ = atolᵢ/nᵢ, n nominal
///            values: what an error of the states of one tolerance is to the sum that λ belongs to.
/// Choices    continuous, not the discrete adjoint of the steps: the instants of a run and its methods are many, and the error of this one is
///            measured. Forward and adjoint agree to the tolerance, not to rounding.
/// Fails when an evaluation fails (a point without derivatives), a matrix is singular, or steps become too small
/// Checked by tests/sensitivity/adjoint_test.cpp
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "sensitivity/adjoint/backward_stages.hpp"
#include "sensitivity/adjoint/tape.hpp"

namespace saltus::sensitivity {

/// Of stretches of one field.
class BackwardFlow {
 public:
  explicit BackwardFlow(AdjointField& field);

  /// A stretch begins, at its end.
  void begin();
  /// Over one step.
  [[nodiscard]] system::Evaluation pass(const TapeStep& step, AdjointSums& sums);

 private:
  [[nodiscard]] system::Evaluation explicit_step(const trajectory::SegmentView& segment, double from,
                                                 double width, std::span<const double> lambda);
  void accept(bool is_implicit, double h, AdjointSums& sums);
  [[nodiscard]] double error_of(std::span<const double> lambda) const;

  AdjointField& field_;
  std::unique_ptr<BackwardStages> stages_;  // made when it is needed
  std::vector<double> x_;
  std::vector<Pulled> pulled_;
  std::vector<double> argument_;
  std::vector<double> result_;  // of a step that is tried …
  std::vector<double> error_;   // … and its estimated error
  double largest_ = 1.0;        // part of a step that was accepted last
};

}  // namespace saltus::sensitivity
