/// Runs of small systems of functions.
#pragma once

#include "hybrid/run.hpp"
#include "support/run_recorder.hpp"

namespace saltus::hybrid::test {

using settle::test::EventRow;
using settle::test::options_to;
using settle::test::Recorder;

inline RunOutcome run_callbacks(const callback::CallbackModel& model, const Options& options,
                                RunObserver& observer) {
  const auto system = callback::make_callback_system(model);
  const auto initial = system->initial(options.start);
  return run(*system, initial.value(), options, observer);
}

/// x'' = -sign(x)
inline callback::CallbackModel relay(double x, double v) {
  callback::CallbackModel model;
  model.states = {"x", "v"};
  model.initial = {x, v};
  model.guards.resize(1);
  model.guards[0].name = "x";
  model.guards[0].affine = {{1.0, 0.0}, 0.0, 0.0};
  model.rhs_takes_weights = true;
  model.rhs = [](const callback::CallbackPoint& at, std::span<double> xdot) {
    xdot[0] = at.x[1];
    xdot[1] = -at.sides[0];
  };
  return model;
}

/// h'' = -1, v ← -e v at h = 0
inline callback::CallbackModel ball(double height, double restitution) {
  callback::CallbackModel model;
  model.states = {"h", "v"};
  model.initial = {height, 0.0};
  model.guards.resize(1);
  model.guards[0].name = "h";
  model.guards[0].type = callback::CallbackGuard::Type::unilateral;
  model.guards[0].affine = {{1.0, 0.0}, 0.0, 0.0};
  model.guards[0].in_equations = false;
  model.guards[0].reset_side = -1.0;
  model.guards[0].reset = [restitution](const callback::CallbackPoint& at, std::span<double> x,
                                        std::span<double> /*parameters*/) { x[1] = -restitution * at.x[1]; };
  model.rhs = [](const callback::CallbackPoint& at, std::span<double> xdot) {
    xdot[0] = at.x[1];
    xdot[1] = -1.0;
  };
  return model;
}

}  // namespace saltus::hybrid::test
