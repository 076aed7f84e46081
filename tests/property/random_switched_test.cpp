// Random switched systems: the library must report the events of the oracle (support/oracle), all of them, in order, at
// their times. Systems whose sequence changes under a perturbation of ten tolerances are counted and set aside.
//
// SALTUS_RANDOM_SYSTEMS: number of systems in each family (default: what the gate can afford).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "support/hybrid_run.hpp"
#include "support/oracle/oracle.hpp"
#include "support/oracle/random_system.hpp"

namespace saltus::test::oracle {
namespace {

constexpr double kTolerance = 1e-9;
constexpr Real kPerturbation = 10 * kTolerance;
constexpr std::uint32_t kPerturbations = 4;
/// Instants closer than this are taken for an accumulation, whose last events no tolerance resolves.
constexpr Real kClosest = 1e-6L;
/// Largest share of systems that may be set aside before the test says too little.
constexpr double kMostSetAside = 0.35;

std::uint32_t systems_per_family() {
  const char* given = std::getenv("SALTUS_RANDOM_SYSTEMS");
  return given != nullptr ? static_cast<std::uint32_t>(std::atoi(given)) : 400U;
}

bool same_sequence(const OracleRun& a, const OracleRun& b) {
  return a.outcome == OracleRun::Outcome::complete && b.outcome == OracleRun::Outcome::complete &&
         a.mode == b.mode &&
         std::equal(a.events.begin(), a.events.end(), b.events.begin(), b.events.end(),
                    [](const OracleEvent& x, const OracleEvent& y) {
                      return x.kind == y.kind && x.which == y.which;
                    });
}

/// A guard that is zero at the start and goes where the value as written holds changes no condition: whether the start
/// is an event then is left open, and such events do not count.
bool counts(const OracleEvent& event, const std::vector<Spelling>& spelling) {
  return event.time != 0 || event.kind != Kind::condition || spelling[event.which] == Spelling::sign;
}
bool counts(const EventRecord& event) {
  return event.time != 0 || event.kind != "condition" || event.detail.find("sign(") != std::string::npos;
}

/// What a run must show, and how far the numbers may be off: a few times what perturbations of ten tolerances do.
struct Expectation {
  OracleRun run;
  std::vector<double> time_bounds;
  std::vector<double> state_bounds;
  bool is_robust = true;
};

Expectation expectation_of(const RandomSystem& random, Family family, std::uint32_t seed) {
  const SwitchedSystem& system = random.system;
  Expectation expected{.run = solve(system), .time_bounds = {}, .state_bounds = {}, .is_robust = true};
  if (expected.run.outcome != OracleRun::Outcome::complete || expected.run.closest < kClosest) {
    expected.is_robust = false;
    return expected;
  }
  expected.time_bounds.assign(expected.run.events.size(), 20 * kTolerance);
  expected.state_bounds.assign(system.n(), 20 * kTolerance);
  for (std::uint32_t k = 0; k < kPerturbations; ++k) {
    const OracleRun other = solve(perturbed(system, family, 1000 * seed + k, kPerturbation));
    if (!same_sequence(expected.run, other)) {
      expected.is_robust = false;
      return expected;
    }
    for (std::size_t i = 0; i < other.events.size(); ++i) {
      const auto spread = static_cast<double>(std::abs(other.events[i].time - expected.run.events[i].time));
      expected.time_bounds[i] = std::max(expected.time_bounds[i], 4 * spread);
    }
    for (std::size_t i = 0; i < other.x.size(); ++i) {
      const auto spread = static_cast<double>(std::abs(other.x[i] - expected.run.x[i]));
      expected.state_bounds[i] = std::max(expected.state_bounds[i], 4 * spread);
    }
  }
  // Those at the start come first, and all have the same bound.
  std::vector<OracleEvent>& events = expected.run.events;
  events.erase(std::remove_if(events.begin(), events.end(),
                              [&](const OracleEvent& event) { return !counts(event, random.spelling); }),
               events.end());
  expected.time_bounds.erase(expected.time_bounds.begin(),
                             expected.time_bounds.end() - static_cast<std::ptrdiff_t>(events.size()));
  return expected;
}

std::string text_of(const OracleRun& run) {
  std::string text = "expected: " + run.why + "\n";
  for (const OracleEvent& event : run.events) {
    char line[80];
    std::snprintf(line, sizeof line, "%.17Lg,%s,%zu\n", event.time, to_string(event.kind), event.which);
    text += line;
  }
  return text;
}

/// One event of the library in the words of the oracle.
struct Seen {
  double time = 0.0;
  std::string kind;
  std::string name;  ///< of the guard, or of the target mode
};

bool is_of_surface(const std::string& kind) {
  return kind == "condition" || kind == "slide_enter" || kind == "slide_exit";
}

/// Rounds of one instant may move a surface to and fro; what counts is where it was before and where it is after.
std::vector<EventRecord> net_changes(const std::vector<EventRecord>& events) {
  std::vector<EventRecord> net;
  for (std::size_t first = 0; first < events.size();) {
    std::size_t last = first;
    std::map<std::string, EventRecord> surfaces;
    for (; last < events.size() && events[last].time == events[first].time; ++last) {
      const EventRecord& event = events[last];
      if (!is_of_surface(event.kind)) {
        net.push_back(event);
      } else if (const auto [known, is_new] = surfaces.try_emplace(event.guard, event); !is_new) {
        known->second.to = event.to;
      }
    }
    for (auto& [guard, event] : surfaces) {
      event.kind = event.to == "sliding"     ? "slide_enter"
                   : event.from == "sliding" ? "slide_exit"
                                             : "condition";
      if (event.from != event.to) {
        net.push_back(event);
      }
    }
    first = last;
  }
  return net;
}

std::vector<Seen> seen_in(const HybridRun& run, bool as_modes) {
  std::vector<Seen> seen;
  for (const EventRecord& event : as_modes ? run.events : net_changes(run.events)) {
    const std::string& kind = event.kind;
    if (!counts(event)) {
      continue;
    }
    if (as_modes && kind == "transition") {
      // One surface spelled as two modes: a change of mode is the condition that changed.
      seen.push_back({event.time, "condition", "surface"});
    } else if (as_modes) {
      seen.push_back({event.time, kind, "surface"});
    } else {
      seen.push_back(
          {event.time, kind, kind == "transition" || kind == "immediate" ? event.to : event.guard});
    }
  }
  return seen;
}

std::string group_of(Kind kind) {
  const bool is_mode = kind == Kind::transition || kind == Kind::immediate;
  return is_mode ? "mode " : kind == Kind::when ? "clause " : "surface ";
}

/// Empty if the sequence is the expected one; otherwise the first difference. Events of one instant count as a set.
std::string difference(const Expectation& expected, const std::vector<Seen>& seen) {
  const std::vector<OracleEvent>& events = expected.run.events;
  // A guard's text stands for one surface or clause throughout the run, and the other way round.
  std::map<std::string, std::string> meaning;
  std::map<std::string, std::string> text;
  std::size_t first = 0;
  while (first < events.size()) {
    std::size_t last = first;
    while (last < events.size() && events[last].time == events[first].time) {
      ++last;
    }
    if (seen.size() < last) {
      return "an event is missing: number " + std::to_string(seen.size() + 1);
    }
    // First those whose names are known or can be only one, so that several new names of one instant mix up nothing.
    std::vector<bool> used(last - first, false);
    std::vector<bool> found(last - first, false);
    for (const bool is_strict : {true, false}) {
      for (std::size_t i = first; i < last; ++i) {
        const std::string group = group_of(events[i].kind);
        const std::string id = group + std::to_string(events[i].which);
        for (std::size_t k = first; k < last && !found[i - first]; ++k) {
          const std::string name = group + seen[k].name;
          const bool is_known = meaning.contains(name) && meaning[name] == id;
          const bool contradicts = !is_known && (meaning.contains(name) || text.contains(id));
          if (used[k - first] || seen[k].kind != to_string(events[i].kind) || contradicts ||
              (is_strict && !is_known) ||
              std::abs(seen[k].time - static_cast<double>(events[i].time)) > expected.time_bounds[i]) {
            continue;
          }
          used[k - first] = true;
          found[i - first] = true;
          const auto same_kind = [&](const OracleEvent& event) {
            return event.kind == events[i].kind && !text.contains(group + std::to_string(event.which));
          };
          const auto begin = events.begin() + static_cast<std::ptrdiff_t>(first);
          const auto end = events.begin() + static_cast<std::ptrdiff_t>(last);
          if (!is_known && std::count_if(begin, end, same_kind) == 1) {
            meaning[name] = id;
            text[id] = name;
          }
        }
        if (!is_strict && !found[i - first]) {
          return "event " + std::to_string(i + 1) + " of the expected ones is not there";
        }
      }
    }
    first = last;
  }
  return seen.size() > events.size() ? "an event too many: number " + std::to_string(events.size() + 1) : "";
}

std::string state_difference(const Expectation& expected, const HybridRun& run) {
  for (std::size_t i = 0; i < expected.run.x.size(); ++i) {
    const double value = run.final("x" + std::to_string(i + 1));
    if (!(std::abs(value - static_cast<double>(expected.run.x[i])) <= expected.state_bounds[i])) {
      return "x" + std::to_string(i + 1) + " ends at " + number(value) + " instead of " +
             number(static_cast<double>(expected.run.x[i]));
    }
  }
  return "";
}

class RandomSwitchedSystems : public ::testing::TestWithParam<int> {};

TEST_P(RandomSwitchedSystems, HaveTheEventsOfTheOracle) {
  const auto family = static_cast<Family>(GetParam());
  const std::uint32_t count = systems_per_family();
  std::size_t set_aside = 0;
  std::size_t compared_events = 0;
  std::size_t wrong = 0;
  for (std::uint32_t seed = 1; seed <= count; ++seed) {
    const RandomSystem random = random_system(family, seed);
    const Expectation expected = expectation_of(random, family, seed);
    if (!expected.is_robust) {
      ++set_aside;
      continue;
    }
    const std::string text = model_text(random.system, random.spelling, random.named);
    auto run = try_run(text, {{"stop", number(static_cast<double>(random.system.stop))},
                              {"tolerance", number(kTolerance)},
                              {"interval", "100"},
                              {"zeno", "continue"},
                              {"max-time", "5"}});
    std::string problem;
    if (!run.has_value()) {
      problem = render_text(run.error());
    } else if (run->result.status != SimulationStatus::success) {
      problem = "the run did not reach its end";
    } else {
      const bool as_modes = random.spelling.size() == 1 && random.spelling[0] == Spelling::modes;
      problem = difference(expected, seen_in(*run, as_modes));
      problem = problem.empty() ? state_difference(expected, *run) : problem;
    }
    compared_events += expected.run.events.size();
    if (!problem.empty()) {
      ++wrong;
      if (wrong <= 3) {
        ADD_FAILURE() << to_string(family) << " system, seed " << seed << ": " << problem << "\n"
                      << text << text_of(expected.run) << (run.has_value() ? run->log() : "");
      }
    }
  }
  std::printf("%s: %u systems, %zu events compared, %zu systems set aside, %zu wrong\n", to_string(family),
              count, compared_events, set_aside, wrong);
  EXPECT_EQ(wrong, 0U);
  EXPECT_LT(static_cast<double>(set_aside), kMostSetAside * count);
}

INSTANTIATE_TEST_SUITE_P(All, RandomSwitchedSystems, ::testing::Range(0, kFamilies), [](const auto& given) {
  return std::string(to_string(static_cast<Family>(given.param)));
});

}  // namespace
}  // namespace saltus::test::oracle
