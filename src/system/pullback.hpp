/// How a weighted sum of what a system computes moves with every argument: the transpose of tangents.hpp, for one set of weights.
///
/// Problem      r(t, x, d, p) with weights w: wᵀ·∂r/∂t, wᵀ·∂r/∂x, wᵀ·∂r/∂d, wᵀ·∂r/∂p, at a cost that does not depend on the number of arguments
/// Contract     Exact, as tangents are, through implicit blocks by transposed solves. Truths of conditions and whole numbers are constants.
///              Everything is added to the sums. What falls to parameters is added to a *share*, a vector of share_size() numbers that only the
///              object knows to read; shares may be scaled and added, and to_parameters() says what one of them means: the part of the
///              program that depends on parameters alone is passed once for a whole run. Parameters that the code was simplified by because
///              they are zero get nothing.
///              A weight that is zero asks for nothing: what only such results depend on need not be finite. A sum that is not finite is status
///              not_finite, and sums then hold anything.
///              Objects belong to the evaluator, runner or round solver that made them, read its configuration and begin at its solutions:
///              they must not outlive it. Nothing allocates after construction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/interface.hpp"
#include "system/evaluation.hpp"

namespace saltus::system {

struct RoundInputs;

struct PullbackSums {
  double& time;
  std::span<double> x;         ///< by state; of equations over slots: by slot
  std::span<double> discrete;  ///< by discrete variable
  std::span<double> share;     ///< of the parameters
};

/// The vectors that an evaluator computes: ẋ by state, all variables, all guards.
enum class Evaluated : std::uint8_t { rates, outputs, guards };

/// Of one vector of results.
class Pullback : public Interface {
 public:
  [[nodiscard]] virtual std::size_t share_size() const = 0;
  virtual Evaluation at(double t, std::span<const double> x, std::span<const double> weights,
                        const PullbackSums& sums) = 0;
  /// Adds what the share says, by parameter of the flat model.
  virtual void to_parameters(std::span<const double> share, std::span<double> parameters) = 0;
};

/// Weights of what a round gives, as RoundTangentsFound; empty where none counts.
struct RoundWeights {
  std::span<const double> x;
  std::span<const double> values;
  std::span<const double> discrete;
  std::span<const double> reinits;
};

/// Of what a round is given, as RoundSeeds.
struct RoundSums {
  double& time;
  std::span<double> previous;
  std::span<double> x_previous;
  std::span<double> reinits;  ///< where RoundInputs::reinits are given
  std::span<double> share;
};

/// Of a RoundSolver.
class RoundPullback : public Interface {
 public:
  [[nodiscard]] virtual std::size_t share_size() const = 0;
  virtual Evaluation solve(const RoundInputs& inputs, const RoundWeights& weights, const RoundSums& sums) = 0;
  virtual void to_parameters(std::span<const double> share, std::span<double> parameters) = 0;
};

}  // namespace saltus::system
