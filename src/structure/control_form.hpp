/// The affine control form of a mode: which unknowns constraints act by, and what moves with them.
///
/// Problem    M(q) v' = D + Jᵀλ under constraints is ẋ = f(x) + B(x)·u with u = λ and the constraints as outputs [Com01] 3.1. A model is written in
///            any form: which of its unknowns are λ?
/// Method     Without the m equations that must be differentiated, the others leave m unknowns free. The underdetermined part of Dulmage and
///            Mendelsohn (match/matching.hpp) is what depends on them: accelerations, multipliers, and forces that are between. Of its
///            algebraic unknowns those that are a rate under another name and those that an equation `force = …` without a rate defines are
///            between; the others are the multipliers, if they are m.
///            Which belongs to which constraint: rows and accelerations fall into groups that the mass matrix couples; a multiplier whose
///            groups are those of one constraint alone belongs to that.
/// Contract   The graph is asked, nothing is tried out with numbers. `multipliers` is in the order of `constraints` where is_paired, else in that of
///            the model's variables.
/// Fails when the structure does not determine the index, nothing is constrained, or the unknowns in question are not m: `refusal` names them
/// Cost       linear in the entries of the equations, times m for the underdetermined part
/// Checked by tests/unit/structure/control_form_test.cpp
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "flat/model.hpp"
#include "structure/match/causalized.hpp"

namespace saltus::structure {

struct ControlForm {
  struct Constraint {
    std::uint32_t equation = 0;  ///< in Causalized::written
    int differentiations = 0;    ///< 1: of velocities, 2: of positions
    std::uint32_t row = 0;       ///< of Causalized::equations, differentiated so often
  };
  std::optional<std::string> refusal = {};
  std::vector<Constraint> constraints = {};
  std::vector<Unknown> multipliers = {};
  bool is_paired = false;
  /// What moves with the multipliers: rows of Causalized::equations, and unknowns that are neither states nor multipliers. As many of both.
  std::vector<std::uint32_t> rows = {};
  std::vector<Unknown> moved = {};
};

[[nodiscard]] ControlForm control_form(const flat::Model& model, const Causalized& causalized);

}  // namespace saltus::structure
