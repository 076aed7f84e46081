/// The values at the start as blocks: states, derivatives and algebraic variables together.
///
/// Problem    unknown are all states, derivatives, algebraic and discrete variables v, and pre(v) of the discrete ones; given are
///            the model's equations, fixed start values, initial equations and starts that are only wished for.
/// Method     match in tiers, each keeping what the tiers before have matched: the model's equations, among them bodies of
///            clauses of the start and v = pre(v) for what no equation gives; fixed starts, of a discrete variable pre(v) = start;
///            initial equations; explicit starts of states and of pre(v); 0 where none is given. Sets of rows that can be
///            matched form a matroid, so this keeps as many wishes as the structure allows. Then blocks as for
///            causalisation (blocks.hpp).
/// Contract   `equations` is the list the blocks refer to. Fixed starts and initial equations that find no place are not
///            errors: they are in `checks` and must hold to kInitialCheckTolerance, scaled by the larger of 1 and both
///            sides, at the values the blocks give (LANGUAGE 3: fixing more than is free is allowed if consistent).
/// Cost       as causalisation, over twice as many unknowns.
/// Choices    pre(v) of a discrete variable is the leaf "first derivative of v" here, which nothing else means: it is an unknown
///            like others. pre(x) of a continuous one is x.
/// Checked by tests/unit/structure/initialization_test.cpp
#pragma once

#include <vector>

#include "expr/substitute.hpp"
#include "flat/model.hpp"
#include "saltus/result.hpp"
#include "structure/match/causalized.hpp"

namespace saltus::structure {

/// Largest |left - right| / max(1, |left|, |right|) of a check (DESIGN 4).
inline constexpr double kInitialCheckTolerance = 1e-9;

struct InitializationProblem {
  std::vector<Block> blocks;  ///< give every variable, state and derivative of Causalized, in order
  /// The model's equations, then initial equations, then `variable = start` rows.
  std::vector<flat::Equation> equations;
  std::vector<EquationId> checks;           ///< redundant by structure: to be checked with numbers
  std::vector<Unknown> starts_used;         ///< explicit starts, not fixed, that were taken over
  std::vector<Unknown> defaults_used;       ///< states without a start that were set to 0
  std::vector<Unknown> starts_dropped;      ///< explicit starts of states that other equations overrule
  std::vector<expr::Replacement> previous;  ///< what pre(…) is in these equations
  Diagnostics warnings;                     ///< the lists of starts in words
};

/// `mode`: the initial one.
[[nodiscard]] Result<InitializationProblem> initialization(flat::Model& model, const Causalized& causalized,
                                                           ModeId mode = ModeId());

/// pre(v) of a discrete variable.
[[nodiscard]] inline Unknown before(VariableId variable) {
  return {.variable = variable, .order = 1};
}

/// What an iteration for this unknown begins with: the start attribute, or 0.
[[nodiscard]] NodeId guess_of(flat::Model& model, const Unknown& unknown);

}  // namespace saltus::structure
