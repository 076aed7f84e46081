#include "support/oracle/instants/compare_run.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <vector>

#include "support/hybrid_run.hpp"
#include "support/oracle/draw.hpp"
#include "support/oracle/instants/instant_oracle.hpp"

namespace saltus::test::instants {
namespace {

using Verdict = Comparison::Verdict;
using Outcome = InstantRun::Outcome;

constexpr double kTolerance = 1e-9;
constexpr double kRight = 1e-6;
/// How far states and their rates are moved to see whether instants are robust.
constexpr Real kMoved = 1e-8L;
constexpr std::uint32_t kMoves = 3;
/// Instants nearer than this to each other say nothing about order.
constexpr Real kClosest = 1e-5L;
constexpr double kRows = 64.0;

/// A change of discrete values, as seen from outside.
struct Change {
  double time = 0.0;
  std::vector<double> after;
};

struct History {
  std::vector<double> start;
  std::vector<Change> changes;
};

std::string text_of(const std::vector<std::string>& names, const std::vector<double>& values) {
  std::string all;
  for (std::size_t i = 0; i < names.size(); ++i) {
    char one[96];
    std::snprintf(one, sizeof one, " %s=%.9g", names[i].c_str(), values[i]);
    all += one;
  }
  return all;
}

bool same(const std::vector<double>& a, const std::vector<double>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](double x, double y) { return std::abs(x - y) <= kRight; });
}

std::vector<std::size_t> discrete_places(const InstantRun& run) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < run.names.size(); ++i) {
    if (run.is_discrete[i]) {
      places.push_back(i);
    }
  }
  return places;
}

History history_of(const InstantRun& run) {
  History history;
  for (const Instant& instant : run.instants) {
    std::vector<double> after;
    for (const std::size_t place : discrete_places(run)) {
      after.push_back(static_cast<double>(instant.after[place]));
    }
    const bool is_start = &instant == &run.instants.front();
    if (is_start) {
      history.start = after;
    } else if (!same(after, history.changes.empty() ? history.start : history.changes.back().after)) {
      history.changes.push_back({static_cast<double>(instant.time), after});
    }
  }
  return history;
}

History history_of(const HybridRun& run, const std::vector<std::string>& names) {
  History history;
  std::vector<std::size_t> columns;
  for (const std::string& name : names) {
    columns.push_back(run.column(name));
  }
  const auto last = [&]() -> const std::vector<double>& {
    return history.changes.empty() ? history.start : history.changes.back().after;
  };
  for (std::size_t i = 0; i < run.rows.size(); ++i) {
    const double time = run.rows[i].time;
    // Of rows at one time the last counts.
    if (i + 1 < run.rows.size() && run.rows[i + 1].time - time <= kRight * 0.1) {
      continue;
    }
    std::vector<double> now;
    for (const std::size_t column : columns) {
      now.push_back(run.rows[i].values[column]);
    }
    if (history.start.empty() && history.changes.empty() && time <= kRight * 0.1) {
      history.start = now;
    } else if (!same(now, last())) {
      history.changes.push_back({time, now});
    }
  }
  return history;
}

bool is_robust(const DiscreteModel& model, const InstantRun& run, std::string& why) {
  if (run.closest < kClosest) {
    why = "instants close to each other";
    return false;
  }
  const History expected = history_of(run);
  for (std::uint32_t k = 0; k < kMoves; ++k) {
    oracle::Draw draw(k + 1);
    std::vector<Real> moved;
    for (const Variable& variable : model.variables) {
      moved.push_back(variable.role == Role::state ? kMoved * draw.unit() : 0);
    }
    const InstantRun other = interpret(model, moved);
    const History history = history_of(other);
    const bool is_same = other.outcome == run.outcome && other.doubt.empty() &&
                         same(history.start, expected.start) &&
                         std::equal(history.changes.begin(), history.changes.end(), expected.changes.begin(),
                                    expected.changes.end(), [](const Change& a, const Change& b) {
                                      return std::abs(a.time - b.time) <= kRight && same(a.after, b.after);
                                    });
    if (!is_same) {
      why = "depends on small errors";
      return false;
    }
  }
  return true;
}

std::optional<Comparison> compare_changes(const History& expected, const History& seen,
                                          const std::vector<std::string>& names) {
  const auto result = [](Verdict verdict, const std::string& what) {
    return Comparison{.verdict = verdict, .what = what, .instants = 0};
  };
  char head[64];
  if (!same(expected.start, seen.start)) {
    return result(Verdict::start,
                  "is" + text_of(names, seen.start) + ", right is" + text_of(names, expected.start));
  }
  for (std::size_t i = 0; i < std::max(expected.changes.size(), seen.changes.size()); ++i) {
    const bool has_both = i < expected.changes.size() && i < seen.changes.size();
    if (has_both && std::abs(expected.changes[i].time - seen.changes[i].time) <= kRight) {
      if (!same(expected.changes[i].after, seen.changes[i].after)) {
        std::snprintf(head, sizeof head, "at %.9g:", seen.changes[i].time);
        return result(Verdict::discrete, head + text_of(names, seen.changes[i].after) + ", right is" +
                                             text_of(names, expected.changes[i].after));
      }
      continue;
    }
    const bool is_missing =
        i >= seen.changes.size() || (has_both && expected.changes[i].time < seen.changes[i].time);
    const Change& change = is_missing ? expected.changes[i] : seen.changes[i];
    std::snprintf(head, sizeof head, "at %.9g:", change.time);
    return result(is_missing ? Verdict::missing : Verdict::extra,
                  head + text_of(names, change.after) + (is_missing ? " is right" : " is wrong"));
  }
  return std::nullopt;
}

