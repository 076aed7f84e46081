#include "run_summary.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace saltus::tool {
namespace {

constexpr std::size_t kShownVariables = 8;

std::string final_values(const SimulationResult& result) {
  std::size_t width = 0;
  const std::size_t shown = std::min(result.final_values.size(), kShownVariables);
  for (std::size_t i = 0; i < shown; ++i) {
    width = std::max(width, result.variables[i].name.size());
  }
  std::string out;
  for (std::size_t i = 0; i < shown; ++i) {
    const VariableInfo& variable = result.variables[i];
    out += fmt::format("  {:<{}} = {:.10g}{}{}\n", variable.name, width, result.final_values[i],
                       variable.unit.empty() ? "" : " ", variable.unit);
  }
  if (result.final_values.size() > shown) {
    out += fmt::format("  … and {} more\n", result.final_values.size() - shown);
  }
  return out;
}

std::string file_list(const ResultFilesOptions& files) {
  std::string list;
  const auto add = [&](bool wanted, const char* name) {
    if (wanted) {
      list += (list.empty() ? "" : ", ") + std::string(name);
    }
  };
  add(files.html, "report.html");
  add(files.csv, "trajectory.csv");
  add(files.csv, "events.csv");
  add(files.json, "summary.json");
  return list;
}

}  // namespace

std::string run_summary(const Model& model, const SimulationResult& result, const ResultFilesOptions& files) {
  const Statistics& statistics = result.statistics;
  const std::string reason = result.reason.empty() ? "" : fmt::format(" ({})", result.reason);
  std::string out = fmt::format("{}: {}{}, time {} to {}\n", model.name(), to_string(result.status), reason,
                                result.start, result.end);
  out += fmt::format("method     {}, {}\n", statistics.method, statistics.method_reason);
  out += fmt::format("steps      {} accepted, {} rejected; {} right-hand sides; {:.3g} s\n",
                     statistics.accepted_steps, statistics.rejected_steps, statistics.residual_evaluations,
                     statistics.wall_seconds);
  if (!result.final_values.empty()) {
    out += fmt::format("at time {}:\n", result.end) + final_values(result);
  }
  const std::string list = file_list(files);
  if (!list.empty()) {
    out += fmt::format("results in {}: {}\n", files.folder, list);
  }
  return out;
}

}  // namespace saltus::tool
