// What came out of a sweep, by name.

#include <algorithm>

#include "saltus/contract.hpp"
#include "saltus/sweep.hpp"

namespace saltus {

std::string_view to_string(SweepStatus status) {
  switch (status) {
    case SweepStatus::not_run: return "not_run";
    case SweepStatus::success: return "success";
    case SweepStatus::terminated: return "terminated";
    case SweepStatus::stopped: return "stopped";
    case SweepStatus::failed: return "failed";
    case SweepStatus::refused: return "refused";
  }
  return "failed";
}

std::size_t SweepResult::count(SweepStatus status) const {
  return static_cast<std::size_t>(
      std::count_if(runs.begin(), runs.end(), [&](const SweepRun& run) { return run.status == status; }));
}

bool SweepResult::ok() const {
  return std::all_of(runs.begin(), runs.end(), [](const SweepRun& run) { return run.ok(); });
}

std::vector<double> SweepResult::column(std::string_view name) const {
  const auto take = [&](const std::vector<std::string>& list, const std::vector<double>& from) {
    std::vector<double> found;
    const auto at = static_cast<std::size_t>(std::find(list.begin(), list.end(), name) - list.begin());
    for (std::size_t k = 0; k < runs.size() && at < list.size(); ++k) {
      found.push_back(from[k * list.size() + at]);
    }
    return found;
  };
  const bool is_column = std::find(columns.begin(), columns.end(), name) != columns.end();
  SALTUS_EXPECT(is_column || std::find(names.begin(), names.end(), name) != names.end(),
                "no column '" + std::string(name) + "' is in the table");
  return is_column ? take(columns, values) : take(names, given);
}

}  // namespace saltus
