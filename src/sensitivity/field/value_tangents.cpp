#include "sensitivity/field/value_tangents.hpp"

#include <algorithm>
#include <cmath>

namespace saltus::sensitivity {

void find_value_tangents(const FieldSource& source, StretchField& field, double t, std::span<const double> x,
                         const system::Seeds& seeds, const std::vector<bool>& counts,
                         std::vector<double>& tangents) {
  const std::size_t n = source.n_columns();
  const std::size_t n_variables = source.system.variables().size();
  tangents.assign((n_variables + source.setup.guards.size()) * n, std::nan(""));
  if (std::none_of(counts.begin(), counts.end(), [](bool does) { return does; })) {
    return;
  }
  const std::span<double> variables = std::span(tangents).first(n_variables * n);
  const bool is_known = field.tangents().outputs(t, x, seeds, variables).ok() || field.is_exact();
  const std::vector<std::uint8_t>& has =
      source.system.modes()[field.facts().structure.mode.index()].has_variable;
  for (std::size_t e = 0; e < variables.size(); ++e) {
    const bool exists = has.empty() || has[e / n] != 0;
    const bool is_value = is_known && exists && counts[e % n] && std::isfinite(variables[e]);
    variables[e] = is_value ? variables[e] : std::nan("");
  }
  const std::vector<Index>& surfaces = field.facts().surfaces;
  for (std::size_t g = 0; g < source.setup.guards.size(); ++g) {
    const Index guard = source.setup.guards[g];
    const std::span<double> own = std::span(tangents).subspan((n_variables + g) * n, n);
    const bool is_held = std::find(surfaces.begin(), surfaces.end(), guard) != surfaces.end();
    std::fill(own.begin(), own.end(), is_held ? 0.0 : std::nan(""));
    const bool has_tangents = is_held || (field.locked().watches(guard) &&
                                          field.tangents().guards({&guard, 1}, t, x, seeds, own).ok());
    for (std::size_t k = 0; k < n; ++k) {
      own[k] = has_tangents && counts[k] && std::isfinite(own[k]) ? own[k] : std::nan("");
    }
  }
}

}  // namespace saltus::sensitivity
