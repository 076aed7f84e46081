/// Forward sensitivities of a run: S = ∂x/∂p along its steps and through its instants ([sensitivities](docs/math/sensitivities.md)).
///
/// Contract     an observer between the run and its recorder: everything is passed on unchanged and in its order, and the run itself is,
///              bit for bit, the one without sensitivities.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "hybrid/run.hpp"
#include "sensitivity/field/setup.hpp"

namespace saltus::sensitivity {

class ForwardRun : public hybrid::RunObserver {
 public:
  /// After the run: the row of an instant that ended it. There S is the derivative of the values themselves, with the time of the instant.
  virtual void finish() = 0;

  /// S and D in place of those that it has, at the point where the next stretch begins or the next instant takes place: whoever takes a run
  /// apart goes through its instants one by one. Everything is defined again. `step_size`: of the step before.
  virtual void restart(std::span<const double> s, std::span<const double> discrete, double step_size) = 0;
  [[nodiscard]] virtual std::span<const double> states() const = 0;    ///< S
  [[nodiscard]] virtual std::span<const double> discrete() const = 0;  ///< D
  /// Why something has become undefined since the last restart(); empty: nothing has.
  [[nodiscard]] virtual const std::string& problem() const = 0;
};

/// All that it is given outlives it. `guess`: InitialPoint::guess of the run.
[[nodiscard]] std::unique_ptr<ForwardRun> observe_forward(const system::HybridSystem& system,
                                                          const hybrid::Options& options,
                                                          std::span<const double> guess, const Setup& setup,
                                                          hybrid::RunObserver& recorder, Listener& listener);

}  // namespace saltus::sensitivity
