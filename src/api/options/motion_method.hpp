/// Whether a model can be run by methods for positions and velocities (integrate/motion/rattle.hpp), and which states are which.
///
/// Contract     Every mode is looked at (structure/motion_form.hpp). Problems name what does not fit, with its equation. Where the method is another one
///              nothing is said.
/// Checked by   tests/motion/rattle_refusals_test.cpp
#pragma once

#include <string>
#include <vector>

#include "api/model/instance.hpp"
#include "api/options/run_settings.hpp"
#include "integrate/step/error_norm.hpp"
#include "saltus/diagnostic.hpp"
#include "structure/motion_form.hpp"

namespace saltus::api {

struct Motion {
  Diagnostics problems;
  bool is_asked = false;
  std::vector<structure::MotionForm::Position> positions;  ///< of all modes
  std::vector<std::string> velocities;
};

[[nodiscard]] Motion find_motion(const Instance& instance, const RunSettings& settings);

/// By state, where the method asks for it. None: a state is neither.
[[nodiscard]] std::vector<integrate::RateState> rate_states(const Motion& motion,
                                                            const std::vector<system::StateInfo>& states);

/// The form of constraints that steps of this size need.
[[nodiscard]] structure::FormulationRequest formulation_of_motion(double step);

}  // namespace saltus::api
