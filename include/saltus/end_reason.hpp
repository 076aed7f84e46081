// Why a run ended.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace saltus {

/// docs/output.md says what each means; to_string() gives the word that stands there and in files.
enum class Reason : std::uint8_t {
  none,       ///< the run reached its stop
  terminate,  ///< a terminate() of the model ended it
  stopped,    ///< from outside: an OutputSink or a callback of the caller
  initialization_failed,
  function_failed,  ///< a function of a CallbackModel has thrown
  not_finite,
  singular_block,
  no_convergence,
  impasse,
  singular_point,
  inconsistent_instant,
  step_size_too_small,
  iteration_failed,
  bound_left,
  assertion,  ///< "assert"
  event_not_decided,
  structure_not_decided,
  index_mismatch,
  traced_function_failed,
  trace_not_verified,
  model_extended,
  mode_failed,
  no_weights,
  no_sliding_solution,
  impact_not_decided,
  painleve,
  jump_contradiction,
  no_entry_value,
  no_projection,
  step_limit,
  time_limit,
  event_limit,
  round_limit,
  immediate_limit,
  no_progress,
  zeno,
  chattering,
  interrupted,
  out_of_memory,
  output_failed,
  checkpoint_failed,   ///< the run was to be saved and cannot be
  checkpoint_damaged,  ///< what it was to go on from does not fit
};

/// Empty for `none`.
[[nodiscard]] std::string_view to_string(Reason reason);
/// nullopt: there is no such word.
[[nodiscard]] std::optional<Reason> reason_of(std::string_view word);

/// With the word of a file.
[[nodiscard]] inline bool operator==(Reason reason, std::string_view word) {
  return to_string(reason) == word;
}

}  // namespace saltus
