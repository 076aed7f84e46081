#include "support/oracle/laws/compare_laws.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "support/hybrid_run.hpp"

namespace saltus::test::laws {
namespace {

using Verdict = LawCheck::Verdict;
using Rows = std::vector<std::vector<double>>;

constexpr double kEpsilon = 1e-6;
constexpr double kFiner = 0.1;
/// Far below ε, or steps are taken over what happens within it.
constexpr double kReferenceTolerance = 1e-12;
/// Of valves, which draw solutions together; of springs without dampers. Nothing draws back the sum of the volumes, nor the motion of springs: the
/// errors of all steps add up, so that a run of more steps than that has a tolerance for each of them.
constexpr double kTolerances = 100;
constexpr double kTolerancesOfSprings = 1000;
/// … but no more than this many times as much: where sides go to and fro steps are short, and say less.
constexpr double kMostScaled = 10;
/// Part of the bound by which the two references may differ; the finer one is about ten times better.
constexpr double kKnown = 0.3;
/// Of the perturbed starts.
constexpr double kPerturbation = 1e-6;
constexpr std::size_t kRows = 61;
constexpr const char* kSeconds = "10";

std::string line(const char* format, auto... values) {
  char buffer[400];
  std::snprintf(buffer, sizeof buffer, format, values...);
  return buffer;
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

/// The states at all rows, with what they may be off.
struct Known {
  std::vector<double> times;
  Rows rows;
  Rows bounds;
  double n_tolerances = 0;  ///< in the bounds
  std::string why_not;
};

Known reference_of(const LawSystem& system, double tolerance) {
  Known known;
  for (std::size_t k = 0; k <= kRows; ++k) {
    known.times.push_back(k == kRows ? system.stop : static_cast<double>(k) * (system.stop / kRows));
  }
  const auto solve = [&](const LawSystem& given, double epsilon) {
    return solve_regularised(given, known.times, epsilon, kReferenceTolerance);
  };
  known.rows = solve(system, kFiner * kEpsilon);
  const Rows coarse = solve(system, kEpsilon);
  std::vector<Rows> perturbed;
  for (const int way : {1, 2}) {
    LawSystem other = system;
    for (std::size_t i = 0; i < other.size(); ++i) {
      other.start[i] += kPerturbation * (((i + 1) * static_cast<std::size_t>(way)) % 3 == 0 ? -1.0 : 1.0);
    }
    perturbed.push_back(solve(other, kFiner * kEpsilon));
  }
  for (const Rows* rows :
       std::initializer_list<const Rows*>{&known.rows, &coarse, perturbed.data(), perturbed.data() + 1}) {
    if (rows->size() != known.times.size()) {
      known.why_not = "the reference takes too many steps";
      return known;
    }
  }
  const bool has_springs = std::any_of(system.elements.begin(), system.elements.end(),
                                       [](const Element& element) { return element.kind == LawKind::sign; });
  known.n_tolerances = has_springs ? kTolerancesOfSprings : kTolerances;
  const double allowed = known.n_tolerances * tolerance;
  for (std::size_t k = 0; k < known.times.size(); ++k) {
    std::vector<double>& bounds = known.bounds.emplace_back();
    for (std::size_t i = 0; i < system.size(); ++i) {
      const double right = known.rows[k][i];
      double grown = 0;
      for (const Rows& rows : perturbed) {
        grown = std::max(grown, std::abs(rows[k][i] - right) / kPerturbation);
      }
      bounds.push_back(allowed * (1.0 + std::abs(right) + grown));
      if (std::abs(coarse[k][i] - right) > kKnown * bounds.back()) {
        known.why_not = line("the reference is not known better than %.2g at %.4g",
                             std::abs(coarse[k][i] - right), known.times[k]);
      }
    }
  }
  return known;
}

LawCheck check_run(const LawModel& model, const Known& known, const std::string& method, double tolerance) {
  LawCheck check{.method = method};
  const auto seen = try_run(model.text, {{"tolerance", number(tolerance)},
                                         {"method", method},
                                         {"interval", number(model.system.stop / kRows)},
                                         {"max-time", kSeconds}});
  if (!seen.has_value()) {
    check.verdict = Verdict::refused;
    check.what = first_line(render_text(seen.error()));
    return check;
  }
  check.n_events = seen->events.size();
  if (seen->result.status != SimulationStatus::success) {
    check.verdict = seen->result.reason == Reason::time_limit ? Verdict::hangs : Verdict::ended;
    check.what = std::string(to_string(seen->result.reason)) + ": " + first_line(seen->result.message);
    return check;
  }
  const auto n_steps = static_cast<double>(seen->result.statistics.accepted_steps);
  const double scale = std::clamp(n_steps / known.n_tolerances, 1.0, kMostScaled);
  for (const RowRecord& row : seen->rows) {
    const auto at =
        std::lower_bound(known.times.begin(), known.times.end(), row.time - 1e-9 * model.system.stop);
    const auto k = static_cast<std::size_t>(at - known.times.begin());
    if (k >= known.times.size() || std::abs(known.times[k] - row.time) > 1e-9 * model.system.stop) {
      continue;  // of an event
    }
    for (std::size_t i = 0; i < model.names.size(); ++i) {
      const double value = row.values[seen->column(model.names[i])];
      const double ratio = std::abs(value - known.rows[k][i]) / (scale * known.bounds[k][i]);
      check.worst = std::max(check.worst, ratio);
      if (!(ratio <= 1.0) && check.verdict == Verdict::agrees) {
        check.verdict = Verdict::values;
        check.what = line("%s at %.6g is %.9g, right is %.9g (%.3g bounds)", model.names[i].c_str(), row.time,
                          value, known.rows[k][i], ratio);
      }
    }
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
    case Verdict::values: return "values";
  }
  return "";
}

std::vector<LawCheck> compare(const LawModel& model, const std::vector<std::string>& methods,
                              double tolerance) {
  const Known known = reference_of(model.system, tolerance);
  if (!known.why_not.empty()) {
    return {{.verdict = Verdict::aside, .what = known.why_not}};
  }
  std::vector<LawCheck> checks;
  for (const std::string& method : methods) {
    checks.push_back(check_run(model, known, method, tolerance));
  }
  return checks;
}

}  // namespace saltus::test::laws
