#include "settle/check/equation_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/machine.hpp"
#include "base/short_list.hpp"

namespace saltus::settle {
namespace {

// δ in units of the relative tolerance: an instant is made of values that each have an error of some tolerances.
constexpr double kTolerances = 10.0;
// … and at least: blocks are solved to rounding (block_solver.hpp), constraints to 1e-12 (projection_policy.hpp); three digits for what an
// equation makes of these.
constexpr double kLeastPart = 1e-9;

}  // namespace

EquationCheck::EquationCheck(const system::LockedDae& locked) : locked_(locked) {
  written_ = locked.written_equations();
  drifts_ = locked.constraint_use().drifts();
  constraints_ = drifts_ || locked.reduction() == system::Reduction::ranks ? nullptr : locked.constraints();
  Places states;
  for (std::size_t i = 0; i < locked.states().size(); ++i) {
    states.emplace(locked.states()[i].quantity, Place{i});
    for (const system::StateInfo::Alias& alias : locked.states()[i].aliases) {
      states.emplace(alias.quantity, Place{i, alias.sign});
    }
  }
  rates_.resize(locked.states().size());
  if (written_ != nullptr) {
    bool is_incomplete = false;
    for (const system::WrittenEquations::Slot& slot : written_->slots()) {
      sources_.push_back(source_of(slot.quantity, states));
      needs_rates_ = needs_rates_ || sources_.back().kind == Source::Kind::rate;
      is_incomplete = is_incomplete || sources_.back().kind == Source::Kind::unknown;
    }
    if (is_incomplete) {
      ask_residual_form();
    }
    runner_ = written_->make_runner();
    boxes_.resize(sources_.size());
    ranges_.resize(written_->n_rows());
  }
  if (constraints_ != nullptr) {
    constraint_runner_ = constraints_->make_runner();
    residual_.resize(static_cast<std::size_t>(constraints_->n_rows()));
    allowed_.resize(residual_.size());
    entries_.resize(constraints_->pattern().n_entries());
  }
}

// Derivatives that are no rates of states are unknowns of the residual form, which it costs to make.
void EquationCheck::ask_residual_form() {
  const auto form = locked_.residual_form();
  if (form == nullptr) {
    return;
  }
  Places places;
  y_.resize(static_cast<std::size_t>(form->n_rows()));
  ydot_.resize(locked_.states().size());
  for (std::size_t j = 0; j < y_.size(); ++j) {
    places.emplace(form->slots()[j].quantity(), Place{j});
  }
  for (std::size_t j = 0; j < sources_.size(); ++j) {
    const auto found = places.find(written_->slots()[j].quantity);
    if (sources_[j].kind == Source::Kind::unknown && found != places.end()) {
      sources_[j] = {Source::Kind::residual, found->second.place};
      needs_form_ = true;
    }
  }
}

EquationCheck::Source EquationCheck::source_of(const system::Quantity& quantity, const Places& states) {
  const auto state = states.find(quantity);
  const Index own = state == states.end() ? -1 : static_cast<Index>(state->second.place);
  if (quantity.order == 0) {
    // As it is told, not as the state has it: an alias is an equation too.
    return {Source::Kind::value, static_cast<std::size_t>(quantity.variable), 1.0, own};
  }
  if (own >= 0) {
    return {Source::Kind::state, state->second.place, state->second.sign, own};
  }
  if (const auto below = states.find({quantity.variable, quantity.order - 1}); below != states.end()) {
    return {Source::Kind::rate, below->second.place, below->second.sign};
  }
  return {};
}

// Not a number: not known.
double EquationCheck::value_of(const Source& source, const Point& point) const {
  switch (source.kind) {
    case Source::Kind::unknown: break;
    case Source::Kind::value: return point.values[source.place];
    case Source::Kind::state: return source.sign * point.x[source.place];
    case Source::Kind::rate: return source.sign * rates_[source.place];
    case Source::Kind::residual: return y_[source.place];
  }
  return std::nan("");
}

double EquationCheck::error_of_state(std::size_t state, double value,
                                     const integrate::Tolerances& tolerances) const {
  return std::max(kTolerances * tolerances.rtol, kLeastPart) * std::abs(value) +
         std::max(kTolerances * tolerances.atol[state], kLeastPart * locked_.states()[state].nominal);
}

Violation EquationCheck::describe(std::size_t row, double residual, const Point& point) const {
  ShortList values;
  for (const std::size_t slot : written_->slots_of(row)) {
    values.add(fmt::format("{} = {:.9g}", written_->slot_name(slot), value_of(sources_[slot], point)));
  }
  return {written_->text(row), residual, values.text()};
}

std::optional<Violation> EquationCheck::look_at_written(const Point& point,
                                                        const integrate::Tolerances& tolerances) {
  const double part = std::max(kTolerances * tolerances.rtol, kLeastPart);
  for (std::size_t j = 0; j < boxes_.size(); ++j) {
    const double value = value_of(sources_[j], point);
    const double error = sources_[j].state >= 0
                             ? error_of_state(static_cast<std::size_t>(sources_[j].state), value, tolerances)
                             : part * (std::abs(value) + written_->slots()[j].nominal);
    boxes_[j] =
        std::isfinite(value) ? Interval{value - error, value + error} : Interval{-kInfinity, kInfinity};
  }
  runner_->ranges({point.t - point.time_error, point.t + point.time_error}, boxes_, ranges_);
  std::optional<std::size_t> worst;
  double largest = 0.0;
  for (std::size_t row = 0; row < ranges_.size(); ++row) {
    const double missed = std::max(ranges_[row].lower, -ranges_[row].upper);
    if (!ranges_[row].empty() && missed > largest && !(drifts_ && written_->is_constraint(row))) {
      largest = missed;
      worst = row;
    }
  }
  return worst ? std::optional(describe(*worst, largest, point)) : std::nullopt;
}

std::optional<Violation> EquationCheck::look_at_constraints(const Point& point,
                                                            const integrate::Tolerances& tolerances) {
  if (!constraint_runner_->residual(point.t, point.x, residual_).ok() ||
      !constraint_runner_->jacobian(point.t, point.x, entries_).ok()) {
    return std::nullopt;  // the projection says what cannot be evaluated
  }
  const system::RectangularPattern& pattern = constraints_->pattern();
  std::fill(allowed_.begin(), allowed_.end(), 0.0);
  for (std::size_t j = 0; j < point.x.size(); ++j) {
    const double error = error_of_state(j, point.x[j], tolerances);
    for (Index e = pattern.column_starts[j]; e < pattern.column_starts[j + 1]; ++e) {
      const auto entry = static_cast<std::size_t>(e);
      allowed_[static_cast<std::size_t>(pattern.rows[entry])] += std::abs(entries_[entry]) * error;
    }
  }
  for (std::size_t row = 0; row < residual_.size(); ++row) {
    if (std::abs(residual_[row]) > allowed_[row]) {
      return Violation{constraints_->rows()[row].text, residual_[row], {}};
    }
  }
  return std::nullopt;
}

std::optional<Violation> EquationCheck::look(system::Evaluator& evaluator,
                                             const system::Configuration& configuration, const Point& point,
                                             const integrate::Tolerances& tolerances) {
  if ((needs_rates_ && !evaluator.rhs(point.t, point.x, rates_).ok()) ||
      (needs_form_ && !evaluator.residual_point(point.t, point.x, y_, ydot_).ok())) {
    return std::nullopt;  // the step that follows says what cannot be evaluated
  }
  const auto take_configuration = [&](auto& runner) {
    runner.set_configuration(configuration);
    for (std::size_t k = 0; k < point.surfaces.size(); ++k) {
      runner.set_latched(point.surfaces[k], point.weights[k]);
    }
  };
  std::optional<Violation> violation;
  if (written_ != nullptr) {
    take_configuration(*runner_);
    violation = look_at_written(point, tolerances);
  }
  if (!violation && constraints_ != nullptr) {
    take_configuration(*constraint_runner_);
    violation = look_at_constraints(point, tolerances);
  }
  return violation;
}

}  // namespace saltus::settle
