#include "support/oracle/dae_sensitivities.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <optional>
#include <vector>

#include "saltus/saltus.hpp"
#include "support/oracle/dae_oracle.hpp"
#include "support/oracle/random_dae.hpp"
#include "support/oracle/text_pieces.hpp"

namespace saltus::test::oracle {
namespace {

constexpr double kTolerance = 1e-9;
// Of the larger of the derivative, the largest of its column and 1. Errors of S are some hundred tolerances in systems with tens of events.
constexpr double kBound = 1e-6;
// Errors of bdf itself are ten times those of the others (tests/property/random_dae_test.cpp).
double bound_of(const std::string& method) {
  return method == "bdf" ? 10 * kBound : kBound;
}
constexpr Real kGuardMargin = 1e-5L;
constexpr Real kClosest = 1e-6L;
constexpr Real kWidth = 0x1p-12L;
// How far two widths of the stencil may differ, in bounds.
constexpr Real kAgreement = 0.1L;

bool same_sequence(const DaeRun& a, const DaeRun& b) {
  return a.outcome == DaeRun::Outcome::complete && b.outcome == DaeRun::Outcome::complete &&
         a.mode == b.mode &&
         std::equal(a.events.begin(), a.events.end(), b.events.begin(), b.events.end(),
                    [](const DaeEvent& x, const DaeEvent& y) {
                      return x.is_immediate == y.is_immediate && x.target == y.target;
                    });
}

DaeTraits traits_of(std::uint32_t seed) {
  return {.index = seed % 4,
          .mixing = static_cast<Mixing>(seed / 4 % kMixings),
          .jump = static_cast<Jump>(seed / 16 % kJumps),
          .is_uniform = seed / 64 % 2 == 0};
}

// How a parameter changes the system.
struct Parameter {
  std::string name;
  std::function<void(SwitchedDae&, Real)> add;
};

std::function<void(SwitchedDae&, Real)> scaling(std::size_t first, std::size_t last) {
  return [=](SwitchedDae& system, Real amount) {
    const auto scale = [&](Vector& row) {
      for (std::size_t k = first; k < last; ++k) {
        row[k] *= 1 + amount;
      }
    };
    for (DaeMode& mode : system.modes) {
      std::for_each(mode.b.begin(), mode.b.end(), scale);
      for (DaeTransition& transition : mode.transitions) {
        for (DaeReset& reset : transition.resets) {
          scale(reset.forced);
        }
      }
    }
  };
}

std::vector<Parameter> parameters_of(const SwitchedDae& system) {
  std::vector<Parameter> found{{"poly", scaling(0, 3)}, {"wave", scaling(3, kForcings)}};
  found.push_back({"omega", [](SwitchedDae& moved, Real amount) { moved.omega += amount; }});
  for (std::size_t m = 0; m < system.modes.size(); ++m) {
    for (std::size_t k = 0; k < system.modes[m].transitions.size(); ++k) {
      found.push_back(
          {"g" + std::to_string(m + 1) + "_" + std::to_string(k + 1),
           [m, k](SwitchedDae& moved, Real amount) { moved.modes[m].transitions[k].g.e += amount; }});
    }
  }
  return found;
}

// End values, then times of events.
Vector results_of(const DaeRun& run) {
  Vector results = run.x;
  for (const DaeEvent& event : run.events) {
    results.push_back(event.time);
  }
  return results;
}

std::optional<Vector> difference(const SwitchedDae& system, const DaeRun& base, const Parameter& parameter,
                                 Real width) {
  constexpr std::array<Real, 4> kOffsets{-2, -1, 1, 2};
  constexpr std::array<Real, 4> kWeights{1.0L / 12, -8.0L / 12, 8.0L / 12, -1.0L / 12};
  Vector sum(base.x.size() + base.events.size(), 0);
  for (std::size_t s = 0; s < kOffsets.size(); ++s) {
    SwitchedDae moved = system;
    parameter.add(moved, kOffsets[s] * width);
    moved.y0 = start_coordinates(moved);
    const DaeRun run = solve(moved);
    if (!same_sequence(base, run)) {
      return std::nullopt;
    }
    const Vector results = results_of(run);
    for (std::size_t i = 0; i < sum.size(); ++i) {
      sum[i] += kWeights[s] / width * results[i];
    }
  }
  return sum;
}

// Largest of the column, at least 1.
Real size_of(const Vector& column) {
  Real size = 1;
  for (const Real value : column) {
    size = std::max(size, std::abs(value));
  }
  return size;
}

std::optional<Vector> derivative(const SwitchedDae& system, const DaeRun& base, const Parameter& parameter) {
  const auto wide = difference(system, base, parameter, kWidth);
  const auto narrow = difference(system, base, parameter, kWidth / 4);
  if (!wide || !narrow) {
    return std::nullopt;
  }
  for (std::size_t i = 0; i < wide->size(); ++i) {
    if (!(std::abs((*wide)[i] - (*narrow)[i]) <= kAgreement * kBound * size_of(*narrow))) {
      return std::nullopt;
    }
  }
  return narrow;
}

SimulationOptions options_of(const SwitchedDae& system, const std::string& method) {
  SimulationOptions options;
  options.stop = static_cast<double>(system.stop);
  options.interval = static_cast<double>(system.stop);
  options.tolerance = kTolerance;
  options.zeno = Zeno::go_on;
  options.max_time = 30.0;
  options.method = method;
  options.sensitivities = {"all"};
  return options;
}

// The library's column: as results_of(); NaN where it is undefined.
std::vector<double> column_of(const SimulationResult& result, std::size_t n, std::size_t parameter) {
  const Sensitivities& s = *result.sensitivities;
  std::vector<double> column;
  for (std::size_t i = 0; i < n; ++i) {
    const auto place =
        std::find_if(result.variables.begin(), result.variables.end(),
                     [&](const VariableInfo& variable) { return variable.name == name_of(i); });
    column.push_back(s.final_row(static_cast<std::size_t>(place - result.variables.begin()))[parameter]);
  }
  for (std::size_t e = parameter; e < s.event_times.size(); e += s.parameters.size()) {
    column.push_back(s.event_times[e]);
  }
  return column;
}

void compare_column(const Parameter& parameter, const Vector& expected, const std::vector<double>& seen,
                    std::size_t n, double allowed, SensitivityCheck& check) {
  const Real bound = allowed * size_of(expected);
  ++check.n_compared;
  bool is_undefined = false;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (std::isnan(seen[i])) {
      is_undefined = true;
      continue;
    }
    const auto ratio = static_cast<double>(std::abs(seen[i] - expected[i]) / bound);
    if (ratio > check.worst) {
      check.worst = ratio;
      check.what = (i < n ? "d(" + name_of(i) + ")" : "d(time of event " + std::to_string(i - n + 1) + ")") +
                   "/d(" + parameter.name + ") is " + text_of(static_cast<Real>(seen[i])) + " instead of " +
                   text_of(expected[i]);
    }
  }
  check.n_undefined += is_undefined ? 1 : 0;
}

}  // namespace

