#include "program/guards/condition_inputs.hpp"

#include <cmath>
#include <map>
#include <utility>

#include "system/guards.hpp"

namespace saltus::program {

using Kind = flat::Condition::Kind;

double value_in_equations(Kind kind, double latched, bool is_weight) {
  if (kind == Kind::norm) {
    return latched == system::direction_state::kHeld ? 1.0 : 0.0;
  }
  if (!is_relation(kind)) {
    return latched;
  }
  const bool stays_zero = latched == 0.0 && !is_weight;
  if (stays_zero) {
    return kind == Kind::greater_equal || kind == Kind::less_equal ? 1.0 : 0.0;
  }
  const bool is_upper = kind == Kind::greater || kind == Kind::greater_equal;
  return 0.5 * (is_upper ? 1.0 + latched : 1.0 - latched);
}

double value_as_written(Kind kind, double latched) {
  const bool is_side = std::abs(latched) >= 1.0;
  return value_in_equations(kind, is_relation(kind) && !is_side ? 0.0 : latched, false);
}

double ConditionInputs::latched_of(const Guard& guard, double value) {
  switch (guard.kind) {
    case Kind::segment: return segment_at(*guard.knots, value);
    case Kind::external: return value;
    case Kind::floor: return std::floor(value);
    case Kind::ceil: return std::ceil(value);
    case Kind::truncate: return std::trunc(value);
    case Kind::norm: return value > 0.0 ? system::direction_state::kMoving : system::direction_state::kHeld;
    case Kind::component:
    case Kind::gap:
    case Kind::restitution: return 0.0;
    default: return value > 0.0 ? 1.0 : value < 0.0 ? -1.0 : 0.0;
  }
}

ConditionInputs::ConditionInputs(const flat::Model& model, ParameterValues& parameters) {
  for (const flat::Guard& guard : model.guards) {
    guards_.push_back({.expression = guard.expression,
                       .kind = Kind::greater,
                       .is_constant = parameters.of(guard.expression).has_value()});
  }
  std::map<std::pair<std::size_t, const Numbers*>, std::size_t> tables;
  for (std::size_t i = 0; i < model.conditions.size(); ++i) {
    const flat::Condition& condition = model.conditions[i];
    const bool is_constant = parameters.of(condition).has_value();
    Index guard = -1;
    if (is_relation(condition.kind)) {
      guard = static_cast<Index>(condition.guard.index());
    } else if (condition.kind == Kind::segment && !is_constant) {
      const auto [place, is_new] =
          tables.try_emplace({condition.argument.index(), condition.knots.get()}, guards_.size());
      if (is_new) {
        guards_.push_back(
            {.expression = condition.argument, .kind = Kind::segment, .knots = condition.knots});
      }
      guard = static_cast<Index>(place->second);
      numbers_.push_back(condition.numbers);
    } else if (condition.kind >= Kind::external || (holds_number(condition.kind) && !is_constant)) {
      guard = static_cast<Index>(guards_.size());
      guards_.push_back({.expression = condition.argument, .kind = condition.kind});
    } else if (condition.kind == Kind::sample) {
      clocks_.emplace_back(i);
    } else if (condition.kind == Kind::initial) {
      initial_.emplace_back(i);
    } else if (condition.kind == Kind::terminal) {
      terminal_.emplace_back(i);
    }
    guard_of_.push_back(guard);
    is_constant_.push_back(is_constant ? 1 : 0);
  }
  // Counting sort of the conditions by guard.
  starts_.assign(guards_.size() + 1, 0);
  const auto counts = [this](std::size_t i) { return guard_of_[i] >= 0 && is_constant_[i] == 0; };
  for (std::size_t i = 0; i < guard_of_.size(); ++i) {
    starts_[counts(i) ? static_cast<std::size_t>(guard_of_[i]) + 1 : 0] += counts(i) ? 1 : 0;
  }
  for (std::size_t i = 0; i < guards_.size(); ++i) {
    starts_[i + 1] += starts_[i];
  }
  uses_.resize(starts_.back());
  std::vector<std::uint32_t> next(starts_.begin(), starts_.end() - 1);
  for (std::size_t i = 0; i < guard_of_.size(); ++i) {
    if (counts(i)) {
      uses_[next[static_cast<std::size_t>(guard_of_[i])]++] = {.condition = static_cast<std::uint32_t>(i),
                                                               .kind = model.conditions[i].kind,
                                                               .numbers = model.conditions[i].numbers.get()};
    }
  }
}

}  // namespace saltus::program
