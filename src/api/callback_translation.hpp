/// From the structures of the public header to those of src/callback: names become places, parameters are handed to the functions, and what
/// these throw becomes system::FunctionFailed with the name of the function.
///
/// Checked by   tests/unit/api/callback_model_test.cpp
#pragma once

#include "callback/callback_model.hpp"
#include "saltus/callback_model.hpp"

namespace saltus::api {

/// Precondition: check_callback_model() has found nothing.
[[nodiscard]] callback::CallbackModel translate(const CallbackModel& model);

}  // namespace saltus::api
