/// A hybrid system given by C++ functions: what black boxes offer through the same interface as compiled models, with
/// fewer promises.
///
/// Choices      Guards are opaque unless declared affine. Gradients that are not given are differenced; so are the rates
///              of a guard, of which two orders are known.
///              While sliding the equations are the multilinear blend of their values on the sides, 2^k calls for k
///              surfaces, unless the right-hand side says that it takes weights itself.
///              A mode with a residual is reduced by ranks of its derivative array (residual_array.hpp), whatever its index.
/// Checked by   tests/unit/callback/callback_system_test.cpp
#pragma once

#include <memory>

#include "callback/callback_model.hpp"
#include "system/hybrid_system.hpp"

namespace saltus::callback {

/// Precondition: the sizes agree, every guard has a value (affine or guard_values) and every mode has equations unless there are
/// no states.
[[nodiscard]] std::shared_ptr<const system::HybridSystem> make_callback_system(CallbackModel model);

}  // namespace saltus::callback
