// What a run counts, and the modes it went through: the same in a result and in summary.json.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace saltus {

/// How one mode was integrated; while it slid between two modes, the mode after which that motion is named.
struct MethodOfMode {
  std::string mode;
  std::string method;  ///< "dopri5", "dopri5, then radau5"
  std::string reason;
  std::int64_t accepted_steps = 0;
};

/// How one guard was watched for events, in steps: docs/semantics.md 4.5 says what each word promises.
struct WatchedGuard {
  std::string condition;  ///< as written, or the guard where nothing was written; "weights of sliding"
  std::int64_t proved_steps = 0;
  std::int64_t estimated_steps = 0;
  std::int64_t sampled_steps = 0;
};

/// How many steps a method took with one order.
struct StepsOfOrder {
  int order = 0;
  std::int64_t accepted_steps = 0;
};

struct Statistics {
  std::string method;                 ///< of all modes; all that were used, where they differ
  std::string method_reason;          ///< why this method was taken
  std::vector<MethodOfMode> methods;  ///< by mode, in the order in which they were entered
  std::int64_t accepted_steps = 0;
  std::int64_t rejected_steps = 0;
  std::int64_t residual_evaluations = 0;  ///< of the right-hand side
  std::int64_t jacobian_evaluations = 0;
  std::int64_t factorizations = 0;
  std::int64_t guard_evaluations = 0;
  std::int64_t newton_iterations = 0;
  std::vector<WatchedGuard> guards;      ///< those that were watched, in the order of the model
  std::int64_t location_iterations = 0;  ///< of the search for roots of guards within steps
  std::int64_t overtaken_locations = 0;  ///< roots that were located, and then another guard had one before
  std::int64_t guards_without_root =
      0;  ///< by step: guards that had to be looked at closely and do not cross
  std::int64_t refined_steps =
      0;  ///< steps taken again, shorter, because bounds did not decide what guards do in them
  std::int64_t events = 0;
  std::int64_t instants = 0;  ///< times at which events happened
  std::int64_t restarts = 0;  ///< of the method, after events and kinks
  std::int64_t kinks_without_restart = 0;
  std::int64_t accepted_sliding_steps = 0;  ///< of the accepted steps
  std::int64_t rejected_sliding_steps = 0;
  std::int64_t rejected_by_error = 0;      ///< of the rejected steps: the error test failed
  std::int64_t rejected_by_iteration = 0;  ///< … the iteration of an implicit method did not converge
  std::int64_t rejected_by_bounds = 0;     ///< of the rejected steps: a variable would have become negative
  std::int64_t negative_within_tolerance = 0;  ///< steps kept with such a variable in [-atol, 0), by variable
  // Sizes of accepted steps as the method took them (an event may cut one short), 0 if there was none.
  double smallest_step = 0.0;
  double largest_step = 0.0;
  double last_step = 0.0;
  double next_step = 0.0;            ///< that would have been tried after the end
  std::vector<StepsOfOrder> orders;  ///< that were used, ascending; "bdf" changes its order
  std::int64_t function_traces = 0;  ///< runs of a traced C++ function that this run needed
  std::int64_t output_rows = 0;
  double wall_seconds = 0.0;
};

/// A stretch of time in one mode with the characteristic values of its equations: strangeness index, and the
/// numbers of differential (d), algebraic (a), undetermined (u) components and redundant equations (v).
struct ModeSpan {
  double from = 0.0;
  double to = 0.0;
  std::string mode;
  std::int64_t index = 0;
  std::int64_t d = 0;
  std::int64_t a = 0;
  std::int64_t u = 0;
  std::int64_t v = 0;
};

}  // namespace saltus
