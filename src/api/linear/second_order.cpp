#include "api/linear/second_order.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "reduce/ranks/merged_rates.hpp"

namespace saltus::api {
namespace {

using system::Quantity;

// Values of the slots of an analysis, by quantity, as `names` calls them.
template <class Rename>
std::map<Quantity, double> values_by_quantity(const system::EquationSet& array,
                                              const std::vector<double>& slots, const Rename& rename) {
  std::map<Quantity, double> known;
  for (std::size_t s = 0; s < slots.size(); ++s) {
    known.emplace(rename(array.slots()[s].quantity()), slots[s]);
  }
  return known;
}

double known_value(const std::map<Quantity, double>& known, const Quantity& quantity) {
  const auto found = known.find(quantity);
  return found == known.end() ? 0.0 : found->second;
}

std::vector<double> states_of(const system::LockedDae& dae, const std::map<Quantity, double>& known) {
  std::vector<double> x;
  for (const system::StateInfo& state : dae.states()) {
    x.push_back(known_value(known, state.quantity));
  }
  return x;
}

// None: not decided at this point.
std::optional<CompanionForm> companion_of(const system::LockedDae& dae,
                                          const system::Configuration& configuration, double t,
                                          const std::vector<double>& x, reduce::AnalysisOptions ranks) {
  ranks.form = reduce::AnalysisForm::companion;
  const auto values = reduce::find_characteristic_values(dae, configuration, t, x, ranks);
  const auto equations = dae.derivative_array(0);
  if (!values || !equations || values->is_unclear) {
    return std::nullopt;
  }
  return CompanionForm{values->level, static_cast<std::size_t>(values->n_unknowns),
                       data_derivatives(**equations, *values)};
}

}  // namespace

std::vector<DataDerivative> data_derivatives(const system::EquationSet& equations,
                                             const reduce::CharacteristicValues& values) {
  std::vector<DataDerivative> needed;
  for (std::size_t i = 0; i < values.data_orders.size(); ++i) {
    if (values.data_orders[i] > 0) {
      needed.push_back({equations.rows()[i].text, values.data_orders[i]});
    }
  }
  return needed;
}

void describe_second_order(const system::LockedDae& locked, const system::Configuration& configuration,
                           double t, const reduce::CharacteristicValues& values,
                           const reduce::AnalysisOptions& ranks, ModeAnalysis& mode) {
  const auto written = locked.derivative_array(0);
  const auto analysed = locked.derivative_array(values.level);
  if (!written || !analysed) {
    return;
  }
  const std::map<Quantity, double> known =
      values_by_quantity(**analysed, values.slots, [](Quantity quantity) { return quantity; });
  if (values.differential.size() > 1) {
    mode.companion = companion_of(locked, configuration, t, states_of(locked, known), ranks);
  }
  std::vector<double> slots;
  for (const system::SlotInfo& slot : (*written)->slots()) {
    slots.push_back(known_value(known, slot.quantity()));
  }
  const auto rates = reduce::merge_rates(locked, configuration, t, slots);
  if (!rates || rates->dae == nullptr) {
    return;
  }
  const system::LockedDae& dae = *rates->dae;
  const std::vector<double> x =
      states_of(dae, values_by_quantity(**analysed, values.slots,
                                        [&](Quantity quantity) { return rates->merged(quantity); }));
  reduce::AnalysisOptions as_written = ranks;
  as_written.form = reduce::AnalysisForm::as_written;
  const auto merged = reduce::find_characteristic_values(dae, configuration, t, x, as_written);
  const auto equations = dae.derivative_array(0);
  if (!merged || !equations || merged->is_unclear) {
    return;
  }
  MergedForm form;
  for (const auto& [variable, quantity] : rates->stands_for) {
    const auto named = [&](const std::vector<system::SlotInfo>& list, const Quantity& which) {
      const auto slot = std::find_if(list.begin(), list.end(),
                                     [&](const system::SlotInfo& one) { return one.quantity() == which; });
      return slot == list.end() ? std::string() : slot->name;
    };
    form.rates.push_back(fmt::format("{} = {}", named((*written)->slots(), {variable, 0}),
                                     named((*equations)->slots(), quantity)));
  }
  form.equations = static_cast<std::size_t>(merged->n_equations);
  form.unknowns = static_cast<std::size_t>(merged->n_unknowns);
  form.index = merged->level;
  form.order = static_cast<int>(merged->differential.size());
  form.d2 = static_cast<int>(merged->d2());
  form.d1 = static_cast<int>(merged->d1());
  form.a = static_cast<int>(merged->algebraic);
  form.u = static_cast<int>(merged->undetermined);
  form.v = static_cast<int>(merged->vanishing);
  form.data_derivatives = data_derivatives(**equations, *merged);
  mode.merged = std::move(form);
  if (!mode.companion) {
    mode.companion = companion_of(dae, configuration, t, x, ranks);
  }
}

}  // namespace saltus::api