std::optional<Comparison> compare_rows(const InstantRun& right, const HybridRun& run) {
  for (const RowRecord& row : run.rows) {
    const bool is_between =
        std::all_of(right.instants.begin(), right.instants.end(), [&](const Instant& instant) {
          return std::abs(static_cast<double>(instant.time) - row.time) > kRight;
        });
    if (!is_between && row.time > 0) {
      continue;
    }
    if (row.time == 0 && &row + 1 < run.rows.data() + run.rows.size() && (&row + 1)->time == 0) {
      continue;
    }
    for (std::size_t i = 0; i < right.names.size(); ++i) {
      if (right.names[i].starts_with("der(")) {
        continue;
      }
      const auto value = static_cast<double>(right.value(right.names[i], row.time));
      const double seen = run.value(row, right.names[i]);
      if (!(std::abs(seen - value) <= kRight * (1 + std::abs(value)))) {
        char line[160];
        std::snprintf(line, sizeof line, "%s at %.9g is %.9g, right is %.9g", right.names[i].c_str(),
                      row.time, seen, value);
        return Comparison{
            .verdict = row.time > 0 ? Verdict::real : Verdict::start, .what = line, .instants = 0};
      }
    }
  }
  return std::nullopt;
}

std::optional<Comparison> compare_events(const InstantRun& right, const HybridRun& run) {
  for (const Instant& instant : right.instants) {
    bool is_shown = instant.firings.empty();
    for (const EventRecord& event : run.events) {
      is_shown = is_shown || std::abs(event.time - static_cast<double>(instant.time)) <= kRight;
    }
    if (!is_shown) {
      char line[64];
      std::snprintf(line, sizeof line, "a clause fires at %.9g", static_cast<double>(instant.time));
      return Comparison{.verdict = Verdict::no_event, .what = line, .instants = 0};
    }
  }
  return std::nullopt;
}

std::string first_line(std::string text) {
  return text.substr(0, text.find('\n'));
}

}  // namespace

const char* to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::agrees: return "agrees";
    case Verdict::aside: return "aside";
    case Verdict::refused: return "refused";
    case Verdict::ended: return "ended";
    case Verdict::start: return "start";
    case Verdict::missing: return "missing";
    case Verdict::extra: return "extra";
    case Verdict::discrete: return "discrete";
    case Verdict::real: return "real";
    case Verdict::no_event: return "no_event";
    case Verdict::too_far: return "too_far";
  }
  return "";
}

Comparison compare(const std::string& text) {
  const auto result = [](Verdict verdict, const std::string& what) {
    return Comparison{.verdict = verdict, .what = what, .instants = 0};
  };
  InstantRun right;
  try {
    const DiscreteModel model = read_model(text);
    right = interpret(model);
    std::string why = right.doubt;
    if (right.outcome != Outcome::complete && right.outcome != Outcome::no_solution &&
        right.outcome != Outcome::cycle) {
      return result(Verdict::aside, std::string(to_string(right.outcome)) + ": " + right.why);
    }
    if (!why.empty() || (right.outcome != Outcome::cycle && !is_robust(model, right, why))) {
      return result(Verdict::aside, why);
    }
  } catch (const Unsupported& unsupported) {
    return result(Verdict::aside, unsupported.what());
  }
  const auto stop =
      right.outcome == Outcome::cycle ? std::string("1") : number(static_cast<double>(right.end));
  OptionList options = {{"tolerance", number(kTolerance)}, {"zeno", "continue"}, {"max-time", "10"}};
  if (right.outcome == Outcome::complete) {
    options.emplace_back("interval", number(static_cast<double>(right.end) / kRows));
  }
  const auto run = try_run(text, options);
  if (right.outcome != Outcome::complete) {
    const bool is_through = run.has_value() && run->result.status == SimulationStatus::success;
    return result(is_through ? Verdict::too_far : Verdict::agrees, right.why + " at " + stop);
  }
  if (!run.has_value()) {
    return result(Verdict::refused, first_line(render_text(run.error())));
  }
  if (run->result.status != SimulationStatus::success) {
    return result(Verdict::ended,
                  std::string(to_string(run->result.reason)) + ": " + first_line(run->result.message));
  }
  std::vector<std::string> names;
  for (const std::size_t place : discrete_places(right)) {
    names.push_back(right.names[place]);
  }
  const History expected = history_of(right);
  std::optional<Comparison> difference = compare_changes(expected, history_of(*run, names), names);
  difference = difference.has_value() ? difference : compare_rows(right, *run);
  difference = difference.has_value() ? difference : compare_events(right, *run);
  Comparison comparison = difference.value_or(Comparison{});
  comparison.instants = expected.changes.size();
  return comparison;
}

}  // namespace saltus::test::instants
