/// The start of a model with constraints or of one that is reduced by ranks, as equations over slots.
///
/// Problem    which equations must hold at the start, for which quantities, and how much does each given value count?
///            The numeric tower solves it (system/initial_problem.hpp): smallest change of the guess, in tiers.
/// Method     rows: every equation as written and its derivatives, F_i^(k) for k = 0 … c_i; by ranks for k = 0 … level;
///            then the initial equations, with x = e for reinit(x, e) in clauses of the start; then `x = start` for fixed variables whose slot another name holds already.
///            Slots: every continuous quantity of orders 0 … d_j; by ranks of orders 0 … max(1, order as written) + level. Then what initial
///            equations say of discrete variables: v where only clauses change it that do not fire at the start (v = pre(v)), else
///            pre(v), as `before(v)` (initialization.hpp).
/// Contract   a slot is named as the leaf of the graph that rows contain: of aliases (Causalized::aliases) only the target
///            has a slot, and rows are written with it. Other discrete variables, conditions and time are inputs.
/// Fails when an initial equation contains a derivative that is no slot (derivative-not-available).
/// Cost       linear in the rows with their derivatives.
/// Checked by tests/unit/structure/start_problem_test.cpp
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "flat/model.hpp"
#include "saltus/result.hpp"
#include "structure/match/causalized.hpp"

namespace saltus::structure {

/// How much the given value of a slot counts (system::StartTier, in the same order).
enum class GuessTier : std::uint8_t {
  fixed,         ///< held exactly
  differential,  ///< explicit start of a variable that is differentiated
  other,         ///< other explicit start
  free,          ///< no start given
};

struct StartSlot {
  Unknown quantity;
  GuessTier tier = GuessTier::free;
  NodeId guess;  ///< an expression in parameters; 0 where nothing is given
  VariableId
      source;  ///< the variable whose start it is, perhaps an alias; that of `quantity` where nothing is given
};

struct StartRow {
  enum class Kind : std::uint8_t {
    model,             ///< of Causalized::written, differentiated
    initial_equation,  ///< of flat::Model::initial_equations
    fixed,             ///< a second fixed value of one quantity
  };
  Kind kind = Kind::model;
  RowOrigin origin;         ///< of model rows; of others `equation` is the place among their kind
  flat::Equation equation;  ///< left = right
};

struct StartProblem {
  std::vector<StartRow> rows;  ///< model rows by order of derivative, then by equation; then the others
  std::size_t n_model_rows = 0;
  std::vector<StartSlot>
      slots;  ///< by order of derivative, then by variable; then those of discrete variables
};

/// `level`: how often every equation is differentiated where needs_ranks is set; not used otherwise.
/// The graph of the model gains nodes.
/// `mode`: the initial one.
[[nodiscard]] Result<StartProblem> start_problem(flat::Model& model, const Causalized& causalized,
                                                 int level = 0, ModeId mode = ModeId());

}  // namespace saltus::structure
