/// Functionals of one run, with their derivatives: terms from its sensitivities, functionals by the chain rule.
///
/// Method       final(e) and integral(e) are final values of variables and their final sensitivities, which move with the end where an event
///              ended the run. Terms at an event are values at t*(p): S + ẋ·∂t*/∂p ([sensitivities](docs/math/sensitivities.md), functionals).
///              Or, for many names: all terms of a functional by one way back (sensitivity/adjoint/go_back.hpp).
/// Contract     NaN where a derivative does not exist or is not known; `problem` says why there are no values at all. Where an event that moves
///              lies exactly at the stop, and something jumps there, final values have no derivative.
/// Checked by   tests/gradient/gradient_test.cpp
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/gradient/functional_model.hpp"
#include "saltus/options.hpp"
#include "saltus/result.hpp"
#include "saltus/simulate.hpp"

namespace saltus::api {

/// chosen: by the number of names.
enum class GradientBy : std::uint8_t { chosen, forward, adjoint };

/// From this many names on the way back is chosen. Up to there forward sensitivities cost less: docs/math/sensitivities.md has the table.
inline constexpr std::size_t kNamesForAdjoint = 20;

/// Of the tape of an adjoint, 128 MB: a run of 10,000 steps with 200 states fits.
inline constexpr std::size_t kTapeNumbers = 16'000'000;

struct GradientWay {
  GradientBy way = GradientBy::forward;
  std::size_t most_numbers = kTapeNumbers;  ///< at a time, of the tape of an adjoint
};

struct EvaluatedFunctionals {
  GradientBy by = GradientBy::forward;
  SimulationResult run;  ///< without rows
  std::string problem;   ///< empty: there are values
  std::vector<std::string> names;
  std::vector<double> at;  ///< values of parameters and start values
  std::vector<double> terms;
  std::vector<double> term_gradients;  ///< [term][name]
  std::vector<double> values;          ///< by functional
  std::vector<double> gradients;       ///< [functional][name]
  std::vector<double> noise;           ///< by functional: what relative tolerances in its terms make of it
  std::size_t n_pieces = 1;            ///< of the tape
  std::string without_adjoint;  ///< why the way back gives no gradient; empty: it does, or was not asked
};

/// By adjoint there are no derivatives of single terms; where the way back finds no gradient (`without_adjoint`), forward sensitivities may say
/// more: they need derivatives in the directions of the names only. `with`: as SimulationOptions::sensitivities. The error holds what is wrong with options and names; `option`: that messages name.
[[nodiscard]] Result<EvaluatedFunctionals> evaluate(const FunctionalModel& functionals,
                                                    const SimulationOptions& options,
                                                    const std::vector<std::string>& with,
                                                    std::string_view option = "--with",
                                                    const GradientWay& by = {});

}  // namespace saltus::api
