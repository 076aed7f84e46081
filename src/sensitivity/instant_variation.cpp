#include "sensitivity/instant_variation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace saltus::sensitivity {
namespace {

using settle::Factor;
using system::Evaluation;

// A change of states by less than this many tolerances, or this part of them, moves nothing: projections and entries leave so much.
constexpr double kTolerancesOfRest = 10.0;

Index state_of(const system::LockedDae& locked, const system::Quantity& quantity, double& sign) {
  const auto& states = locked.states();
  for (std::size_t i = 0; i < states.size(); ++i) {
    if (states[i].quantity == quantity) {
      sign = 1.0;
      return static_cast<Index>(i);
    }
  }
  for (std::size_t i = 0; i < states.size(); ++i) {
    for (const system::StateInfo::Alias& alias : states[i].aliases) {
      if (alias.quantity == quantity) {
        sign = alias.sign;
        return static_cast<Index>(i);
      }
    }
  }
  return -1;
}

void replace_nan(std::vector<double>& values) {
  std::replace_if(
      values.begin(), values.end(), [](double value) { return std::isnan(value); }, 0.0);
}

}  // namespace

bool InstantVariation::fail(std::string problem) {
  problem_ = std::move(problem);
  return false;
}

bool InstantVariation::pass(StretchField& before, const InstantPoint& point,
                            const settle::InstantMove& move) {
  problem_.clear();
  structure_ = move.structure;
  x_at_ = move.x;
  discrete_.assign(point.discrete.begin(), point.discrete.end());
  values_.clear();
  reinits_.clear();
  s_after_.clear();
  const std::size_t n = source_.n_columns();
  has_cause_ = !move.crossings.empty() || !move.clocks.empty();
  EventTime time = find_event_time(source_, before, point, move);
  sigma_ = std::move(time.sigma);
  if (!time.problem.empty()) {
    return fail(std::move(time.problem));
  }
  x_.resize(point.s.size());
  for (std::size_t i = 0; i < point.x.size(); ++i) {
    for (std::size_t k = 0; k < n; ++k) {
      x_[i * n + k] = point.s[i * n + k] + (sigma_[k] == 0.0 ? 0.0 : point.rates[i] * sigma_[k]);
    }
  }
  if (!time.parting.empty()) {
    return follow_orders(before, point, move, time);
  }
  return std::all_of(move.steps.begin(), move.steps.end(),
                     [&](const settle::MoveStep& step) { return apply(before, point, step); });
}

bool InstantVariation::is_near(std::span<const double> a, std::span<const double> b) const {
  const double rtol = source_.options.tolerances.rtol;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double size = std::max({std::abs(a[i]), std::abs(b[i]), 1.0});
    if (!(std::abs(a[i] - b[i]) <= kTolerancesOfRest * rtol * size)) {
      return false;
    }
  }
  return true;
}

bool InstantVariation::apply(StretchField& before, const InstantPoint& point, const settle::MoveStep& step) {
  if (step.round) {
    return apply_round(before, point, step);
  }
  switch (step.factor.kind) {
    case Factor::Kind::onto_root:
    case Factor::Kind::projection:
    case Factor::Kind::own_side: break;
    case Factor::Kind::structure:
    case Factor::Kind::ranks: return enter(before, point, step.structure, step.x);
    case Factor::Kind::bodies:
    case Factor::Kind::least_change:
      if (!is_near(step.x, x_at_)) {
        return fail("values were moved by a least change");
      }
      break;
    case Factor::Kind::middle_of_band: return fail("the solution was moved to the middle of a band");
    case Factor::Kind::rest: return fail("events accumulate, and the guard is put to rest");
  }
  x_at_ = step.x;
  return true;
}

// Of all variables at the left limit, along the motion of the instant.
bool InstantVariation::need_values(StretchField& before, const InstantPoint& point) {
  if (!values_.empty()) {
    return true;
  }
  values_.resize(source_.system.variables().size() * source_.n_columns());
  if (!before.tangents().outputs(point.t, point.x, {sigma_, x_, discrete_}, values_).ok()) {
    return fail("variables have no derivatives before the instant");
  }
  replace_nan(values_);
  return true;
}

