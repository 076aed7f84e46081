#include "structure/match/block_order.hpp"

#include <algorithm>

namespace saltus::structure {
namespace {

// Levels: aliases of known quantities 0; components 1, 3, 5, …; aliases of an unknown one more than its component.
std::vector<std::uint32_t> component_levels(const MatchedSystem& system, const Components& components) {
  std::vector<std::uint32_t> levels(components.size(), 1);
  for (std::uint32_t k = 0; k < components.size(); ++k) {
    for (const std::uint32_t row : components[k]) {
      for (const std::uint32_t column : system.incidence.row(row)) {
        const std::uint32_t owner = system.matching.row_of_column[column];
        const std::uint32_t needed = owner == kNone ? kNone : components.component_of_row[owner];
        if (needed != kNone && needed != k) {
          levels[k] = std::max(levels[k], levels[needed] + 2);
        }
      }
    }
  }
  return levels;
}

std::uint32_t alias_level(const MatchedSystem& system, const Components& components,
                          const std::vector<std::uint32_t>& levels, const Alias& alias) {
  const std::uint32_t target = system.slots.representative(alias.slot).slot;
  if (target >= system.incidence.n_columns) {
    return 0;
  }
  const std::uint32_t owner = system.matching.row_of_column[target];
  return owner == kNone ? 0 : levels[components.component_of_row[owner]] + 1;
}

}  // namespace

std::vector<OrderedStep> order_steps(const MatchedSystem& system, const Components& components) {
  const std::vector<std::uint32_t> levels = component_levels(system, components);
  struct Step {
    OrderedStep what;
    std::uint32_t level = 0;
  };
  // By the place of the first equation: components claim their first row, aliases their own.
  std::vector<OrderedStep> at_row(system.equations.size());
  for (std::uint32_t k = 0; k < components.size(); ++k) {
    at_row[components[k].front()].component = k;
  }
  for (std::uint32_t a = 0; a < system.aliases.size(); ++a) {
    at_row[system.aliases[a].row].alias = a;
  }
  std::vector<Step> steps;
  steps.reserve(components.size() + system.aliases.size());
  std::uint32_t n_levels = 1;
  for (const OrderedStep& step : at_row) {
    if (step.component == kNone && step.alias == kNone) {
      continue;
    }
    const std::uint32_t level = step.component != kNone
                                    ? levels[step.component]
                                    : alias_level(system, components, levels, system.aliases[step.alias]);
    steps.push_back({.what = step, .level = level});
    n_levels = std::max(n_levels, level + 1);
  }
  // Counting sort by level keeps the source order within each.
  std::vector<std::uint32_t> next(n_levels + 1, 0);
  for (const Step& step : steps) {
    ++next[step.level + 1];
  }
  for (std::uint32_t level = 0; level < n_levels; ++level) {
    next[level + 1] += next[level];
  }
  std::vector<OrderedStep> ordered(steps.size());
  for (const Step& step : steps) {
    ordered[next[step.level]++] = step.what;
  }
  return ordered;
}

}  // namespace saltus::structure
