#include "hybrid/mode_entry.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_map>

namespace saltus::hybrid {
namespace {

constexpr std::string_view kDerivative = "der(";

// x of "der(x)", empty for other names.
std::string_view differentiated(std::string_view name) {
  const bool is_derivative = name.starts_with(kDerivative) && name.ends_with(')');
  return is_derivative ? name.substr(kDerivative.size(), name.size() - kDerivative.size() - 1)
                       : std::string_view();
}

using Places = std::unordered_map<std::string_view, Index>;

Index place_in(const Places& places, std::string_view name) {
  const auto place = places.find(name);
  return place == places.end() ? -1 : place->second;
}

}  // namespace

const ModeEntry::Map& ModeEntry::map_to(const Engine& target) {
  const Engine& from = *state_.mode->engine;
  const auto known = std::find_if(maps_.begin(), maps_.end(),
                                  [&](const Map& map) { return map.from == &from && map.to == &target; });
  if (known != maps_.end()) {
    return *known;
  }
  Places states;
  for (std::size_t i = 0; i < from.names().size(); ++i) {
    states.emplace(from.names()[i], static_cast<Index>(i));
  }
  Places variables;
  for (std::size_t i = 0; i < state_.system.variables().size(); ++i) {
    variables.emplace(state_.system.variables()[i].name, static_cast<Index>(i));
  }
  Map map{&from, &target, {}};
  for (const std::string& name : target.names()) {
    Source source;
    source.state = place_in(states, name);
    source.variable = place_in(variables, name);
    const std::string_view base = differentiated(name);
    source.is_derivative = !base.empty() && source.variable < 0;
    source.rate = source.is_derivative ? place_in(states, base) : -1;
    map.sources.push_back(source);
  }
  return maps_.emplace_back(std::move(map));
}

void ModeEntry::states_for(const ModeData& target, std::vector<double>& x) {
  if (target.engine == state_.mode->engine) {
    x.assign(state_.x.begin(), state_.x.end());
    return;
  }
  const Map& map = map_to(*target.engine);
  x = state_.system.entry_states(target.structure);
  rates_.resize(state_.x.size());
  const bool needs_rates = std::any_of(map.sources.begin(), map.sources.end(), [](const Source& source) {
    return source.state < 0 && source.rate >= 0;
  });
  const bool has_rates = needs_rates && state_.evaluator->rhs(state_.time(), state_.x, rates_).ok();
  for (std::size_t i = 0; i < map.sources.size(); ++i) {
    const Source& source = map.sources[i];
    if (source.state >= 0) {
      x[i] = state_.x[static_cast<std::size_t>(source.state)];
    } else if (source.variable >= 0 &&
               !std::isnan(state_.values[static_cast<std::size_t>(source.variable)])) {
      x[i] = state_.values[static_cast<std::size_t>(source.variable)];
    } else if (source.is_derivative) {
      x[i] = has_rates && source.rate >= 0 ? rates_[static_cast<std::size_t>(source.rate)] : 0.0;
    }
  }
}

}  // namespace saltus::hybrid