const char* to_string(SensitivityCheck::Verdict verdict) {
  switch (verdict) {
    case SensitivityCheck::Verdict::agrees: return "agrees";
    case SensitivityCheck::Verdict::aside: return "aside";
    case SensitivityCheck::Verdict::refused: return "refused";
    default: return "wrong";
  }
}

std::string text_with_parameters(std::uint32_t seed) {
  return model_text_with_parameters(random_dae(traits_of(seed), seed));
}

SensitivityCheck check_sensitivities(std::uint32_t seed, const std::string& method) {
  using Verdict = SensitivityCheck::Verdict;
  const DaeTraits traits = traits_of(seed);
  const SwitchedDae system = random_dae(traits, seed);
  const DaeRun base = solve(system);
  SensitivityCheck check{.what = {}, .n_events = base.events.size()};
  bool is_robust = base.outcome == DaeRun::Outcome::complete && base.closest >= kClosest;
  for (const Real raise : {kGuardMargin, -kGuardMargin}) {
    is_robust = is_robust && same_sequence(base, solve(with_guards_raised(system, raise)));
  }
  if (!is_robust) {
    check.verdict = Verdict::aside;
    check.what = "the sequence of events is not certain";
    return check;
  }
  const auto model = Model::from_text("random.saltus", model_text_with_parameters(system));
  if (!model) {
    check.verdict = Verdict::refused;
    check.what = render_text(model.error());
    return check;
  }
  const auto result = simulate(*model, options_of(system, method));
  if (!result || !result->ok() || !result->sensitivities) {
    check.verdict = Verdict::refused;
    check.what = result ? result->message : render_text(result.error());
    return check;
  }
  if (result->events.size() != base.events.size()) {
    check.verdict = Verdict::wrong;
    check.what = "another number of events";
    return check;
  }
  for (const Parameter& parameter : parameters_of(system)) {
    // What a transition sets is what the new mode allows for this one value.
    const bool is_meant = parameter.name != "omega" || traits.jump != Jump::set;
    const std::ptrdiff_t place = result->sensitivities->parameter(parameter.name);
    const auto expected = is_meant ? derivative(system, base, parameter) : std::nullopt;
    if (expected && place >= 0) {
      compare_column(parameter, *expected, column_of(*result, system.n(), static_cast<std::size_t>(place)),
                     system.n(), bound_of(method), check);
    }
  }
  check.verdict = check.worst > 1.0       ? Verdict::wrong
                  : check.n_compared == 0 ? Verdict::aside
                                          : Verdict::agrees;
  return check;
}

}  // namespace saltus::test::oracle
