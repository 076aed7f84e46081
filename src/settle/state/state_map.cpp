#include "settle/state/state_map.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace saltus::settle {

std::optional<slide::StateMap> map_states(const system::HybridSystem& system,
                                          const system::LockedDae& smaller, const system::LockedDae& larger) {
  const auto& outside = larger.states();
  slide::StateMap map;
  map.n_outside = static_cast<Index>(outside.size());
  map.n_variables = static_cast<Index>(system.variables().size());
  std::vector<std::uint8_t> is_state(outside.size(), 0);
  for (const system::StateInfo& state : smaller.states()) {
    const auto found = std::find_if(outside.begin(), outside.end(), [&](const system::StateInfo& other) {
      return other.quantity == state.quantity;
    });
    if (found == outside.end()) {
      return std::nullopt;
    }
    map.places.push_back(static_cast<Index>(found - outside.begin()));
    map.nominal.push_back(state.nominal);
    is_state[static_cast<std::size_t>(found - outside.begin())] = 1;
  }
  for (std::size_t i = 0; i < outside.size(); ++i) {
    if (is_state[i] != 0) {
      continue;
    }
    if (outside[i].quantity.order != 0) {
      return std::nullopt;
    }
    map.given.push_back(
        {static_cast<Index>(i), outside[i].quantity.variable, outside[i].nominal, outside[i].name});
  }
  return map;
}

bool has_same_states(const system::LockedDae& a, const system::LockedDae& b) {
  return std::equal(a.states().begin(), a.states().end(), b.states().begin(), b.states().end(),
                    [](const system::StateInfo& one, const system::StateInfo& other) {
                      return one.quantity == other.quantity;
                    });
}

std::shared_ptr<const system::EquationSet> sliding_constraints(const system::LockedDae& locked) {
  return locked.reduction() == system::Reduction::ranks ? nullptr : locked.constraints();
}

PairField make_pair_field(const system::HybridSystem& system, const PairSide& plus, const PairSide& minus) {
  PairField pair;
  const bool is_same = has_same_states(*plus.locked, *minus.locked);
  const bool plus_is_smaller = plus.locked->states().size() < minus.locked->states().size();
  const PairSide& smaller = plus_is_smaller ? plus : minus;
  const PairSide& larger = plus_is_smaller ? minus : plus;
  std::vector<Index> places;
  if (!is_same) {
    auto map = map_states(system, *smaller.locked, *larger.locked);
    // Modes reduced by ranks project by themselves, and onto their own states only.
    if (!map || smaller.locked->reduction() == system::Reduction::ranks ||
        larger.locked->reduction() == system::Reduction::ranks) {
      return pair;
    }
    places = map->places;
    pair.mapped = std::make_unique<slide::MappedEvaluator>(*smaller.evaluator, *std::move(map));
    pair.plus_is_mapped = plus_is_smaller;
  }
  std::vector<double> nominal;
  for (const system::StateInfo& state : larger.locked->states()) {
    nominal.push_back(state.nominal);
  }
  system::Evaluator& on_plus = pair.mapped && plus_is_smaller ? *pair.mapped : *plus.evaluator;
  system::Evaluator& on_minus = pair.mapped && !plus_is_smaller ? *pair.mapped : *minus.evaluator;
  pair.field = std::make_unique<slide::SlidingField>(on_plus, on_minus, static_cast<Index>(nominal.size()),
                                                     system.guards(), nominal);
  for (const PairSide* side : {&plus, &minus}) {
    const double sign = side == &plus ? 1.0 : -1.0;
    const bool is_mapped = pair.mapped && side == &smaller;
    pair.field->add_constraints(
        {sliding_constraints(*side->locked), is_mapped ? places : std::vector<Index>{}}, sign);
    if (is_mapped) {
      pair.field->add_constraints({pair.mapped->constraints()}, sign);
    }
  }
  return pair;
}

}  // namespace saltus::settle
