/// The result of causalisation: an order in which every unknown is computed from known ones.
///
/// Known are time, parameters, conditions, discrete values and the states; unknown are the derivatives of the states
/// and the algebraic variables. Equations that constrain states are differentiated (docs/math/index_reduction.md): states
/// are all derivatives x_j^(k), k < d_j, of every variable, unknown are the highest ones, and the constraints are kept. Each block gives some unknowns: one by an explicit formula, several by a linear or a
/// nonlinear system. A formula or matrix entry may contain unknowns of earlier blocks as leaves of the graph.
#pragma once

#include <cstddef>
#include <cstdint>
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
  /// So many blocks after this one are formulas that were taken out of it (tearing.hpp): they need each other as before.
  std::size_t n_formulas = 0;
  /// Its equations depend on each other whatever the values are (generic_rank.hpp): no numbers are solved for.
  bool is_singular = false;
};

/// Where a row of Causalized::equations or a constraint comes from.
struct RowOrigin {
  std::uint32_t equation = 0;  ///< in Causalized::written
  int order = 0;               ///< how often it was differentiated
};

/// An equation, or a derivative of one, that contains states only: it says which states are consistent.
struct Constraint {
  RowOrigin origin;
  flat::Equation equation;  ///< its two sides differentiated; the span is that of the equation as written
  /// Its equation is a combination, in a mode where derivatives of constraints took part in combinations (combination.hpp): how often it is
  /// differentiated does not say whether it is about positions or about velocities.
  bool is_combined = false;
};

/// quantity = ±target, for all times: an equation of the model says so, or its derivative does.
struct SlotAlias {
  Unknown quantity;
  Unknown target;  ///< a state or an unknown, itself no alias of this list
  bool negative = false;
};

/// Invariants of the structural path (needs_ranks false): every leaf (variable, order ≤ highest_orders) is a state or
/// the unknown of exactly one block; every row of `equations` belongs to exactly one block; states.size() -
/// constraints.size() == degrees_of_freedom.
struct Causalized {
  std::vector<Unknown> states;  ///< in the order of the model's variables, lower order first
  std::vector<Unknown>
      derivatives;            ///< derivatives[i] is the unknown d/dt states[i]; for a second-order variable
                              ///< the derivative of the state x is the state der(x): known, not computed
  std::vector<Block> blocks;  ///< in the order of computation; aliases are explicit formulas too
  /// The list that was causalised and that blocks refer to: the equations of the model and of the mode without the
  /// discrete ones, each differentiated as often as its offset says, then `input = start` for inputs without an equation.
  /// Of equations that say no more than x = ±y or v = ±der(x), one row for every quantity that is an alias by them.
  std::vector<flat::Equation> equations;
  std::vector<RowOrigin> origins;  ///< by row of `equations`
  std::size_t n_given = 0;         ///< rows of `equations` that are not `input = start`
  /// Discrete variables and the equations that give them. Evaluated at events only: known between them.
  struct DiscreteEquation {
    VariableId variable;
    flat::Equation equation;
  };
  std::vector<DiscreteEquation> discrete_equations;
  std::vector<VariableId> held;  ///< discrete variables that only bodies change, and inputs among them

  /// The equations as they stand in the model, without the discrete ones, then `input = start` rows that are needed. Some
  /// may be replaced by combinations with the same solutions (combination.hpp), never where needs_ranks is set.
  /// Derivative arrays and the problem of the start (start_problem.hpp) are made from these.
  std::vector<flat::Equation> written;
  /// `written` before combinations took the place of some; empty: there are none. What is integrated over an instant is these.
  std::vector<flat::Equation> uncombined;
  /// By equation of `written`: c, how often it must be differentiated; -1 for equations that only make `aliases`.
  std::vector<int> differentiations;
  /// By variable of the model: d, the order of derivative up to which it occurs in the differentiated equations; -1 for
  /// variables that are no continuous unknowns of this mode. With needs_ranks: as written.
  std::vector<int> highest_orders;
  std::vector<int> written_orders;  ///< by variable: highest order as written, 0 if it is not differentiated
  std::vector<double> nominal;  ///< by variable: its nominal value if that is a number, else 1; empty: all 1
  /// F_i^(k) = 0 for k < c_i, ascending in equation, then in order. Empty: every state is consistent.
  std::vector<Constraint> constraints;
  /// Quantities that are a state or an unknown under another name. Only where the index is higher than one as written; in
  /// other models aliases are explicit formulas among the blocks and nothing else.
  std::vector<SlotAlias> aliases;
  int degrees_of_freedom = 0;  ///< Σd - Σc

  /// The structure does not determine the unknowns: not square, or singular whatever is differentiated, or asked for. Then
  /// `warnings` explain why; states are the unknowns as written with derivatives below the highest order written (all of
  /// order 0 for variables that are not differentiated), `equations` is `written`, there are no blocks, and
  /// what moves the states must be found from ranks of derivative arrays.
  bool needs_ranks = false;
  Diagnostics warnings;
};

}  // namespace saltus::structure
