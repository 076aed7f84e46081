// A number that a run gives, and how it moves with parameters and start values.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "saltus/diagnostic.hpp"
#include "saltus/end_reason.hpp"
#include "saltus/model.hpp"
#include "saltus/options.hpp"
#include "saltus/result.hpp"
#include "saltus/simulate.hpp"

namespace saltus {

struct GradientOptions {
  std::vector<std::string>
      with{};  ///< parameters and start values, as SimulationOptions::sensitivities; at least one
  std::string
      by{};  ///< "auto" or empty: chosen by their number; "forward": by forward sensitivities; "adjoint": by one way back for all
  /// By adjoint: of what is kept of the run, this many numbers at a time; earlier pieces of a longer run are computed again on the way back. 0: 128 MB.
  std::size_t tape_numbers = 0;
  /// Of the run. What rows, columns, checkpoints, sensitivities, error estimates and expected indices it asks for has no effect.
  SimulationOptions simulation{};
};

/// Sets one option by its long name on the command line: with, by, or one of GradientOptions::simulation.
[[nodiscard]] Diagnostics set_gradient_option(GradientOptions& options, std::string_view name,
                                              std::string_view value);

/// NaN: undefined, and a diagnostic says why.
struct GradientResult {
  struct Derivative {
    std::string name;
    double at = 0.0;  ///< the value of the parameter or start value
    double derivative = std::numeric_limits<double>::quiet_NaN();
  };
  struct Term {
    std::string text;
    double value = std::numeric_limits<double>::quiet_NaN();
    std::vector<double> derivatives;  ///< as GradientResult::gradient; by adjoint: empty
  };
  std::string model;  ///< its name
  std::string functional;
  std::string by;               ///< "forward" or "adjoint"
  std::size_t tape_pieces = 1;  ///< by adjoint: in how many pieces the run was kept
  double value = std::numeric_limits<double>::quiet_NaN();
  std::vector<Derivative> gradient;
  std::vector<Term> terms;  ///< of the functional, parameters outside of terms included
  std::string problem;      ///< why there is no value; empty: there is one

  SimulationStatus status = SimulationStatus::success;  ///< of the run
  Reason reason = Reason::none;
  double start = 0.0;
  double end = 0.0;
  Statistics statistics;
  Diagnostics diagnostics;

  /// There is a value; derivatives may be undefined.
  [[nodiscard]] bool ok() const { return problem.empty(); }
  /// The name must be one of the gradient.
  [[nodiscard]] double derivative(std::string_view name) const;
};

/// One run of the model and the derivatives of `functional`: an expression over numbers, parameters and the terms
///     final(e)            e at the end of the run
///     integral(e)         ∫ e dt from its start to its end
///     at_event(k, e)      e just after the k-th instant that has events
///     before_event(k, e)  e just before it
///     event_time(k)       its time
/// where e is any expression of the model. Derivatives are total: where the time of an event, or the end of the run, moves, it moves in
/// them too. The error holds what is wrong with functional, names and options; a run that ends early is `problem`.
[[nodiscard]] Result<GradientResult> gradient(const Model& model, const std::string& functional,
                                              const GradientOptions& options);

/// For a program: gradient.json (docs/output.md).
[[nodiscard]] std::string render_json(const GradientResult& result);
/// For a person: a table.
[[nodiscard]] std::string render_text(const GradientResult& result);

}  // namespace saltus
