/// Models whose guards are brought to zero by the instants at which something else changes, and what is right for them.
///
/// Problem      levels that change at 1, 2 and 3 (choices and clauses over time or over a state, samples, counters, whole numbers), states
///              whose rates are made of levels and of choices over earlier guards, and guards over all of these, with constants that
///              put most of them at zero just after or just before such an instant
/// Method       everything is piecewise linear, so that fractions say when guards cross and where they are after an instant. The side
///              after it is the sign of the value, where that is zero the sign of the rate, where that is zero too the relation is as
///              written. Clauses see rounds: values after the levels have changed, then those after reinit, then the sides decided.
///              Guards read earlier ones only: nothing slides.
/// Choices      How often a clause fires is left open where it depends on whether a guard at zero is decided before the rounds, after them,
///              or is beyond its surface in them because it was on its way there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace saltus::test::landing {

inline constexpr double kStop = 3.75;

/// One relation of the model: `b` says whether it holds, `z` grows by 1 where it holds and falls by 1 where not, `n` counts its edges.
struct Truth {
  std::string number;  ///< the variables are b, z and n with this number
  bool holds = false;  ///< at the stop
  double motion = 0.0;
  std::optional<int> rises;
};

struct Model {
  std::string text;
  std::vector<Truth> truths;
};

/// What says when the levels change and states are set.
enum class Causes : std::uint8_t {
  time,            ///< scheduled times alone
  time_and_states  ///< also states that grow with time: these instants are located
};

[[nodiscard]] Model landing_model(std::uint32_t seed, Causes causes);

}  // namespace saltus::test::landing
