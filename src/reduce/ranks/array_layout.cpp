#include "reduce/ranks/array_layout.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "saltus/contract.hpp"

namespace saltus::reduce {

namespace {

// Rows come by level: those of the equations as written are the first.
bool is_written(const system::EquationSet& array, int level, Index slot) {
  const system::RectangularPattern& pattern = array.pattern();
  const auto begin = pattern.column_starts[static_cast<std::size_t>(slot)];
  const auto end = pattern.column_starts[static_cast<std::size_t>(slot) + 1];
  return begin < end && pattern.rows[static_cast<std::size_t>(begin)] < pattern.n_rows / (level + 1);
}

}  // namespace

ArrayLayout make_array_layout(const system::EquationSet& array, int level,
                              std::span<const system::StateInfo> states) {
  const std::vector<system::SlotInfo>& slots = array.slots();
  ArrayLayout layout;
  std::map<Index, Index> ordinal;  // of the model's variables that occur
  std::map<std::pair<Index, int>, Index> place;
  for (std::size_t s = 0; s < slots.size(); ++s) {
    const Index j = ordinal.try_emplace(slots[s].variable, static_cast<Index>(ordinal.size())).first->second;
    layout.variable.push_back(j);
    layout.slot_order.push_back(slots[s].order);
    layout.orders.resize(ordinal.size(), 1);
    int& order = layout.orders[static_cast<std::size_t>(j)];
    order = std::max(order, slots[s].order - level);
    place[{j, slots[s].order}] = static_cast<Index>(s);
  }
  layout.n_variables = static_cast<Index>(ordinal.size());
  layout.top.resize(ordinal.size());
  std::map<system::Quantity, Index> below_top;
  for (std::size_t s = 0; s < slots.size(); ++s) {
    const auto j = static_cast<std::size_t>(layout.variable[s]);
    const auto slot = static_cast<Index>(s);
    layout.order = std::max(layout.order, layout.orders[j]);
    if (slots[s].order < layout.orders[j]) {
      layout.state.push_back(slot);
      below_top.emplace(slots[s].quantity(), slot);
    } else if (slots[s].order == layout.orders[j]) {
      layout.top[j] = slot;
    } else {
      layout.higher.push_back(slot);
    }
  }
  if (!states.empty()) {
    SALTUS_EXPECT(states.size() == layout.state.size(), "as many states as slots below the highest orders");
    for (std::size_t i = 0; i < states.size(); ++i) {
      const auto found = below_top.find(states[i].quantity);
      SALTUS_EXPECT(found != below_top.end(), "states that are slots of the array");
      layout.state[i] = found->second;
    }
  }
  for (const Index slot : layout.state) {
    const auto s = static_cast<std::size_t>(slot);
    layout.rate.push_back(place.at({layout.variable[s], layout.slot_order[s] + 1}));
    const bool is_chained =
        layout.slot_order[s] + 1 < layout.orders[static_cast<std::size_t>(layout.variable[s])];
    const bool is_differentiated = is_chained || is_written(array, level, layout.rate.back());
    (is_differentiated ? layout.differentiated : layout.algebraic).push_back(slot);
  }
  return layout;
}

std::vector<ArrayGroup> newton_groups(const ArrayLayout& layout, StateOrder order, bool least_rates) {
  const bool is_tiered = order == StateOrder::algebraic_first;
  return {{is_tiered ? layout.differentiated : layout.state, false, true},
          {is_tiered ? layout.algebraic : std::vector<Index>(), false, true},
          {layout.top, least_rates, false},
          {layout.higher, false, false}};
}

ArrayLayout layout_by_numbers(ArrayLayout layout, const system::EquationSet& array, int level,
                              std::span<const double> entries) {
  const system::RectangularPattern& pattern = array.pattern();
  const Index n_written = pattern.n_rows / (level + 1);
  const auto is_absent = [&](Index slot) {
    const auto place = std::find(layout.state.begin(), layout.state.end(), slot) - layout.state.begin();
    const auto rate = static_cast<std::size_t>(layout.rate[static_cast<std::size_t>(place)]);
    if (std::find(layout.state.begin(), layout.state.end(), static_cast<Index>(rate)) != layout.state.end()) {
      return false;
    }
    for (Index e = pattern.column_starts[rate]; e < pattern.column_starts[rate + 1]; ++e) {
      if (pattern.rows[static_cast<std::size_t>(e)] < n_written &&
          entries[static_cast<std::size_t>(e)] != 0.0) {
        return false;
      }
    }
    return true;
  };
  const auto absent = std::stable_partition(layout.differentiated.begin(), layout.differentiated.end(),
                                            [&](Index slot) { return !is_absent(slot); });
  layout.algebraic.insert(layout.algebraic.end(), absent, layout.differentiated.end());
  layout.differentiated.erase(absent, layout.differentiated.end());
  return layout;
}

std::vector<double> extended_slots(const ArrayLayout& before, std::span<const double> values,
                                   const ArrayLayout& layout) {
  std::map<std::pair<Index, int>, double> known;
  for (std::size_t s = 0; s < values.size(); ++s) {
    known[{before.variable[s], before.slot_order[s]}] = values[s];
  }
  std::vector<double> result(layout.variable.size(), 0.0);
  for (std::size_t s = 0; s < result.size(); ++s) {
    const auto found = known.find({layout.variable[s], layout.slot_order[s]});
    result[s] = found != known.end() ? found->second : 0.0;
  }
  return result;
}

}  // namespace saltus::reduce
