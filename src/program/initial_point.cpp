// Consistent values at the start: runs the blocks of the initial problem once.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/number_text.hpp"
#include "program/diagnostic_codes.hpp"
#include "program/failure_report.hpp"
#include "program/system_data.hpp"
#include "structure/names.hpp"

namespace saltus::program {
namespace {

using Status = system::Evaluation::Status;

void report(const SystemData& data, Failure failure, std::string help, Diagnostics& diagnostics) {
  std::optional<SourceSpan> span;
  if (failure.equation) {
    span = data.initialization.equations[failure.equation->index()].span;
  }
  diagnostics.error(kInitializationFailed, std::move(failure.sentence), span, std::move(help));
}

void check_states(const SystemData& data, const SequenceRunner& runner, std::span<const double> x, double t,
                  Diagnostics& diagnostics) {
  const auto bad = std::find_if_not(x.begin(), x.end(), [](double value) { return std::isfinite(value); });
  if (bad != x.end()) {
    const structure::Unknown& state = data.causalized.states[static_cast<std::size_t>(bad - x.begin())];
    report(data, explain_not_finite(problem_of_start(data), runner, state, t, {}), "", diagnostics);
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
  std::vector<double> values(data.initial_outputs.size());
  SequenceRunner runner(*data.start);
  if (const system::Evaluation evaluation = runner.run(t, nullptr, values.data()); !evaluation.ok()) {
    const bool is_singular = evaluation.status == Status::singular_block;
    report(data, explain_block(problem_of_start(data), runner, evaluation, t, {}),
           is_singular ? "" : "start values nearer to the solution may help", diagnostics);
    return Unexpected(std::move(diagnostics));
  }
  const std::size_t n_states = data.causalized.states.size();
  const std::size_t n_held = data.causalized.held.size();
  const std::size_t n_sides = 2 * data.initialization.checks.size();
  check_states(data, runner, std::span(values).first(n_states), t, diagnostics);
  check_conditions(data, std::span(values).subspan(n_states + n_held, n_sides), diagnostics);
  if (diagnostics.has_errors()) {
    return Unexpected(std::move(diagnostics));
  }
  system::InitialPoint point;
  point.x.assign(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(n_states));
  point.guess.assign(values.begin() + static_cast<std::ptrdiff_t>(n_states + n_held + n_sides), values.end());
  point.configuration.discrete.assign(values.begin() + static_cast<std::ptrdiff_t>(n_states),
                                      values.begin() + static_cast<std::ptrdiff_t>(n_states + n_held));
  point.warnings = data.causalized.warnings;
  point.warnings.append(data.initialization.warnings);
  return point;
}

}  // namespace saltus::program
