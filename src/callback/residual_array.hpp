/// The derivative array of a mode with a residual (LockedEquations::derivative_array), for ranks.
///
/// Contract     Every unknown occurs in every row but where the model says that its derivative does not.
/// Fails when   the depth is beyond what the user gives, or beyond what differences give with enough digits to decide ranks:
///              no-derivative-array, which says by how much
/// Checked by   tests/unit/callback/residual_derivatives_test.cpp
#pragma once

#include <memory>

#include "callback/callback_model.hpp"
#include "saltus/result.hpp"
#include "system/equation_set.hpp"

namespace saltus::callback {

[[nodiscard]] Result<std::shared_ptr<const system::EquationSet>> make_residual_array(
    std::shared_ptr<const CallbackModel> model, std::size_t mode, int depth);

}  // namespace saltus::callback
