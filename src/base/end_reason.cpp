#include "saltus/end_reason.hpp"

#include <algorithm>
#include <iterator>

namespace saltus {
namespace {

struct Word {
  Reason reason;
  std::string_view word;
};
constexpr Word kWords[] = {
    {Reason::none, ""},
    {Reason::terminate, "terminate"},
    {Reason::stopped, "stopped"},
    {Reason::initialization_failed, "initialization_failed"},
    {Reason::function_failed, "function_failed"},
    {Reason::not_finite, "not_finite"},
    {Reason::singular_block, "singular_block"},
    {Reason::no_convergence, "no_convergence"},
    {Reason::impasse, "impasse"},
    {Reason::singular_point, "singular_point"},
    {Reason::inconsistent_instant, "inconsistent_instant"},
    {Reason::step_size_too_small, "step_size_too_small"},
    {Reason::iteration_failed, "iteration_failed"},
    {Reason::bound_left, "bound_left"},
    {Reason::assertion, "assert"},
    {Reason::event_not_decided, "event_not_decided"},
    {Reason::structure_not_decided, "structure_not_decided"},
    {Reason::index_mismatch, "index_mismatch"},
    {Reason::traced_function_failed, "traced_function_failed"},
    {Reason::trace_not_verified, "trace_not_verified"},
    {Reason::model_extended, "model_extended"},
    {Reason::mode_failed, "mode_failed"},
    {Reason::no_weights, "no_weights"},
    {Reason::no_sliding_solution, "no_sliding_solution"},
    {Reason::impact_not_decided, "impact_not_decided"},
    {Reason::painleve, "painleve"},
    {Reason::jump_contradiction, "jump_contradiction"},
    {Reason::no_entry_value, "no_entry_value"},
    {Reason::no_projection, "no_projection"},
    {Reason::step_limit, "step_limit"},
    {Reason::time_limit, "time_limit"},
    {Reason::event_limit, "event_limit"},
    {Reason::round_limit, "round_limit"},
    {Reason::immediate_limit, "immediate_limit"},
    {Reason::no_progress, "no_progress"},
    {Reason::zeno, "zeno"},
    {Reason::chattering, "chattering"},
    {Reason::interrupted, "interrupted"},
    {Reason::out_of_memory, "out_of_memory"},
    {Reason::output_failed, "output_failed"},
    {Reason::checkpoint_failed, "checkpoint_failed"},
    {Reason::checkpoint_damaged, "checkpoint_damaged"},
};

}  // namespace

std::string_view to_string(Reason reason) {
  return kWords[static_cast<std::size_t>(reason)].word;
}

std::optional<Reason> reason_of(std::string_view word) {
  const auto* const found =
      std::find_if(std::begin(kWords), std::end(kWords), [&](const Word& item) { return item.word == word; });
  return found == std::end(kWords) ? std::nullopt : std::optional(found->reason);
}

}  // namespace saltus
