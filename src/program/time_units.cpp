// The unit of time of each variable, from the coefficients of the equations (linalg/time_units.hpp).
//
// Problem      how large are derivatives? Nominal values are given for variables alone.
// Method       the coefficients of all modes at the start values, those that are zero at their nominal values, derivatives zero
// Choices      Coefficients that vanish or cannot be evaluated there say nothing. Sides are as before the start.
// Cost         the equations of each mode are compiled with their derivatives: asked for only where a derivative has a size of its own
// Checked by   tests/property/time_units_test.cpp
#include <cmath>
#include <memory>
#include <vector>

#include "linalg/time_units.hpp"
#include "program/equations/mode_equation_code.hpp"
#include "program/equations/system_data.hpp"

namespace saltus::program {
namespace {

// Those of one mode, in rows behind the `n_rows` of others.
void add_coefficients(const SystemData& data, const ModeCode& mode, Index& n_rows,
                      std::vector<linalg::TimedEntry>& entries) {
  const auto code = EquationCompiler(*data.code, mode).derivative_array(0);
  if (!code) {
    return;
  }
  EquationNumbers numbers = equation_numbers(data);
  numbers.nominal_of = [](const structure::Unknown&) { return 1.0; };
  const EquationProgram program(*code, std::move(numbers));
  const std::vector<VariableId>& variables = (*code)->sized_as();
  const std::vector<system::SlotInfo>& slots = program.slots();
  std::vector<double> values(slots.size(), 0.0);
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const UnknownScale& scale = data.scales[variables[i].index()];
    if (slots[i].order == 0) {
      values[i] = scale.guess != 0.0 ? scale.guess : scale.nominal;
    }
  }
  const system::RectangularPattern& pattern = program.pattern();
  std::vector<double> found(pattern.n_entries(), 0.0);
  // Entries that are not finite are left out one by one.
  [[maybe_unused]] const system::Evaluation evaluation = program.make_runner()->jacobian(0.0, values, found);
  for (std::size_t j = 0; j < slots.size(); ++j) {
    const double nominal = data.scales[variables[j].index()].nominal;
    for (Index e = pattern.column_starts[j]; e < pattern.column_starts[j + 1]; ++e) {
      const auto k = static_cast<std::size_t>(e);
      const double size = std::abs(found[k]) * nominal;
      if (size > 0.0 && std::isfinite(size)) {
        entries.push_back(
            {n_rows + pattern.rows[k], static_cast<Index>(variables[j].index()), slots[j].order, size});
      }
    }
  }
  n_rows += pattern.n_rows;
}

}  // namespace

std::shared_ptr<const std::vector<double>> find_time_units(const SystemData& data) {
  std::vector<linalg::TimedEntry> entries;
  Index n_rows = 0;
  for (const ModeCode& mode : data.code->modes) {
    add_coefficients(data, mode, n_rows, entries);
  }
  return std::make_shared<const std::vector<double>>(
      linalg::time_units(n_rows, static_cast<Index>(data.scales.size()), entries));
}

}  // namespace saltus::program
