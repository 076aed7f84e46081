/// From equations of any structural index to equations that determine the highest derivatives.
///
/// Problem    equations constrain states: differentiated often enough they determine what no equation was left for.
/// Method     variables that are others or derivatives of others are tied (variable_alias.hpp) and the rest is written
///            with the bases; signature, transversal of highest value and smallest offsets (signature.hpp, assignment.hpp,
///            offsets.hpp) say how often each equation is differentiated: Taylor expansion (expr/taylor.hpp), discrete
///            variables and conditions at rest. docs/math/index_reduction.md explains and proves it.
/// Notation   a slot is (base variable, order). Each has a name: the variable of lowest order that is tied to it.
/// Contract   the equations are those to be causalised next, with as many unknowns; constraints are F_i^(k), k < c_i, and
///            contain states only. All are written with names of slots.
/// Fails when there is no transversal: the structure is singular whatever is differentiated.
/// Cost       that of the assignment, plus the nodes of the derivatives.
/// Checked by tests/unit/structure/index_reduction_test.cpp
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "flat/model.hpp"
#include "structure/match/causalized.hpp"
#include "structure/match/classify.hpp"
#include "structure/match/variable_alias.hpp"

namespace saltus::structure {

struct ReducedSystem {
  std::vector<flat::Equation> equations;  ///< see Causalized, as the following ones
  std::vector<RowOrigin> origins;
  std::size_t n_given = 0;
  std::vector<VariableId> inputs;  ///< that keep their start: the rows from n_given on
  std::vector<Unknown> states;
  std::vector<Unknown> derivatives;
  std::vector<Unknown> unknowns;
  std::vector<flat::Equation> written;
  std::vector<int> differentiations;
  std::vector<int> highest_orders;
  std::vector<Constraint> constraints;
  std::vector<SlotAlias> aliases;
  int degrees_of_freedom = 0;
};

/// By variable of the model, 1 for continuous ones of this mode that are no inputs: those that may be tied.
[[nodiscard]] std::vector<std::uint8_t> tieable(const flat::Model& model,
                                                const Classification& classification);

/// `equations` as written, without discrete ones; `ties` of the same ones. The graph of the model gains nodes.
[[nodiscard]] std::optional<ReducedSystem> reduce_index(flat::Model& model,
                                                        std::span<const flat::Equation> equations,
                                                        const Classification& classification,
                                                        const VariableAliases& ties);

/// Inputs that no equation is left for, in their order: they keep their start. Works for any shape.
[[nodiscard]] std::vector<VariableId> inputs_without_equation(const flat::Model& model,
                                                              std::span<const flat::Equation> equations,
                                                              const Classification& classification);

/// `input = start`.
[[nodiscard]] flat::Equation start_equation(flat::Model& model, VariableId input);

}  // namespace saltus::structure
