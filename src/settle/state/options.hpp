/// What a run may be told (docs/command-line.md; api translates the names).
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.hpp"
#include "integrate/advance.hpp"
#include "integrate/step/error_norm.hpp"
#include "integrate/step/method.hpp"
#include "locate/detection.hpp"
#include "slide/field/sliding_field.hpp"

namespace saltus::settle {

enum class Sliding : std::uint8_t { on, off, hysteresis };
using slide::SlidingRule;
enum class Zeno : std::uint8_t { stop, rest, keep_on };
enum class RestitutionLaw : std::uint8_t { newton, poisson };  ///< impact/impacts.hpp
/// Which points are compared with the model as written besides settled instants: some ends of steps, or all.
enum class Verify : std::uint8_t { some_steps, full };
enum class Chattering : std::uint8_t { report, stop, off };

/// Bilateral events within `time` of the first, whose guards are within `amplitude` of zero, happen together [Com01] 5.2.3.
struct Concurrency {
  double time = 0.0;
  double amplitude = 0.0;
};

/// A variable that must not become negative (bound_watch.hpp).
struct Bound {
  std::string name;
  Index variable = -1;     ///< index in HybridSystem::variables()
  double tolerance = 0.0;  ///< absolute: values down to -tolerance are kept
};

/// How a mode is integrated.
struct MethodChoice {
  const integrate::Method* method = nullptr;
  /// What the mode goes on with where `method` turns out to be held down by stiffness; null: nothing else.
  const integrate::Method* stiff_method = nullptr;
  integrate::OrderChoice orders = {};
  double largest_step = std::numeric_limits<double>::infinity();
};

struct Options {
  double start = 0.0;
  double stop = 1.0;
  MethodChoice choice;
  std::vector<std::optional<MethodChoice>> choice_of_mode = {};  ///< by mode; missing or none: as `choice`
  integrate::Tolerances tolerances;  ///< atol by state of the initial mode; see tolerances_of_mode
  /// Tolerances of another mode's states, when modes differ in their states; empty: those of the initial mode.
  std::function<integrate::Tolerances(const system::LockedDae&)> tolerances_of_mode = {};
  integrate::AdvanceOptions steps;  ///< but for the largest step, which is that of the choice
  /// Absolute tolerance of guards, which then take part in the error test (guard_error.hpp); none: they do not.
  std::optional<double> guard_atol = {};
  std::vector<Bound> bounds = {};
  double output_interval = 0.0;  ///< bounds are looked at also at start + k·output_interval; 0: not
  Sliding sliding = Sliding::on;
  slide::SlidingRule sliding_rule = slide::SlidingRule::automatic;
  locate::Detection detection;
  std::optional<Concurrency> concurrency;
  /// C20-C22 in the shifted form of [Com01] (5.4), (5.5) with this ε_d, for the tables of that source; none: unbiased.
  std::optional<double> shifted_location;
  double step_exponent = 1.0 / 6.0;  ///< of the controller of ErrorNorm::compere
  Zeno zeno = Zeno::rest;
  RestitutionLaw restitution = RestitutionLaw::newton;
  Chattering chattering = Chattering::report;
  /// Three switches of one guard, each within this time of the one before, are chattering; none: a part of the run's length.
  std::optional<double> chattering_time = {};
  Verify verify = Verify::some_steps;
  bool stops_at_singular_points = true;  ///< else they are passed with a warning
  double dwell = 0.0;                    ///< least time between two switches of one guard
  std::int64_t max_events = 1'000'000;
  std::int64_t max_rounds = 1000;
  std::int64_t max_immediate = 100;  ///< immediate transitions in a row
  std::int64_t explain_event = 0;    ///< number of the event whose decision is put in words; 0: none
};

/// The choice that holds in a mode.
[[nodiscard]] inline const MethodChoice& choice_in(const Options& options, ModeId mode) {
  const auto& own = options.choice_of_mode;
  return mode.valid() && mode.index() < own.size() && own[mode.index()] ? *own[mode.index()] : options.choice;
}

}  // namespace saltus::settle
