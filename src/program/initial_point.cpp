// Consistent values at the start: runs the blocks of the initial problem once.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/number_text.hpp"
#include "program/diagnostic_codes.hpp"
#include "program/system_data.hpp"
#include "structure/names.hpp"

namespace saltus::program {
namespace {

using Status = system::Evaluation::Status;

void report_failure(const SystemData& data, const system::Evaluation& evaluation, double t,
                    Diagnostics& diagnostics) {
  const structure::Block& block = data.initialization.blocks[static_cast<std::size_t>(evaluation.culprit)];
  const flat::Equation& equation = data.initialization.equations[block.equations.front().index()];
  diagnostics.error(
      kInitializationFailed,
      describe_block_failure(data.model, data.initialization.equations, block, evaluation.status, t),
      equation.span,
      evaluation.status == Status::singular_block ? "" : "start values nearer to the solution may help");
}

void check_states(const SystemData& data, std::span<const double> x, double t, Diagnostics& diagnostics) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!std::isfinite(x[i])) {
      const structure::Unknown& state = data.causalized.states[i];
      diagnostics.error(kInitializationFailed,
                        fmt::format("the initial value of '{}' is not finite ({}) at time {}",
                                    data.states[i].name, number_text(x[i]), number_text(t)),
                        data.model[state.variable].span);
    }
  }
}

// Conditions that the structure left over must hold in numbers (LANGUAGE 3).
void check_conditions(const SystemData& data, std::span<const double> sides, Diagnostics& diagnostics) {
  for (std::size_t i = 0; i < data.initialization.checks.size(); ++i) {
    const double left = sides[2 * i];
    const double right = sides[2 * i + 1];
    const double scale = std::max({1.0, std::abs(left), std::abs(right)});
    // Written so that a NaN does not pass.
    if (!(std::abs(left - right) <= structure::kInitialCheckTolerance * scale)) {
      const flat::Equation& equation = data.initialization.equations[data.initialization.checks[i].index()];
      diagnostics.error(
          kInitialContradiction,
          fmt::format("the initial condition {} does not hold: the other equations give {} on its left "
                      "and {} on its right side",
                      structure::quote(data.model, equation), number_text(left), number_text(right)),
          equation.span, "drop it, or give the value that fits");
    }
  }
}

}  // namespace

Result<system::InitialPoint> find_initial_point(const SystemData& data, double t) {
  Diagnostics diagnostics(data.model.source);
  const BlockSequence sequence(data.model.graph,
                               {.blocks = data.initialization.blocks,
                                .states = {},
                                .outputs = data.initial_outputs,
                                .frozen_inputs = data.frozen_inputs,
                                .bindings = held_bindings(data)},
                               [&data](const structure::Unknown& unknown) {
                                 const UnknownScale& scale = data.scales[unknown.variable.index()];
                                 return UnknownScale{unknown.order == 0 ? scale.guess : 0.0, scale.nominal};
                               });
  std::vector<double> values(data.initial_outputs.size());
  SequenceRunner runner(sequence);
  if (const system::Evaluation evaluation = runner.run(t, nullptr, values.data()); !evaluation.ok()) {
    report_failure(data, evaluation, t, diagnostics);
    return Unexpected(std::move(diagnostics));
  }
  const std::size_t n_states = data.causalized.states.size();
  const std::size_t n_held = data.causalized.held.size();
  check_states(data, std::span(values).first(n_states), t, diagnostics);
  check_conditions(data, std::span(values).subspan(n_states + n_held), diagnostics);
  if (diagnostics.has_errors()) {
    return Unexpected(std::move(diagnostics));
  }
  system::InitialPoint point;
  point.x.assign(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(n_states));
  point.configuration.conditions = data.condition_values;
  point.configuration.discrete.assign(values.begin() + static_cast<std::ptrdiff_t>(n_states),
                                      values.begin() + static_cast<std::ptrdiff_t>(n_states + n_held));
  point.warnings = data.causalized.warnings;
  point.warnings.append(data.initialization.warnings);
  return point;
}

}  // namespace saltus::program