bool InstantVariation::apply_round(StretchField& before, const InstantPoint& point,
                                   const settle::MoveStep& step) {
  if (!need_values(before, point)) {
    return false;
  }
  settle::RoundRecord record = *step.round;
  if (step.structure != structure_ && !enter(before, point, step.structure, record.x_previous)) {
    return false;
  }
  if (record.by_transfer) {
    if (!is_near(step.x, record.x_previous)) {
      return fail("jump equations were solved together with constraints");
    }
    record.keeps_states = true;
    record.x_previous = step.x;
  }
  system::RoundTangentsFound found;
  const system::RoundSeeds seeds{
      sigma_, values_, x_,
      record.reinits.empty() ? std::span<const double>() : std::span<const double>(reinits_)};
  if (!rounds_.solve(step.structure, point.t, record, seeds, found).ok()) {
    return fail("the round has no derivative");
  }
  if (!record.keeps_states) {
    x_ = std::move(found.x);
  }
  values_ = std::move(found.values);
  replace_nan(values_);
  discrete_ = std::move(found.discrete);
  reinits_ = std::move(found.reinits);
  x_at_ = step.x;
  return true;
}

// States of another structure: what each of them was.
bool InstantVariation::enter(StretchField& before, const InstantPoint& point,
                             const system::StructureId& structure, std::span<const double> x_entered) {
  const std::size_t n = source_.n_columns();
  const auto from = source_.system.lock(structure_);
  const auto to = source_.system.lock(structure);
  if (!from || !to || !need_values(before, point)) {
    return problem_.empty() ? fail("the structure that was entered is not known") : false;
  }
  std::vector<double> rates;  // of before, along the motion
  std::vector<double> x((*to)->states().size() * n, 0.0);
  for (std::size_t i = 0; i < (*to)->states().size(); ++i) {
    const system::Quantity quantity = (*to)->states()[i].quantity;
    double sign = 1.0;
    const std::span<double> row = std::span(x).subspan(i * n, n);
    if (const Index state = state_of(**from, quantity, sign); state >= 0) {
      for (std::size_t k = 0; k < n; ++k) {
        row[k] = sign * x_[static_cast<std::size_t>(state) * n + k];
      }
    } else if (quantity.order == 0 && !exists_before(quantity.variable)) {
      start_tangents(structure, i, row);
    } else if (quantity.order == 0) {
      std::copy_n(
          values_.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(quantity.variable) * n), n,
          row.begin());
    } else {
      const Index below = state_of(**from, {quantity.variable, quantity.order - 1}, sign);
      if (below < 0 || structure_ != before.facts().structure) {
        return fail(fmt::format("'{}' has no derivative where its equations begin", (*to)->states()[i].name));
      }
      if (rates.empty()) {
        rates.resize(x_.size());
        if (!before.tangents().rates(point.t, point.x, {sigma_, x_, point.discrete}, rates).ok()) {
          return fail("rates have no derivatives before the instant");
        }
      }
      for (std::size_t k = 0; k < n; ++k) {
        row[k] = sign * rates[static_cast<std::size_t>(below) * n + k];
      }
    }
  }
  x_ = std::move(x);
  structure_ = structure;
  x_at_.assign(x_entered.begin(), x_entered.end());
  return true;
}

bool InstantVariation::exists_before(Index variable) const {
  const std::vector<std::uint8_t>& has = source_.system.modes()[structure_.mode.index()].has_variable;
  return has.empty() || has[static_cast<std::size_t>(variable)] != 0;
}

// A variable of the mode alone begins with its start value.
void InstantVariation::start_tangents(const system::StructureId& structure, std::size_t state,
                                      std::span<double> row) const {
  for (std::size_t k = 0; k < row.size(); ++k) {
    for (const Twin& twin : source_.setup.columns[k].twins) {
      const std::vector<double> starts = twin.system->entry_states(structure);
      row[k] += state < starts.size() && !std::isnan(starts[state]) ? twin.weight * starts[state] : 0.0;
    }
  }
}

// Two guards cross, the second in the field that the first makes: in both orders, to S⁺.
bool InstantVariation::follow_orders(StretchField& before, const InstantPoint& point,
                                     const settle::InstantMove& move, const EventTime& time) {
  (void)before;
  (void)point;
  (void)move;
  std::string names;
  for (const Index guard : time.parting) {
    if (guard >= 0 && static_cast<std::size_t>(guard) < source_.system.guards().size()) {
      names +=
          (names.empty() ? "'" : ", '") + source_.system.guards()[static_cast<std::size_t>(guard)].text + "'";
    }
  }
  return fail(fmt::format("events happen together whose order depends on the parameter: {}", names));
}

}  // namespace saltus::sensitivity
