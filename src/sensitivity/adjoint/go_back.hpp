/// Adjoint gradients: how one number that a run gives moves with all parameters and start values, from one way back.
///
/// Problem    J = Σ weights of variables at the end and at instants; ∂J/∂p of many p
/// Method     λ = (∂J/∂x)ᵀ backwards over the tape of the run: between instants by the adjoint equation (backward_flow.hpp), at instants
///            by the transpose of what they do (instant_columns.hpp), at the start by the derivative of the initial values.
///            ([sensitivities](docs/math/sensitivities.md), adjoint)
/// Contract   where forward sensitivities would be undefined it says so instead of a gradient.
/// Cost       the way back costs a few runs, whatever the number of parameters, if evaluators offer pullbacks
/// Checked by tests/sensitivity/adjoint_test.cpp
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sensitivity/adjoint/instant_columns.hpp"
#include "sensitivity/adjoint/tape.hpp"
#include "sensitivity/field/setup.hpp"

namespace saltus::sensitivity {

struct AdjointQuestion {
  std::vector<double> final_values;                 ///< weights by variable; empty: none counts
  std::map<std::int64_t, InstantWeights> instants;  ///< by number, from 1
};

struct AdjointAnswer {
  std::vector<double> gradient;  ///< by column; NaN: undefined
  std::string problem;           ///< why there is none; empty: there is one
  double t = 0.0;                ///< where
};

/// All that it is given outlives it. `guess`: InitialPoint::guess of the run. `n_states`: the largest number of states (Tape::most_states).
class WayBack {
 public:
  WayBack(const system::HybridSystem& system, const hybrid::Options& options, std::span<const double> guess,
          const Setup& setup, std::size_t n_states, const AdjointQuestion& question);
  ~WayBack();
  WayBack(const WayBack&) = delete;
  WayBack& operator=(const WayBack&) = delete;

  /// Over a piece, the last one first. False: there is no gradient.
  [[nodiscard]] bool pass(const Tape& piece);
  /// At the start; or why it was not reached.
  [[nodiscard]] AdjointAnswer finish();

 private:
  class Path;
  std::unique_ptr<Path> path_;
};

}  // namespace saltus::sensitivity
