/// Whether a mode is a motion q' = v, M(q)·v' = f(t, q) + forces of constraints g(q) = 0.
///
/// Problem      methods for positions and velocities (integrate/motion/rattle.hpp) need to know which states are which, and that nothing else moves
/// Method       Equations ±a = ±b between variables and derivatives tie levels together: a derivative lies one level above its variable. What is
///              differentiated highest in a group of variables that are tied has the level of accelerations, 2; variables that are differentiated only
///              because a constraint is (structure/index/index_reduction.hpp) are positions. An equation that contradicts those before it is no tie
///              but a law: der(v) = -x after der(x) = v. Ties without a minus go first.
///              Then, with the blocks of causalisation: no equation that accelerations depend on contains a velocity, constraints are differentiated
///              twice and free of time, and all that depends on their forces is affine in them.
/// Contract     The graph is asked, nothing is tried out with numbers. A state of level 1 without a position is a velocity too: its rate depends on positions.
/// Fails when   one of that does not hold: `refusal` names what
/// Cost         that of a causalisation
/// Checked by   tests/motion/rattle_refusals_test.cpp, tests/motion/rattle_orders_test.cpp
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "flat/model.hpp"
#include "structure/match/causalized.hpp"

namespace saltus::structure {

struct MotionForm {
  struct Refusal {
    std::string why;
    std::optional<flat::Equation> equation = {};
  };
  /// States by their names (names.hpp).
  struct Position {
    std::string name;
    std::string velocity;  ///< its rate, up to its sign
    bool negative = false;
  };
  std::optional<Refusal> refusal = {};
  std::vector<Position> positions = {};
  std::vector<std::string> velocities = {};
};

/// `mode`: invalid for a model without modes. Of models that cannot be causalised nothing is said: that is reported elsewhere.
[[nodiscard]] MotionForm motion_form(const flat::Model& model, ModeId mode);

}  // namespace saltus::structure
