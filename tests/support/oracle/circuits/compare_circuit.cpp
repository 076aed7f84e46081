#include "support/oracle/circuits/compare_circuit.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>

#include "support/hybrid_run.hpp"
#include "support/oracle/circuits/circuit_oracle.hpp"
#include "support/oracle/circuits/reference.hpp"
#include "support/oracle/circuits/write_network.hpp"

namespace saltus::test::circuits {
namespace {

using Verdict = CircuitCheck::Verdict;

constexpr double kTolerance = 1e-6;
constexpr double kRows = 61.7;
constexpr const char* kSeconds = "10";
/// An instant that is not known better says nothing.
constexpr double kBlurred = 0.01;

std::string line(const char* format, auto... values) {
  char buffer[400];
  std::snprintf(buffer, sizeof buffer, format, values...);
  return buffer;
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

/// The least error over bound of a value against these combinations, and what is right by that.
struct Nearest {
  Real ratio = INFINITY;
  Real right = 0;

  void look(const Reference& reference, const std::vector<Reference::Candidate>& candidates,
            const Column& column, Real value) {
    for (const Reference::Candidate& candidate : candidates) {
      Real exact = 0;
      const Real of_this = reference.ratio(column, candidate, value, exact);
      right = of_this <= ratio ? exact : right;
      ratio = std::min(ratio, of_this);
    }
  }
};

void compare_rows(const Network& network, const Reference& reference, const std::vector<Column>& columns,
                  const HybridRun& seen, CircuitCheck& check) {
  std::vector<std::size_t> places;
  for (const Column& column : columns) {
    places.push_back(seen.column(column.name));
  }
  std::size_t n_wrong = 0;
  for (std::size_t i = 0; i < seen.rows.size(); ++i) {
    const RowRecord& row = seen.rows[i];
    const Real t = row.time / network.units.time;
    if (t == 0 && i + 1 < seen.rows.size() && seen.rows[i + 1].time == 0) {
      continue;
    }
    const std::vector<Reference::Candidate> exact = reference.exact(t);
    std::optional<std::vector<Reference::Candidate>> turned;  // asked for only where it matters
    bool is_right = true;
    for (std::size_t k = 0; k < columns.size(); ++k) {
      if (columns[k].what == Column::What::count) {
        continue;
      }
      const Real value = row.values[places[k]];
      Nearest nearest;
      nearest.look(reference, exact, columns[k], value);
      if (!(nearest.ratio <= 1)) {
        turned = turned ? turned : reference.turned(exact);
        nearest.look(reference, *turned, columns[k], value);
      }
      check.worst = std::max(check.worst, nearest.ratio);
      is_right = is_right && nearest.ratio <= 1;
      if (!(nearest.ratio <= 1) && check.verdict == Verdict::agrees) {
        check.verdict = t == 0 ? Verdict::start : Verdict::values;
        check.what = line("%s at %.9g is %.9g, right is %.9g (%.3g bounds)", columns[k].name.c_str(),
                          row.time, value, nearest.right, nearest.ratio);
      }
    }
    n_wrong += is_right ? 0 : 1;
  }
  if (n_wrong > 0) {
    check.what += line("; %zu of %zu rows are wrong", n_wrong, seen.rows.size());
  }
}

/// A kink of min or max is none.
bool needs_event(const Network& network, const CircuitInstant& instant) {
  bool is_needed = instant.before.closed != instant.after.closed;
  const std::vector<std::size_t> diodes = network.of_kind(Element::Kind::diode);
  for (std::size_t k = 0; k < diodes.size(); ++k) {
    const bool has_changed = (((instant.before.conducting ^ instant.after.conducting) >> k) & 1U) != 0;
    is_needed = is_needed || (has_changed && network.elements[diodes[k]].spelling != Spelling::minimum);
  }
  return is_needed;
}

void compare_events(const Network& network, const CircuitRun& run, const Reference& reference,
                    const HybridRun& seen, CircuitCheck& check) {
  const Real unit = network.units.time;
  std::vector<bool> is_explained(seen.events.size(), false);
  for (std::size_t k = 0; k < run.instants.size(); ++k) {
    const CircuitInstant& instant = run.instants[k];
    const Real blur = reference.blur(k);
    bool is_shown = false;
    for (std::size_t e = 0; e < seen.events.size(); ++e) {
      const bool is_it = std::abs(seen.events[e].time / unit - instant.time) <= blur;
      is_explained[e] = is_explained[e] || is_it;
      is_shown = is_shown || is_it;
    }
    const bool is_change = needs_event(network, instant);
    const bool is_decided = blur < kBlurred && instant.time + blur < network.stop;
    if (is_change && is_decided && !is_shown && check.verdict == Verdict::agrees) {
      check.verdict = Verdict::missing;
      check.what = line("no event at %.9g", instant.time * unit);
    }
  }
  // The relation of a thyristor that is blocked changes as well.
  const bool has_thyristors = std::any_of(network.elements.begin(), network.elements.end(),
                                          [](const Element& element) { return element.is_thyristor; });
  for (std::size_t e = 0; e < seen.events.size() && !has_thyristors; ++e) {
    const bool is_extra =
        !is_explained[e] && seen.events[e].time > 0 && !reference.is_open(seen.events[e].time / unit);
    if (is_extra && check.verdict == Verdict::agrees) {
      check.verdict = Verdict::extra;
      check.what = line("%s event at %.9g: %s", seen.events[e].kind.c_str(), seen.events[e].time,
                        seen.events[e].guard.c_str());
    }
  }
}

void compare_counts(const CircuitRun& run, const Reference& reference, const std::vector<Column>& columns,
                    const HybridRun& seen, CircuitCheck& check) {
  for (const Column& column : columns) {
    if (column.what != Column::What::off && column.what != Column::What::count) {
      continue;
    }
    std::size_t right = 0;
    for (const CircuitInstant& instant : run.instants) {
      right +=
          (((instant.before.conducting ^ instant.after.conducting) >> reference.number_of(column.place)) &
           1U) != 0
              ? 1
              : 0;
    }
    const std::size_t place = seen.column(column.name);
    std::size_t changes = 0;
    for (std::size_t i = 1; i < seen.rows.size(); ++i) {
      changes += seen.rows[i].values[place] != seen.rows[i - 1].values[place] ? 1 : 0;
    }
    const std::size_t n = column.what == Column::What::off
                              ? changes
                              : static_cast<std::size_t>(std::lround(seen.rows.back().values[place]));
    if (n != right && check.verdict == Verdict::agrees) {
      check.verdict = Verdict::count;
      check.what = line("%s: %zu changes, right are %zu", column.name.c_str(), n, right);
    }
  }
}

CircuitCheck check_run(const Network& network, const CircuitRun& run, const Reference& reference,
                       const WrittenNetwork& written, const std::string& method) {
  CircuitCheck check;
  check.method = method;
  check.n_instants = run.instants.size();
  const OptionList options = {{"tolerance", number(kTolerance)},
                              {"method", method},
                              {"interval", number(network.stop * network.units.time / kRows)},
                              {"max-time", kSeconds}};
  const auto seen = try_run(written.text, options);
  if (!seen.has_value()) {
    check.verdict = Verdict::refused;
    check.what = first_line(render_text(seen.error()));
    return check;
  }
  if (seen->result.status != SimulationStatus::success) {
    check.verdict = seen->result.reason == Reason::time_limit ? Verdict::hangs : Verdict::ended;
    check.what = std::string(to_string(seen->result.reason)) + ": " + first_line(seen->result.message);
    return check;
  }
  compare_rows(network, reference, written.columns, *seen, check);
  if (!run.grazes && !run.has_ties) {
    compare_events(network, run, reference, *seen, check);
  }
  const bool is_open = std::any_of(seen->rows.begin(), seen->rows.end(), [&](const RowRecord& row) {
    const Real t = row.time / network.units.time;
    return reference.pieces_near(t).size() == 1 && reference.is_open(t);
  });
  if (!run.grazes && !run.has_ties && !is_open) {
    compare_counts(run, reference, written.columns, *seen, check);
  }
  return check;
}

}  // namespace

const char* to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::agrees: return "agrees";
    case Verdict::aside: return "aside";
    case Verdict::refused: return "refused";
    case Verdict::ended: return "ended";
    case Verdict::hangs: return "hangs";
    case Verdict::start: return "start";
    case Verdict::values: return "values";
    case Verdict::missing: return "missing";
    case Verdict::extra: return "extra";
    case Verdict::count: return "count";
  }
  return "";
}

bool is_wrong(Verdict verdict) {
  return verdict == Verdict::start || verdict == Verdict::values || verdict == Verdict::missing ||
         verdict == Verdict::extra || verdict == Verdict::count;
}

std::vector<CircuitCheck> compare(const Network& network, const std::vector<std::string>& methods) {
  const CircuitRun run = solve(network);
  if (run.outcome != CircuitRun::Outcome::complete) {
    return {{.verdict = Verdict::aside,
             .method = "",
             .what = std::string(to_string(run.outcome)) + ": " + run.why}};
  }
  const Reference reference(network, run, kTolerance);
  const WrittenNetwork written = write(network);
  std::vector<CircuitCheck> checks;
  for (const std::string& method : methods) {
    checks.push_back(check_run(network, run, reference, written, method));
  }
  return checks;
}

}  // namespace saltus::test::circuits
