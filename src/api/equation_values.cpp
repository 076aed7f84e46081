#include "api/equation_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "api/model/diagnostic_codes.hpp"
#include "api/results/extra_values.hpp"
#include "program/compiled_system.hpp"
#include "reduce/ranks/characteristic_values.hpp"
#include "saltus/contract.hpp"

namespace saltus::api {
namespace {

Unexpected<Diagnostics> no_equations(DiagnosticCode code, std::string message) {
  Diagnostics problems;
  problems.error(code, std::move(message));
  return Unexpected(std::move(problems));
}

// Equations that nothing was done to: those of a mode that is reduced by ranks.
Result<std::shared_ptr<const system::EquationSet>> written_equations(const Instance& instance, ModeId mode) {
  std::shared_ptr<const system::HybridSystem> system = instance.system;
  if (instance.flat != nullptr) {
    program::BuildOptions by_ranks;
    by_ranks.by_ranks.push_back(mode);
    Result<std::shared_ptr<const system::HybridSystem>> built =
        instance.compiled->system(instance.overrides, by_ranks);
    if (!built) {
      return Unexpected(std::move(built).error());
    }
    system = *std::move(built);
  }
  const auto locked = system->lock(mode);
  if (!locked) {
    return Unexpected(locked.error());
  }
  if (instance.flat == nullptr && (*locked)->reduction() != system::Reduction::ranks) {
    return no_equations(
        kNoPointDerivative,
        "a right-hand side given by a function has no equations to ask: states() has its rates");
  }
  return (*locked)->derivative_array(0);
}

}  // namespace

Result<EquationValues> equations_at(const Instance& instance, const settle::Position& at,
                                    std::span<const double> values,
                                    const std::vector<NamedValue>& elsewhere) {
  if (instance.variables.size() > reduce::kMostUnknownsForRanks) {
    return no_equations(
        kTooLargeForRanks,
        fmt::format("equations of at most {} variables are given as a matrix, and these have {}",
                    reduce::kMostUnknownsForRanks, instance.variables.size()));
  }
  const auto equations = written_equations(instance, at.configuration().mode);
  if (!equations) {
    return Unexpected(equations.error());
  }
  const system::EquationSet& written = **equations;
  EquationValues result;
  Columns columns;
  columns.n_variables = instance.variables.size();
  for (const system::SlotInfo& slot : written.slots()) {
    result.unknowns.push_back(slot.name);
    if (slot.order > 0) {
      columns.derivatives.push_back(slot.quantity());
    }
  }
  ExtraValues derivatives(columns);
  derivatives.bind(*at.mode().locked);
  std::vector<double> rates(columns.derivatives.size(), std::nan(""));
  derivatives.evaluate(at.field(), at.time(), at.x(), rates);
  at.field().restore_solutions();  // where the run goes on from
  std::size_t next = 0;
  for (const system::SlotInfo& slot : written.slots()) {
    result.point.push_back(slot.order > 0 ? rates[next++] : values[static_cast<std::size_t>(slot.variable)]);
  }
  result.time = at.time();
  for (const NamedValue& item : elsewhere) {
    const auto found = std::find(result.unknowns.begin(), result.unknowns.end(), item.name);
    SALTUS_EXPECT(found != result.unknowns.end() || item.name == "time",
                  fmt::format("'{}' is no unknown of these equations and not time", item.name));
    SALTUS_EXPECT(std::isfinite(item.value), fmt::format("'{}' cannot be {}", item.name, item.value));
    (found == result.unknowns.end()
         ? result.time
         : result.point[static_cast<std::size_t>(found - result.unknowns.begin())]) = item.value;
  }
  const auto runner = written.make_runner();
  runner->set_configuration(at.configuration());
  const system::RectangularPattern& pattern = written.pattern();
  std::vector<double> entries(pattern.n_entries());
  result.residuals.resize(static_cast<std::size_t>(pattern.n_rows));
  system::Evaluation done = runner->residual(result.time, result.point, result.residuals);
  if (done.ok()) {
    done = runner->jacobian(result.time, result.point, entries);
  }
  for (const system::RowInfo& row : written.rows()) {
    result.equations.push_back(row.text);
  }
  if (!done.ok()) {
    const auto row = static_cast<std::size_t>(done.culprit);
    return no_equations(
        kNoPointDerivative,
        fmt::format("at time {} the equation '{}' or a derivative of it has no value", result.time,
                    row < result.equations.size() ? result.equations[row] : std::string("?")));
  }
  result.jacobian.assign(result.residuals.size(), std::vector<double>(result.unknowns.size(), 0.0));
  for (std::size_t j = 0; j < result.unknowns.size(); ++j) {
    for (Index e = pattern.column_starts[j]; e < pattern.column_starts[j + 1]; ++e) {
      result.jacobian[static_cast<std::size_t>(pattern.rows[static_cast<std::size_t>(e)])][j] =
          entries[static_cast<std::size_t>(e)];
    }
  }
  return result;
}

}  // namespace saltus::api
