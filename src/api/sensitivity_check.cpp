#include "api/sensitivity_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "api/error_estimate.hpp"
#include "api/model/diagnostic_codes.hpp"
#include "api/model/start_point.hpp"
#include "api/results/work_guard.hpp"
#include "api/sensitivity/twins.hpp"

namespace saltus::api {
namespace {

constexpr double kWorthAWarning = 1000.0;  // times the tolerance
/// Of a run for which no time is left.
constexpr double kLeastSecondsOfTwins = 1e-3;

bool is_one_event(const Event& a, const Event& b) {
  return a.kind == b.kind && a.guard == b.guard && a.from == b.from && a.to == b.to;
}

bool have_same_events(const EventList& a, const EventList& b) {
  bool are_same = a.size() == b.size();
  for (std::size_t i = 0; i < a.size() && are_same; ++i) {
    are_same = is_one_event(a[i], b[i]);
  }
  return are_same;
}

// One parameter.
class Check {
 public:
  Check(const SimulationResult& result, const SensitivityTarget& target, std::size_t place)
      : result_(result), target_(target), place_(place) {
    item_.parameter = target.name;
  }

  Sensitivities::Check compare(const TwinSet& set, const std::map<int, SimulationResult>& runs) {
    for (const auto& [offset, run] : runs) {
      if (run.status != result_.status || run.reason != result_.reason) {
        item_.at = fmt::format("the run with another value ended in another way ({})",
                               run.reason == Reason::none ? to_string(run.status) : to_string(run.reason));
        return item_;
      }
      if (!have_same_events(result_.events, run.events)) {
        item_.at = "the run with another value has other events";
        return item_;
      }
    }
    compare_final_values(set, runs);
    compare_event_times(set, runs);
    if (std::isnan(item_.largest_difference) && item_.at.empty()) {
      item_.at = "all sensitivities are undefined at the end";
    }
    return item_;
  }

 private:
  void compare_final_values(const TwinSet& set, const std::map<int, SimulationResult>& runs) {
    const Sensitivities& all = *result_.sensitivities;
    // Where the model ends the run, the time moves too, and the sensitivities are those of the values at the end.
    const bool is_comparable = std::all_of(runs.begin(), runs.end(), [&](const auto& run) {
      return (run.second.end == result_.end || result_.status == SimulationStatus::terminated) &&
             run.second.final_values.size() == result_.final_values.size();
    });
    for (std::size_t v = 0; v < result_.variables.size() && is_comparable && !all.final_values.empty(); ++v) {
      const VariableInfo& variable = result_.variables[v];
      if (variable.type == ValueType::real) {
        const double quotient = difference(set, runs, result_.final_values[v],
                                           [&](const SimulationResult& run) { return run.final_values[v]; });
        note(all.final_row(v)[place_], quotient, all.scales[v], variable.name);
      }
    }
  }

  void compare_event_times(const TwinSet& set, const std::map<int, SimulationResult>& runs) {
    const Sensitivities& all = *result_.sensitivities;
    const std::size_t n = all.parameters.size();
    for (std::size_t e = 0; e < result_.events.size() && (e + 1) * n <= all.event_times.size(); ++e) {
      const double quotient = difference(set, runs, result_.events[e].time,
                                         [&](const SimulationResult& run) { return run.events[e].time; });
      note(all.event_times[e * n + place_], quotient, std::abs(result_.end - result_.start),
           fmt::format("the time of event {}", e + 1));
    }
  }

  template <class Get>
  static double difference(const TwinSet& set, const std::map<int, SimulationResult>& runs, double here,
                           Get get) {
    double sum = 0.0;
    for (const StencilPoint& point : set.stencil) {
      const auto run = runs.find(point.offset);
      sum += run == runs.end() ? 0.0 : point.weight * (get(run->second) - here);
    }
    return sum;
  }

