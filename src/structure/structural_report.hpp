/// What the structure of a mode says about it, for people: `saltus analyze`.
///
/// Method     the signature method (signature.hpp, assignment.hpp, offsets.hpp) on the equations as written, aliases
///            included, so that the numbers are those of the textbook [Pry01]; constraints and blocks are those of the run.
/// Contract   the lists follow Causalized::written and the model's variables. Where the structure does not determine the
///            unknowns (needs_ranks), `has_offsets` is false and only the list of unknowns is filled.
/// Cost       one assignment problem, and the text of the hidden constraints.
/// Checked by tests/unit/structure/structural_report_test.cpp
#pragma once

#include <string>
#include <vector>

#include "flat/model.hpp"
#include "structure/match/causalized.hpp"

namespace saltus::structure {

struct StructuralReport {
  bool has_offsets = false;
  /// Number of differentiations after which structure gives an ODE in all unknowns: max c, and one more if a variable has
  /// d = 0 [Pry01]. An upper bound of the differentiation index, equal to it in most models.
  int structural_index = 0;
  int degrees_of_freedom = 0;  ///< Σd - Σc

  struct Equation {
    std::string text;          ///< as written
    SourceSpan span;           ///< in the source
    int differentiations = 0;  ///< c
  };
  std::vector<Equation> equations;
  struct Variable {
    VariableId variable;
    int highest_order = 0;  ///< d; without offsets the order as written
  };
  std::vector<Variable> variables;  ///< the continuous unknowns of the mode

  struct HiddenConstraint {
    RowOrigin origin;  ///< in Causalized::written
    std::string text;  ///< readable, "2*(x*der(x)) + 2*(y*der(y)) = 0"
  };
  /// What the equations say about states: those as written that constrain them (order 0), then their derivatives.
  std::vector<HiddenConstraint> constraints;
  std::vector<std::string> states;  ///< names
  std::vector<std::size_t>
      block_sizes;  ///< of blocks with more than one unknown, in the order of computation
  std::size_t n_blocks = 0;
};

[[nodiscard]] StructuralReport structural_report(flat::Model& model, const Causalized& causalized);

}  // namespace saltus::structure
