#include "api/results/extra_values.hpp"

#include <algorithm>
#include <limits>

namespace saltus::api {

ExtraValues::Source ExtraValues::source_of(const system::Quantity& wanted, const system::LockedDae& locked) {
  const system::Quantity below{wanted.variable, wanted.order - 1};
  Source source;
  const auto look = [&](const system::Quantity& quantity, std::size_t state, double sign) {
    if (quantity == wanted) {
      source = {Source::Kind::state, state, sign};
    } else if (quantity == below && source.kind == Source::Kind::none) {
      source = {Source::Kind::rate, state, sign};
    }
  };
  for (std::size_t i = 0; i < locked.states().size(); ++i) {
    const system::StateInfo& state = locked.states()[i];
    look(state.quantity, i, 1.0);
    for (const system::StateInfo::Alias& alias : state.aliases) {
      look(alias.quantity, i, alias.sign);
    }
  }
  if (source.kind == Source::Kind::none && wanted.order == 1) {
    source = {Source::Kind::variable, static_cast<std::size_t>(wanted.variable), 1.0};
  }
  return source;
}

void ExtraValues::bind(const system::LockedDae& locked) {
  needs_flow_ = false;
  needs_rates_ = false;
  for (std::size_t k = 0; k < derivatives_.size(); ++k) {
    sources_[k] = source_of(derivatives_[k], locked);
    needs_flow_ = needs_flow_ || sources_[k].kind == Source::Kind::variable;
    needs_rates_ = needs_rates_ || needs_flow_ || sources_[k].kind == Source::Kind::rate;
  }
  flow_.bind(locked, n_variables_);
  flow_rates_.resize(needs_flow_ ? n_variables_ : 0);
  rates_.resize(locked.states().size());
  known_guards_.clear();
  places_.clear();
  for (std::size_t k = 0; k < guards_.size(); ++k) {
    if (locked.watches(guards_[k])) {
      known_guards_.push_back(guards_[k]);
      places_.push_back(k);
    }
  }
  guard_values_.resize(known_guards_.size());
}

void ExtraValues::evaluate(system::Evaluator& evaluator, double t, std::span<const double> x,
                           std::span<double> values) {
  std::fill(values.begin(), values.end(), std::numeric_limits<double>::quiet_NaN());
  const bool has_rates = needs_rates_ && evaluator.rhs(t, x, rates_).ok();
  if (needs_flow_ && has_rates) {
    flow_.evaluate(evaluator, t, x, rates_, flow_rates_);
  }
  for (std::size_t k = 0; k < sources_.size(); ++k) {
    const Source& source = sources_[k];
    if (source.kind == Source::Kind::state) {
      values[k] = source.sign * x[source.place];
    } else if (source.kind == Source::Kind::rate && has_rates) {
      values[k] = source.sign * rates_[source.place];
    } else if (source.kind == Source::Kind::variable && has_rates) {
      values[k] = flow_rates_[source.place];
    }
  }
  // One that has no value must not hide the others.
  const bool have_all = evaluator.guards(known_guards_, t, x, guard_values_).ok();
  for (std::size_t k = 0; k < known_guards_.size(); ++k) {
    const std::span<double> value = std::span(guard_values_).subspan(k, 1);
    if (have_all || evaluator.guards(std::span(known_guards_).subspan(k, 1), t, x, value).ok()) {
      values[sources_.size() + places_[k]] = value[0];
    }
  }
}

}  // namespace saltus::api
