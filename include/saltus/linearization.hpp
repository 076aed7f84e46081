// A model linearised at a point of its solution.
#pragma once

#include <complex>
#include <string>
#include <vector>

#include "saltus/matrix_pair.hpp"
#include "saltus/model.hpp"
#include "saltus/options.hpp"
#include "saltus/result.hpp"

namespace saltus {

/// δṡ = A·δs + B·δu, δy = C·δs + D·δu at (time, point). Derivatives are those of the equations, not differences.
struct Linearization {
  double time = 0.0;
  std::string mode;  ///< "main" for a model without modes
  int index = 0;     ///< strangeness index of the equations as written
  /// s: as many unknowns as there are free initial values, chosen as `analyze` does; "der(x)" for the velocity of a second-order variable.
  std::vector<std::string> states;
  std::vector<double> state_values;
  std::vector<std::string> inputs;   ///< u: variables declared `input`
  std::vector<std::string> outputs;  ///< y: continuous variables declared `output`
  Matrix a, b, c, d;
  std::vector<std::complex<double>> eigenvalues;  ///< of A, by real, then by imaginary part
  std::vector<std::string> hidden_constraints;    ///< that the equations imply, as far as they can be written
  Diagnostics warnings;
};

/// Runs the model from its start to `options.stop`; where none is given the start values made consistent are the point. Fails when the run does
/// not get there, where the solution slides or rests on a surface, where unknowns are undetermined, and where an output or a rate depends on
/// the derivative of an input.
[[nodiscard]] Result<Linearization> linearize(const Model& model, const SimulationOptions& options = {});

/// For a program: a JSON object with the members of Linearization; eigenvalues as [re, im].
[[nodiscard]] std::string render_json(const Linearization& linearization);

}  // namespace saltus
