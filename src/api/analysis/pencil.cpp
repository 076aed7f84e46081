#include "api/analysis/pencil.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reduce/nonlinear/rank_codes.hpp"
#include "reduce/ranks/array_layout.hpp"

namespace saltus::api {
namespace {

std::size_t place_of_slot(const std::vector<Index>& list, Index slot) {
  return static_cast<std::size_t>(std::find(list.begin(), list.end(), slot) - list.begin());
}

}  // namespace

Result<ModePencil> describe_pencil(const system::LockedDae& locked,
                                   const system::Configuration& configuration, double t,
                                   const reduce::CharacteristicValues& values,
                                   std::optional<double> tolerance) {
  const auto written = locked.derivative_array(0);
  const auto analysed = locked.derivative_array(values.level);
  if (!written || !analysed) {
    return Unexpected(written ? analysed.error() : written.error());
  }
  const system::EquationSet& equations = **written;
  const reduce::ArrayLayout layout = reduce::make_array_layout(equations, 0, locked.states());
  // Slots of the equations as written, with their values at the point.
  std::vector<double> slots;
  for (const system::SlotInfo& slot : equations.slots()) {
    const auto& all = (*analysed)->slots();
    const auto same = std::find_if(all.begin(), all.end(), [&](const system::SlotInfo& other) {
      return other.quantity() == slot.quantity();
    });
    slots.push_back(same == all.end() ? 0.0 : values.slots[static_cast<std::size_t>(same - all.begin())]);
  }
  const auto runner = equations.make_runner();
  runner->set_configuration(configuration);
  const system::RectangularPattern& pattern = equations.pattern();
  std::vector<double> entries(pattern.n_entries());
  if (!runner->jacobian(t, slots, entries).ok()) {
    Diagnostics problems;
    problems.error(reduce::kNoConsistentDerivatives,
                   fmt::format("at time = {:g} the equations have no Jacobian", t));
    return Unexpected(std::move(problems));
  }
  ModePencil pencil;
  const std::size_t n = layout.state.size();
  for (const Index slot : layout.state) {
    pencil.unknowns.push_back(equations.slots()[static_cast<std::size_t>(slot)].name);
  }
  for (const system::RowInfo& row : equations.rows()) {
    pencil.rows.push_back(row.text);
  }
  pencil.e.assign(static_cast<std::size_t>(pattern.n_rows), std::vector<double>(n, 0.0));
  pencil.a = pencil.e;
  for (Index slot = 0; slot < pattern.n_columns; ++slot) {
    const std::size_t state = place_of_slot(layout.state, slot);
    const std::size_t rate = place_of_slot(layout.rate, slot);
    for (Index k = pattern.column_starts[static_cast<std::size_t>(slot)];
         k < pattern.column_starts[static_cast<std::size_t>(slot) + 1]; ++k) {
      const auto row = static_cast<std::size_t>(pattern.rows[static_cast<std::size_t>(k)]);
      if (state < n) {
        pencil.a[row][state] = -entries[static_cast<std::size_t>(k)];
      } else if (rate < n) {
        pencil.e[row][rate] = entries[static_cast<std::size_t>(k)];
      }
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t next = place_of_slot(layout.state, layout.rate[i]);
    if (next < n) {
      pencil.rows.push_back(fmt::format("der({}) = {}", pencil.unknowns[i], pencil.unknowns[next]));
      pencil.e.emplace_back(n, 0.0)[i] = 1.0;
      pencil.a.emplace_back(n, 0.0)[next] = 1.0;
    }
  }
  pencil.is_constant = equations.is_linear() && equations.has_constant_jacobian();
  Result<PencilStructure> structure =
      pencil_structure(pencil.e, pencil.a, {.tolerance = tolerance, .is_rounded = !pencil.is_constant});
  if (!structure) {
    return Unexpected(std::move(structure).error());
  }
  pencil.structure = *std::move(structure);
  return pencil;
}

}  // namespace saltus::api
