/// Forward sensitivities of a run: S = ∂x/∂p along its steps and through its instants ([sensitivities](docs/math/sensitivities.md)).
///
/// Contract     an observer between the run and its recorder: everything is passed on unchanged and in its order, and the run itself is,
///              bit for bit, the one without sensitivities.
#pragma once

#include <memory>
#include <span>

#include "hybrid/run.hpp"
#include "sensitivity/setup.hpp"

namespace saltus::sensitivity {

class ForwardRun : public hybrid::RunObserver {
 public:
  /// After the run: the row of an instant that ended it. There S is the derivative of the values themselves, with the time of the instant.
  virtual void finish() = 0;
};

/// All that it is given outlives it. `guess`: InitialPoint::guess of the run.
[[nodiscard]] std::unique_ptr<ForwardRun> observe_forward(const system::HybridSystem& system,
                                                          const hybrid::Options& options,
                                                          std::span<const double> guess, const Setup& setup,
                                                          hybrid::RunObserver& recorder, Listener& listener);

}  // namespace saltus::sensitivity
