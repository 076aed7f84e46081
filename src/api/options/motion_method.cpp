#include "api/options/motion_method.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "api/model/diagnostic_codes.hpp"

namespace saltus::api {
namespace {

void check_options_of_motion(const RunSettings& settings, Diagnostics& problems) {
  const std::string_view name = settings.choice.method->name;
  if (!settings.sensitivities.empty() || settings.error_estimate) {
    problems.error(
        kConflictingOptions,
        fmt::format("sensitivities and estimates of errors are not there for the method '{}'", name));
  }
  for (const ModeSettings& mode : settings.modes) {
    if (mode.choice.method != settings.choice.method) {
      problems.error(kConflictingOptions,
                     fmt::format("the method '{}' is that of a whole run, and mode '{}' asks for '{}'", name,
                                 mode.mode, mode.choice.method->name));
    }
  }
}

void refuse_motion(Motion& motion, const RunSettings& settings, const std::string& why,
                   const std::optional<flat::Equation>& equation = std::nullopt) {
  motion.problems.error(
      kNoMotion,
      fmt::format(
          "the method '{}' is for der(q) = v and M(q)*der(v) = f(time, q) with constraints of q alone: {}",
          settings.choice.method->name, why),
      equation ? std::optional(equation->span) : std::nullopt, "take another method");
}

}  // namespace

Motion find_motion(const Instance& instance, const RunSettings& settings) {
  Motion motion;
  motion.is_asked = settings.choice.method->is_of_motion();
  for (const ModeSettings& mode : settings.modes) {
    if (!motion.is_asked && mode.choice.method->is_of_motion()) {
      motion.problems.error(kConflictingOptions,
                            fmt::format("the method '{}' is that of a whole run, not of the mode '{}' alone",
                                        mode.choice.method->name, mode.mode));
    }
  }
  if (!motion.is_asked) {
    return motion;
  }
  check_options_of_motion(settings, motion.problems);
  if (instance.flat == nullptr) {
    refuse_motion(motion, settings, "of C++ functions it is not known what they depend on");
    return motion;
  }
  const std::size_t n_modes = std::max<std::size_t>(instance.flat->modes.size(), 1);
  for (std::size_t i = 0; i < n_modes; ++i) {
    structure::MotionForm form =
        structure::motion_form(*instance.flat, instance.flat->modes.empty() ? ModeId{} : ModeId(i));
    if (form.refusal) {
      refuse_motion(motion, settings, form.refusal->why, form.refusal->equation);
      return motion;
    }
    std::move(form.positions.begin(), form.positions.end(), std::back_inserter(motion.positions));
    std::move(form.velocities.begin(), form.velocities.end(), std::back_inserter(motion.velocities));
  }
  std::unordered_map<std::string, std::pair<std::string, bool>> rate_of;
  for (const structure::MotionForm::Position& item : motion.positions) {
    const auto [known, is_new] = rate_of.emplace(item.name, std::pair(item.velocity, item.negative));
    if (!is_new && known->second != std::pair(item.velocity, item.negative)) {
      refuse_motion(motion, settings,
                    fmt::format("the rate of '{}' is another one in other modes", item.name));
      return motion;
    }
  }
  for (const std::string& velocity : motion.velocities) {
    if (rate_of.count(velocity) > 0) {
      refuse_motion(motion, settings, fmt::format("'{}' is a position in some modes only", velocity));
      return motion;
    }
  }
  return motion;
}

std::vector<integrate::RateState> rate_states(const Motion& motion,
                                              const std::vector<system::StateInfo>& states) {
  if (!motion.is_asked) {
    return {};
  }
  std::unordered_map<std::string, integrate::RateState> place_of;
  for (std::size_t i = 0; i < states.size(); ++i) {
    place_of.emplace(states[i].name, integrate::RateState{static_cast<Index>(i), 1.0});
    for (const system::StateInfo::Alias& alias : states[i].aliases) {
      place_of.emplace(alias.name, integrate::RateState{static_cast<Index>(i), alias.sign});
    }
  }
  std::vector<integrate::RateState> rates(states.size());
  std::vector<bool> is_known(states.size(), false);
  for (const structure::MotionForm::Position& item : motion.positions) {
    const auto position = place_of.find(item.name);
    const auto velocity = place_of.find(item.velocity);
    if (position != place_of.end() && velocity != place_of.end()) {
      const double sign = (item.negative ? -1.0 : 1.0) * position->second.sign * velocity->second.sign;
      rates[static_cast<std::size_t>(position->second.state)] = {velocity->second.state, sign};
      is_known[static_cast<std::size_t>(position->second.state)] = true;
    }
  }
  for (const std::string& name : motion.velocities) {
    if (const auto velocity = place_of.find(name); velocity != place_of.end()) {
      is_known[static_cast<std::size_t>(velocity->second.state)] = true;
    }
  }
  return std::all_of(is_known.begin(), is_known.end(), [](bool is) { return is; })
             ? rates
             : std::vector<integrate::RateState>{};
}

structure::FormulationRequest formulation_of_motion(double step) {
  structure::FormulationRequest request;
  request.formulation = {.row = flat::Formulation::Row::surface,
                         .result = flat::Formulation::Result::projected,
                         .rate = 1.0 / step};
  request.is_of_method = true;
  return request;
}

}  // namespace saltus::api
