#include "run_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace saltus::tool {
namespace {

constexpr std::size_t kShownVariables = 8;
constexpr std::size_t kShownEvents = 12;
constexpr std::size_t kLastEvents = 3;  // of these from the end
constexpr std::size_t kMaxGuardWidth = 40;

std::string final_values(const SimulationResult& result) {
  std::size_t width = 0;
  const std::size_t shown = std::min(result.final_values.size(), kShownVariables);
  for (std::size_t i = 0; i < shown; ++i) {
    width = std::max(width, result.variables[i].name.size());
  }
  std::string out;
  for (std::size_t i = 0; i < shown; ++i) {
    const VariableInfo& variable = result.variables[i];
    const double value = result.final_values[i];
    out += std::isnan(value) ? fmt::format("  {:<{}}   has no value here\n", variable.name, width)
                             : fmt::format("  {:<{}} = {:.10g}{}{}\n", variable.name, width, value,
                                           variable.unit.empty() ? "" : " ", variable.unit);
  }
  if (result.final_values.size() > shown) {
    out += fmt::format("  … and {} more\n", result.final_values.size() - shown);
  }
  return out;
}

// "> 0 → < 0"; nothing for an event that stays in its mode.
std::string change(const Event& event) {
  return event.from == event.to ? "" : fmt::format("{} → {}", event.from, event.to);
}

// The first and the last events, so that the end of a long run shows too.
std::string event_table(const SimulationResult& result) {
  const std::size_t n = result.events.size();
  if (n == 0) {
    return "";
  }
  std::vector<std::size_t> shown;
  for (std::size_t i = 0; i < n; ++i) {
    if (n <= kShownEvents || i < kShownEvents - kLastEvents || i >= n - kLastEvents) {
      shown.push_back(i);
    }
  }
  std::size_t width = 5;
  for (const std::size_t i : shown) {
    width = std::max(width, std::min<std::size_t>(result.events[i].guard.size(), kMaxGuardWidth));
  }
  std::string out = fmt::format("events     {}\n  {:>6}  {:<18} {:<11}  {:<{}}  {}\n", n, "", "time", "kind",
                                "guard", width, "change");
  for (std::size_t k = 0; k < shown.size(); ++k) {
    if (k > 0 && shown[k] != shown[k - 1] + 1) {
      out += fmt::format("  {:>6}  … {} more in events.csv\n", "", n - kShownEvents);
    }
    const Event event = result.events[shown[k]];
    std::string line = fmt::format("  {:>6}  {:<18.12g} {:<11}  {:<{}}  {}", shown[k] + 1, event.time,
                                   to_string(event.kind), event.guard, width, change(event));
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  }
  return out;
}

// One line, or one for each mode where they differ.
std::string method_lines(const Statistics& statistics) {
  const std::vector<MethodOfMode>& modes = statistics.methods;
  const bool is_one = std::all_of(modes.begin(), modes.end(), [&](const MethodOfMode& mode) {
    return mode.method == modes.front().method && mode.reason == modes.front().reason;
  });
  if (is_one) {
    return fmt::format("method     {}, {}\n", statistics.method, statistics.method_reason);
  }
  std::string lines;
  for (const MethodOfMode& mode : modes) {
    lines += fmt::format("{:<10} {} in mode {}, {} steps: {}\n", lines.empty() ? "method" : "", mode.method,
                         mode.mode, mode.accepted_steps, mode.reason);
  }
  return lines;
}

// The largest estimated error of each variable that is shown with its final value.
std::string error_lines(const SimulationResult& result) {
  if (!result.error_estimate) {
    return "";
  }
  const ErrorEstimate& estimate = *result.error_estimate;
  const std::size_t shown = std::min(estimate.largest.size(), kShownVariables);
  std::size_t width = 0;
  for (std::size_t i = 0; i < shown; ++i) {
    width = std::max(width, result.columns[i].name.size());
  }
  std::string out = fmt::format("largest estimated errors (second run: {} x {:g}{}):\n",
                                estimate.by_step ? "step" : "tolerance", estimate.factor,
                                estimate.reason.empty() ? "" : ", ended early");
  for (std::size_t i = 0; i < shown; ++i) {
    out += fmt::format("  {:<{}}   {:.2g} at time {:.6g}\n", result.columns[i].name, width,
                       estimate.largest[i].error, estimate.largest[i].time);
  }
  if (estimate.largest.size() > shown) {
    out += fmt::format("  … and {} more\n", estimate.largest.size() - shown);
  }
  if (estimate.events_compared > 0) {
    out += fmt::format("  times of {} events: {:.2g}\n", estimate.events_compared, estimate.event_time);
  }
  return out;
}

// The parameters that matter most, and what a check has found.
std::string sensitivity_lines(const SimulationResult& result) {
  if (!result.sensitivities || result.sensitivities->most_influential.empty()) {
    return "";
  }
  const Sensitivities& all = *result.sensitivities;
  const std::size_t shown = std::min(all.most_influential.size(), kShownVariables);
  std::size_t width = 0;
  for (const std::string& name : all.parameters) {
    width = std::max(width, name.size());
  }
  std::string out = "most influential (largest relative change of a variable by a relative change of it):\n";
  for (std::size_t i = 0; i < shown; ++i) {
    out += fmt::format("  {:<{}}   {:.3g}\n", all.most_influential[i].parameter, width,
                       all.most_influential[i].measure);
  }
  if (all.most_influential.size() > shown) {
    out += fmt::format("  … and {} more\n", all.most_influential.size() - shown);
  }
  if (!all.zero_sensitivities.empty()) {
    out += fmt::format("without influence: {}\n", fmt::join(all.zero_sensitivities, ", "));
  }
  if (!all.check.empty()) {
    out += "sensitivities beside differences (largest relative difference):\n";
  }
  for (const Sensitivities::Check& item : all.check) {
    out += std::isnan(item.largest_difference)
               ? fmt::format("  {:<{}}   not compared: {}\n", item.parameter, width, item.at)
               : fmt::format("  {:<{}}   {:.2g} at {}\n", item.parameter, width, item.largest_difference,
                             item.at);
  }
  return out;
}

std::string file_list(const SimulationResult& result, const ResultFilesOptions& files) {
  std::string list;
  const auto add = [&](bool wanted, const char* name) {
    if (wanted) {
      list += (list.empty() ? "" : ", ") + std::string(name);
    }
  };
  add(files.html, "report.html");
  add(files.csv, "trajectory.csv");
  add(files.csv, "events.csv");
  add(files.mat, "trajectory.mat");
  add(files.npz, "trajectory.npz");
  add(files.csv && result.error_estimate.has_value(), "error_estimate.csv");
  add(files.csv && result.sensitivities.has_value(), "sensitivities.csv");
  add(files.html && result.sensitivities.has_value(), "sensitivities.html");
  add(files.json, "summary.json");
  return list;
}

}  // namespace

