#include "structure/match/block_order.hpp"

#include <algorithm>

namespace saltus::structure {
namespace {

// Lengths of chains: aliases of known quantities 0; components 1, 3, 5, …; aliases of an unknown one more than its component.
std::vector<std::uint32_t> chain_lengths(const MatchedSystem& system, const Components& components) {
  std::vector<std::uint32_t> lengths(components.size(), 1);
  for (std::uint32_t k = 0; k < components.size(); ++k) {
    for (const std::uint32_t row : components[k]) {
      for (const std::uint32_t column : system.incidence.row(row)) {
        const std::uint32_t owner = system.matching.row_of_column[column];
        const std::uint32_t needed = owner == kNone ? kNone : components.component_of_row[owner];
        if (needed != kNone && needed != k) {
          lengths[k] = std::max(lengths[k], lengths[needed] + 2);
        }
      }
    }
  }
  return lengths;
}

std::uint32_t alias_length(const MatchedSystem& system, const Components& components,
                           const std::vector<std::uint32_t>& lengths, const Alias& alias) {
  const std::uint32_t target = system.slots.representative(alias.slot).slot;
  if (target >= system.incidence.n_columns) {
    return 0;
  }
  const std::uint32_t owner = system.matching.row_of_column[target];
  return owner == kNone ? 0 : lengths[components.component_of_row[owner]] + 1;
}

}  // namespace

std::vector<OrderedStep> order_steps(const MatchedSystem& system, const Components& components) {
  const std::vector<std::uint32_t> lengths = chain_lengths(system, components);
  struct Step {
    OrderedStep what;
    std::uint32_t length = 0;
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
  std::uint32_t n_lengths = 1;
  for (const OrderedStep& step : at_row) {
    if (step.component == kNone && step.alias == kNone) {
      continue;
    }
    const std::uint32_t length = step.component != kNone
                                     ? lengths[step.component]
                                     : alias_length(system, components, lengths, system.aliases[step.alias]);
    steps.push_back({.what = step, .length = length});
    n_lengths = std::max(n_lengths, length + 1);
  }
  // Counting sort by length keeps the source order within each.
  std::vector<std::uint32_t> next(n_lengths + 1, 0);
  for (const Step& step : steps) {
    ++next[step.length + 1];
  }
  for (std::uint32_t length = 0; length < n_lengths; ++length) {
    next[length + 1] += next[length];
  }
  std::vector<OrderedStep> ordered(steps.size());
  for (const Step& step : steps) {
    ordered[next[step.length]++] = step.what;
  }
  return ordered;
}

}  // namespace saltus::structure
