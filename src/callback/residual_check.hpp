/// What is found out about functions by asking them at and beside the start, before a run relies on them.
///
/// Problem      which unknowns occur differentiated; whether what is given (Jacobian, array) belongs to the residual; whether the functions
///              give the same numbers twice; how many derivatives differences give with enough digits
/// Method       points: the start, and two beside it by parts of the nominal values, with derivatives of their size. An unknown occurs
///              differentiated if at one of them, with sides as they are or all +1 or all -1, the residual changes with ẋ. What is given is
///              compared with differences (residual_derivatives.hpp), whose own errors are estimated.
/// Contract     A point at which a function throws or has no value says nothing: the run will meet it.
/// Choices      An array by differences is trusted up to kMostArrayError: the tolerance of ranks lies ten times above
///              (linalg/rank_decision.hpp).
/// Checked by   tests/unit/callback/residual_derivatives_test.cpp
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "callback/callback_model.hpp"

namespace saltus::callback {

inline constexpr double kMostArrayError = 1e-11;

struct ResidualMismatch {
  std::string row;
  std::string column;  ///< empty: the value of the row itself
  double given = 0.0;
  double differenced = 0.0;
};

struct ResidualFindings {
  std::optional<ResidualMismatch> mismatch;  ///< the first
  int differenced_order = 0;                 ///< CallbackResidual::differenced_order
  double error_beyond = 0.0;
};

/// The name of a function that gives other numbers when it is asked again at the start; empty: none does.
[[nodiscard]] std::string find_not_repeatable(const std::shared_ptr<const CallbackModel>& model, double t);
/// An entry of a guard's gradient that differences do not agree with: the row is the guard.
[[nodiscard]] std::optional<ResidualMismatch> find_wrong_gradient(
    const std::shared_ptr<const CallbackModel>& model, double t);
/// By unknown: whether a residual of the model contains its derivative.
[[nodiscard]] std::vector<std::uint8_t> find_differentiated(const CallbackModel& model, double t);
/// `is_differential` of the model is known.
[[nodiscard]] ResidualFindings inspect_residual(const std::shared_ptr<const CallbackModel>& model,
                                                std::size_t mode, double t);

}  // namespace saltus::callback
