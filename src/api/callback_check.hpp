/// What is wrong with a system given by C++ functions, in the names of the user; no function is called.
///
/// Checked by   tests/unit/api/callback_model_test.cpp
#pragma once

#include <vector>

#include "saltus/callback_model.hpp"

namespace saltus::api {

[[nodiscard]] Diagnostics check_callback_model(const CallbackModel& model);
/// Start values and parameters that are set.
void apply_set(Diagnostics& problems, CallbackModel& model, const std::vector<SetValue>& set);

}  // namespace saltus::api
