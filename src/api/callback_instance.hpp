/// A system given by C++ functions, checked and made ready for a run.
///
/// Contract     no function is called before the model and the options are found to be sound; then all of them are, at the start values. Warnings
///              are added to `problems`, and an error holds all that was found.
/// Checked by   tests/unit/api/callback_model_test.cpp, tests/unit/api/callback_simulation_test.cpp
#pragma once

#include "api/model/instance.hpp"
#include "api/options/run_settings.hpp"
#include "saltus/callback_model.hpp"

namespace saltus::api {

struct CallbackInstance {
  Instance instance;
  RunSettings settings;
  Diagnostics warnings;
};

[[nodiscard]] Result<CallbackInstance> callback_instance(const CallbackModel& model,
                                                         const SimulationOptions& options);

}  // namespace saltus::api
