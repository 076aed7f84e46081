#include "settle/enter/mode_entry.hpp"

#include <algorithm>
#include <cmath>

#include "settle/enter/orders_as_written.hpp"

namespace saltus::settle {
namespace {

Index place_in(const ModeEntry::StatePlaces& places, const system::Quantity& quantity) {
  const auto place = places.find(quantity);
  return place == places.end() ? -1 : place->second;
}

}  // namespace

// What was one of the states, or an integrated variable, in the mode left.
void ModeEntry::add_aliases(const ModeData& mode, const StatePlaces& states, Map& map) {
  const std::vector<system::StateInfo>& infos = mode.locked->states();
  const auto has_none = [](const system::StateInfo& info) { return info.aliases.empty(); };
  if (std::all_of(infos.begin(), infos.end(), has_none)) {
    return;
  }
  const OrdersAsWritten orders(*mode.locked);
  for (std::size_t i = 0; i < infos.size(); ++i) {
    const auto add = [&](const system::Quantity& quantity, double sign) {
      if (const Index source = place_in(states, quantity); source >= 0) {
        map.aliases.push_back({i, source, -1, sign, map.from->nominal()[static_cast<std::size_t>(source)]});
      } else if (quantity.order == 0 && orders.is_integrated(quantity)) {
        map.aliases.push_back({i, -1, quantity.variable, sign, infos[i].nominal});
      }
    };
    const std::size_t first = map.aliases.size();
    if (!infos[i].aliases.empty()) {
      add(infos[i].quantity, 1.0);
    }
    const std::size_t n_own = map.aliases.size() - first;
    for (const system::StateInfo::Alias& alias : infos[i].aliases) {
      add(alias.quantity, alias.sign);
    }
    if (map.aliases.size() == first + n_own) {
      map.aliases.resize(first);  // no other has a value: it keeps its own, bit for bit
    }
  }
}

const ModeEntry::Map& ModeEntry::map_to(const ModeData& mode) {
  const Engine& from = *state_.at.mode().engine;
  const Engine& target = *mode.engine;
  // Structures with the same states share an engine; which variables are one state is their own.
  const auto known = std::find_if(maps_.begin(), maps_.end(), [&](const Map& map) {
    return map.from == &from && map.to == &target && map.structure == mode.structure;
  });
  if (known != maps_.end()) {
    return *known;
  }
  StatePlaces states;
  for (std::size_t i = 0; i < from.quantities().size(); ++i) {
    states.emplace(from.quantities()[i], static_cast<Index>(i));
  }
  Map map{&from, &target, mode.structure, {}, {}};
  for (const system::Quantity& quantity : target.quantities()) {
    Source source;
    source.state = place_in(states, quantity);
    source.is_derivative = quantity.order > 0;
    source.variable = source.is_derivative ? -1 : quantity.variable;
    source.rate = source.is_derivative ? place_in(states, {quantity.variable, quantity.order - 1}) : -1;
    map.sources.push_back(source);
  }
  add_aliases(mode, states, map);
  return maps_.emplace_back(std::move(map));
}

void ModeEntry::take_rates(const Map& map, std::span<const double> from) {
  rates_.assign(map.sources.size(), std::nan(""));
  const auto is_missing = [](const Source& source) { return source.state < 0 && source.is_derivative; };
  if (std::none_of(map.sources.begin(), map.sources.end(), is_missing)) {
    return;
  }
  derivative_.resize(from.size());
  const bool is_known = state_.at.field().rhs(state_.at.time(), from, derivative_).ok();
  for (std::size_t i = 0; i < map.sources.size(); ++i) {
    const Source& source = map.sources[i];
    if (is_missing(source)) {
      rates_[i] = is_known && source.rate >= 0 ? derivative_[static_cast<std::size_t>(source.rate)] : 0.0;
    }
  }
}

// The mean of the values before, each weighted with its nominal value: the least change of all of them.
void ModeEntry::settle_aliases(const Map& map, std::span<const double> from, std::vector<double>& x) const {
  for (auto first = map.aliases.begin(); first != map.aliases.end();) {
    const std::size_t state = first->state;
    double sum = 0.0;
    double weights = 0.0;
    for (; first != map.aliases.end() && first->state == state; ++first) {
      const double value = first->source >= 0 ? from[static_cast<std::size_t>(first->source)]
                                              : state_.values[static_cast<std::size_t>(first->variable)];
      if (first->source >= 0 || !std::isnan(value)) {
        const double weight = 1.0 / (first->nominal * first->nominal);
        sum += weight * first->sign * value;
        weights += weight;
      }
    }
    x[state] = weights > 0.0 ? sum / weights : x[state];
  }
}

void ModeEntry::states_for(const ModeData& target, std::vector<double>& x) {
  states_for(target, state_.at.x(), x);
}

void ModeEntry::states_for(const ModeData& target, std::span<const double> from, std::vector<double>& x) {
  const ModeData& left = state_.at.mode();
  if (target.engine == left.engine && target.structure == left.structure) {
    x.assign(from.begin(), from.end());
    rates_.assign(x.size(), std::nan(""));
    return;
  }
  const Map& map = map_to(target);
  x = state_.system().entry_states(target.structure);
  take_rates(map, from);
  for (std::size_t i = 0; i < map.sources.size(); ++i) {
    const Source& source = map.sources[i];
    if (source.state >= 0) {
      x[i] = from[static_cast<std::size_t>(source.state)];
    } else if (source.variable >= 0 &&
               !std::isnan(state_.values[static_cast<std::size_t>(source.variable)])) {
      x[i] = state_.values[static_cast<std::size_t>(source.variable)];
    }
  }
  settle_aliases(map, from, x);
}

}  // namespace saltus::settle
