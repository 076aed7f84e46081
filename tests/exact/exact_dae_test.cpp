// Random switched linear DAEs of index up to 3 by the method `exact`, against the oracle in long double: events and values to 1e-12 times the
// condition of the flow, which perturbations of the start, of forcings and of guards show.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "support/hybrid_run.hpp"
#include "support/oracle/dae_oracle.hpp"
#include "support/oracle/draw.hpp"
#include "support/oracle/random_dae.hpp"

namespace saltus::test::oracle {
namespace {

constexpr Real kMoved = 1e-8L;
constexpr double kBound = 1e-12;
constexpr Real kMargin = 1e-5L;

bool same_events(const DaeRun& a, const DaeRun& b) {
  bool is_same = a.outcome == DaeRun::Outcome::complete && b.outcome == DaeRun::Outcome::complete &&
                 a.mode == b.mode && a.events.size() == b.events.size();
  for (std::size_t i = 0; is_same && i < a.events.size(); ++i) {
    is_same =
        a.events[i].is_immediate == b.events[i].is_immediate && a.events[i].target == b.events[i].target;
  }
  return is_same;
}

struct Checked {
  bool is_set_aside = false;
  double worst = 0.0;  ///< of what is allowed
  std::string problem;
};

Checked check(std::uint32_t seed) {
  const DaeTraits traits{.index = seed % 4,
                         .mixing = static_cast<Mixing>(seed / 4 % kMixings),
                         .jump = static_cast<Jump>(seed / 16 % kJumps),
                         .is_uniform = seed / 64 % 2 == 0};
  const SwitchedDae system = random_dae(traits, seed);
  const DaeRun expected = solve(system);
  bool is_robust = expected.outcome == DaeRun::Outcome::complete && expected.closest >= 1e-6L &&
                   same_events(expected, solve(with_guards_raised(system, kMargin))) &&
                   same_events(expected, solve(with_guards_raised(system, -kMargin)));
  std::vector<double> time_condition(expected.events.size(), 1.0);
  double condition = 1.0;
  for (std::uint32_t k = 0; k < 4 && is_robust; ++k) {
    const DaeRun other = solve(perturbed(system, 1000 * seed + k, kMoved));
    is_robust = same_events(expected, other);
    for (std::size_t i = 0; is_robust && i < expected.events.size(); ++i) {
      time_condition[i] =
          std::max(time_condition[i],
                   static_cast<double>(std::abs(other.events[i].time - expected.events[i].time) / kMoved));
      condition = std::max(condition, time_condition[i]);
    }
    for (std::size_t i = 0; is_robust && i < expected.x.size(); ++i) {
      condition = std::max(condition, static_cast<double>(std::abs(other.x[i] - expected.x[i]) / kMoved));
    }
  }
  if (!is_robust) {
    return {.is_set_aside = true, .worst = 0.0, .problem = {}};
  }
  Checked checked;
  const auto run = try_run(model_text(system), {{"stop", number(static_cast<double>(system.stop))},
                                                {"interval", "100"},
                                                {"zeno", "continue"},
                                                {"max-time", "60"},
                                                {"method", "exact"}});
  if (!run.has_value()) {
    checked.problem = render_text(run.error());
    return checked;
  }
  if (run->result.status != SimulationStatus::success) {
    checked.problem = "ended early: " + run->result.message;
    return checked;
  }
  if (run->events.size() != expected.events.size()) {
    checked.problem =
        std::to_string(run->events.size()) + " events instead of " + std::to_string(expected.events.size());
    return checked;
  }
  const auto compare = [&](double seen, Real wanted, double allowed, const std::string& what) {
    const double error = std::abs(seen - static_cast<double>(wanted)) /
                         (kBound * allowed * (1.0 + std::abs(static_cast<double>(wanted))));
    if (error > checked.worst) {
      checked.worst = error;
      checked.problem = error > 1.0
                            ? what + " is " + number(seen) + " instead of " +
                                  number(static_cast<double>(wanted)) + ", condition " + number(allowed)
                            : "";
    }
  };
  for (std::size_t i = 0; i < expected.events.size(); ++i) {
    compare(run->events[i].time, expected.events[i].time, time_condition[i],
            "event " + std::to_string(i + 1));
  }
  for (std::size_t i = 0; i < expected.x.size(); ++i) {
    compare(run->result.final_value("x" + std::to_string(i + 1)), expected.x[i], condition,
            "x" + std::to_string(i + 1));
  }
  return checked;
}

TEST(ExactMethod, RandomSwitchedDaes) {
  const char* const given = std::getenv("SALTUS_EXACT_DAES");
  const int count = given != nullptr ? std::atoi(given) : 200;
  int set_aside = 0;
  int wrong = 0;
  double worst = 0.0;
  for (std::uint32_t seed = 1; seed <= static_cast<std::uint32_t>(count); ++seed) {
    const Checked checked = check(seed);
    set_aside += checked.is_set_aside ? 1 : 0;
    worst = std::max(worst, checked.worst);
    if (!checked.problem.empty()) {
      ++wrong;
      ADD_FAILURE() << "seed " << seed << ": " << checked.problem;
    }
  }
  std::printf("%d systems, %d set aside, %d wrong, largest error %.2g of what is allowed\n", count, set_aside,
              wrong, worst);
  EXPECT_LT(set_aside, count / 5);
}

}  // namespace
}  // namespace saltus::test::oracle
