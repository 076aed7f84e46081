/// How what a system computes moves with its arguments: directional derivatives, in several directions at once.
///
/// Notation     a *direction* says how time, states, discrete values and parameters move together; tangents are stored [quantity][direction].
/// Contract     Exact: the derivative of the program that is run, through implicit blocks by the implicit function theorem, not a difference.
///              Truths of conditions and whole numbers are constants. A tangent that is not finite is status not_finite, as a value is.
///              Objects belong to the evaluator, round solver or runner that made them, read its configuration and begin at its solutions:
///              they must not outlive it. Nothing allocates after construction.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/ids.hpp"
#include "base/interface.hpp"
#include "system/evaluation.hpp"

namespace saltus::system {

struct RoundInputs;

/// How the parameters of a system move with each direction.
struct ParameterDirections {
  Index n_directions = 0;
  std::vector<double> parameters;  ///< [parameter of the flat model][direction]
};

/// How the arguments move.
struct Seeds {
  std::span<const double> time;      ///< by direction
  std::span<const double> x;         ///< [state][direction]; of equations over slots: [slot][direction]
  std::span<const double> discrete;  ///< [discrete variable][direction]
};

/// Of an evaluator, in its present configuration.
class Tangents : public Interface {
 public:
  /// Of ẋ, [state][direction].
  virtual Evaluation rates(double t, std::span<const double> x, const Seeds& seeds,
                           std::span<double> tangents) = 0;
  /// Of all variables, [variable][direction]; 0 where one does not exist.
  virtual Evaluation outputs(double t, std::span<const double> x, const Seeds& seeds,
                             std::span<double> tangents) = 0;
  /// Of guards, [place in which][direction].
  virtual Evaluation guards(std::span<const Index> which, double t, std::span<const double> x,
                            const Seeds& seeds, std::span<double> tangents) = 0;
  /// A time over which the field changes little, for tangents that are not exact.
  virtual void set_time_size(double /*time*/) {}
};

/// Of an EquationRunner: tangents of its rows, [row][direction].
class EquationTangents : public Interface {
 public:
  virtual Evaluation rows(double t, std::span<const double> slots, const Seeds& seeds,
                          std::span<double> tangents) = 0;
  /// For every row the directions whose parameters may move it, whatever the point, ascending; empty: not known. Allocates.
  [[nodiscard]] virtual std::vector<std::vector<Index>> moving_directions() const { return {}; }
};

/// How the inputs of a round move; each [quantity][direction].
struct RoundSeeds {
  std::span<const double> time;
  std::span<const double> previous;    ///< by variable
  std::span<const double> x_previous;  ///< by state of the mode of the round
  std::span<const double> reinits;     ///< where RoundInputs::reinits are given
};

/// What a round gives, each [quantity][direction].
struct RoundTangentsFound {
  std::vector<double> x;
  std::vector<double> values;
  std::vector<double> discrete;
  std::vector<double> reinits;
};

/// Of a RoundSolver.
class RoundTangents : public Interface {
 public:
  virtual Evaluation solve(const RoundInputs& inputs, const RoundSeeds& seeds, RoundTangentsFound& found) = 0;
};

}  // namespace saltus::system