std::string run_summary(const Model& model, const SimulationResult& result, const ResultFilesOptions& files,
                        bool is_written) {
  const Statistics& statistics = result.statistics;
  const std::string reason =
      result.reason == Reason::none ? "" : fmt::format(" ({})", to_string(result.reason));
  std::string out = fmt::format("{}: {}{}, time {} to {}\n", model.name(), to_string(result.status), reason,
                                result.start, result.end);
  out += method_lines(statistics);
  out += fmt::format("steps      {} accepted, {} rejected; {} right-hand sides; {:.3g} s\n",
                     statistics.accepted_steps, statistics.rejected_steps, statistics.residual_evaluations,
                     statistics.wall_seconds);
  if (statistics.accepted_sliding_steps > 0) {
    out += fmt::format("sliding    {} of the accepted steps\n", statistics.accepted_sliding_steps);
  }
  if (statistics.rejected_by_bounds > 0 || statistics.negative_within_tolerance > 0) {
    out += fmt::format("bounds     {} steps rejected, {} kept with a value negative within its tolerance\n",
                       statistics.rejected_by_bounds, statistics.negative_within_tolerance);
  }
  out += event_table(result);
  if (!result.final_values.empty()) {
    out += fmt::format("at time {}:\n", result.end) + final_values(result);
  }
  out += error_lines(result);
  out += sensitivity_lines(result);
  const std::string list = file_list(result, files);
  if (is_written && !list.empty()) {
    out += fmt::format("results in {}: {}\n", files.folder, list);
  }
  return out;
}

std::string explanation(const SimulationResult& result, const SimulationOptions& options) {
  if (!result.explanation.empty()) {
    return result.explanation + (result.explanation.back() == '\n' ? "" : "\n");
  }
  if (!options.explain_event) {
    return "";
  }
  const std::size_t n = result.events.size();
  return fmt::format(
      "event {}: {}\n", *options.explain_event,
      n == 0 ? "the run had no events" : fmt::format("the run had {} event{} only", n, n == 1 ? "" : "s"));
}

}  // namespace saltus::tool