  void note(double value, double quotient, double size, std::string where) {
    const double difference = std::abs(value - quotient) / (std::abs(value) + size / target_.size);
    if (!std::isnan(difference) && !(difference <= item_.largest_difference)) {
      item_.largest_difference = difference;
      item_.at = std::move(where);
    }
  }

  const SimulationResult& result_;
  const SensitivityTarget& target_;
  std::size_t place_;
  Sensitivities::Check item_;
};

// The runs of a stencil.
std::map<int, SimulationResult> run_twins(const TwinSet& set, const RunSettings& settings,
                                          const Columns& columns, const SimulationOptions& hooks,
                                          const SimulationResult& result) {
  std::map<int, SimulationResult> runs;
  for (const StencilPoint& point : set.stencil) {
    SimulationResult& own = runs[point.offset];
    own.variables = result.variables;
    own.columns = result.columns;
    run(set.twins.at(point.offset).instance, settings, columns, hooks, own);
  }
  return runs;
}

double measure_of(const Sensitivities& all, const std::string& parameter) {
  const auto found =
      std::find_if(all.most_influential.begin(), all.most_influential.end(),
                   [&](const Sensitivities::Influence& item) { return item.parameter == parameter; });
  return found == all.most_influential.end() ? 0.0 : found->measure;
}

}  // namespace

void check_sensitivities(const Instance& instance, const RunSettings& settings, const Columns& columns,
                         const SimulationOptions& hooks, const std::vector<SensitivityTarget>& targets,
                         const WallClock& clock, SimulationResult& result) {
  if (!result.ok()) {
    for (const SensitivityTarget& target : targets) {
      result.sensitivities->check.push_back({target.name, std::nan(""), "the run ended early"});
    }
    return;
  }
  RunSettings tighter = settings;
  (void)tighten(tighter);
  SimulationOptions quiet = hooks;
  quiet.sink = nullptr;
  quiet.keep_rows = false;
  quiet.keep_dense = false;
  Instance base = instance;
  Diagnostics ignored;
  std::optional<system::InitialPoint> initial;
  const auto check_one = [&](std::size_t p) -> Sensitivities::Check {
    if (!initial) {
      Result<system::InitialPoint> start =
          find_start(base, settings.start, settings.stop - settings.start, settings.start_rule, ignored);
      if (!start) {
        return {targets[p].name, std::nan(""), "the run has no start"};
      }
      initial = *std::move(start);
    }
    const double measure = std::max(1.0, measure_of(*result.sensitivities, targets[p].name));
    TwinSet set =
        make_twins(base, *initial, targets[p], settings, kTwinDistance / measure, TwinSides::chosen);
    if (!set.undefined.empty()) {
      return {targets[p].name, std::nan(""), set.undefined};
    }
    set.twins.emplace(0, TwinInstance{base, *initial, {}});
    return Check(result, targets[p], p).compare(set, run_twins(set, tighter, columns, quiet, result));
  };
  const double amplification = std::max(1.0, result.sensitivities->most_influential[0].measure);
  for (std::size_t p = 0; p < targets.size(); ++p) {
    if (tighter.max_time) {
      tighter.max_time = std::max(kLeastSecondsOfTwins, *settings.max_time - clock.seconds());
    }
    Sensitivities::Check item{targets[p].name, std::nan(""), ""};
    try {
      item = check_one(p);
    } catch (const WorkHalted& halted) {
      item.at = fmt::format("it ended early ({})", early_end(halted.reason(), settings.max_time, "").reason);
    } catch (const std::bad_alloc&) {
      item.at = "it ended early (out_of_memory)";
    }
    if (item.largest_difference > kWorthAWarning * amplification * settings.tolerance) {
      result.diagnostics.warning(
          kSensitivityCheck,
          fmt::format("the sensitivity of {} to '{}' and the differences of runs are {:.2g} apart", item.at,
                      item.parameter, item.largest_difference),
          std::nullopt, "a smaller --tolerance tells an inaccurate run from a kink beside the value");
    }
    result.sensitivities->check.push_back(std::move(item));
  }
}

}  // namespace saltus::api
