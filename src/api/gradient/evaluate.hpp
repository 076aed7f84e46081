/// Functionals of one run, with their derivatives: terms from its sensitivities, functionals by the chain rule.
///
/// Method       final(e) and integral(e) are final values of variables and their final sensitivities, which move with the end where an event
///              ended the run. Terms at an event are values at t*(p): S + ẋ·∂t*/∂p ([sensitivities](docs/math/sensitivities.md), functionals).
/// Contract     NaN where a derivative does not exist or is not known; `problem` says why there are no values at all. Where an event that moves
///              lies exactly at the stop, and something jumps there, final values have no derivative.
/// Checked by   tests/gradient/gradient_test.cpp
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/gradient/functional_model.hpp"
#include "saltus/options.hpp"
#include "saltus/result.hpp"
#include "saltus/simulate.hpp"

namespace saltus::api {

struct EvaluatedFunctionals {
  SimulationResult run;  ///< without rows
  std::string problem;   ///< empty: there are values
  std::vector<std::string> names;
  std::vector<double> at;  ///< values of parameters and start values
  std::vector<double> terms;
  std::vector<double> term_gradients;  ///< [term][name]
  std::vector<double> values;          ///< by functional
  std::vector<double> gradients;       ///< [functional][name]
};

/// `with`: as SimulationOptions::sensitivities. The error holds what is wrong with options and names; `option`: that messages name.
[[nodiscard]] Result<EvaluatedFunctionals> evaluate(const FunctionalModel& functionals,
                                                    const SimulationOptions& options,
                                                    const std::vector<std::string>& with,
                                                    std::string_view option = "--with");

}  // namespace saltus::api
