/// The result of causalisation: an order in which every unknown is computed from known ones.
///
/// Known are time, parameters, conditions, discrete values and the states; unknown are the derivatives of the states
/// and the algebraic variables. Each block gives some unknowns: one by an explicit formula, several by a linear or a
/// nonlinear system. A formula or matrix entry may contain unknowns of earlier blocks as leaves of the graph.
#pragma once

#include <cstddef>
#include <vector>

#include "base/ids.hpp"
#include "flat/model.hpp"
#include "saltus/diagnostic.hpp"

namespace saltus::structure {

/// Derivative `order` of a variable: what a leaf Op::variable of the graph stands for.
struct Unknown {
  VariableId variable;
  int order = 0;

  friend bool operator==(const Unknown&, const Unknown&) = default;
  friend auto operator<=>(const Unknown&, const Unknown&) = default;
};

struct MatrixEntry {
  int row = 0;
  int column = 0;
  NodeId value;
};

struct Block {
  enum class Kind {
    explicit_formula,  ///< unknowns[0] := formula
    linear,            ///< matrix · unknowns = right_side; entries do not contain the unknowns
    nonlinear,         ///< residual(unknowns) = 0, matrix = ∂residual/∂unknowns
  };
  Kind kind = Kind::explicit_formula;
  std::vector<Unknown> unknowns;
  std::vector<EquationId> equations;  ///< the same number; index into the list that was causalised
  NodeId formula;
  std::vector<MatrixEntry> matrix;  ///< sorted by row, then column
  std::vector<NodeId> right_side;   ///< of a linear block
  std::vector<NodeId> residual;     ///< of a nonlinear block
};

struct Causalized {
  std::vector<Unknown> states;  ///< in the order of the model's variables, lower order first
  std::vector<Unknown>
      derivatives;            ///< derivatives[i] is the unknown d/dt states[i]; for a second-order variable
                              ///< the derivative of the state x is the state der(x): known, not computed
  std::vector<Block> blocks;  ///< in the order of computation; aliases are explicit formulas too
  /// The list that was causalised: the equations of the model and of the mode without the discrete ones, then
  /// `input = start` for inputs without an equation.
  std::vector<flat::Equation> equations;
  std::size_t n_given = 0;  ///< of them written in the model
  /// Discrete variables and the equations that give them. Evaluated at events only: known between them.
  struct DiscreteEquation {
    VariableId variable;
    flat::Equation equation;
  };
  std::vector<DiscreteEquation> discrete_equations;
  std::vector<VariableId> held;  ///< discrete variables that only bodies change, and inputs among them
  Diagnostics warnings;
};

}  // namespace saltus::structure
