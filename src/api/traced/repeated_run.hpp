/// A run of a model that may turn out to be larger than was thought: repeated until it does not.
///
/// Contract   the result is that of one run of one model from beginning to end. An output sink gets this run alone: where the model may still grow, a run
///            without output comes first.
/// Checked by tests/traced/large_functions_test.cpp
#pragma once

#include <optional>

#include "api/model/added_equations.hpp"
#include "api/model/model_data.hpp"
#include "saltus/model.hpp"
#include "saltus/simulate.hpp"

namespace saltus::api {

/// Each repetition knows at least one path more; who needs more than these meets new ones for ever.
inline constexpr int kMostRepetitions = 1'000;

/// The model that runs have extended, as far as is known.
[[nodiscard]] inline Model newest(Model model) {
  for (std::optional<Model> next = model; next;
       next = model.data().added == nullptr ? std::nullopt : model.data().added->larger()) {
    model = *next;
  }
  return model;
}

[[nodiscard]] inline bool may_grow(const Model& model) {
  return model.data().added != nullptr && model.data().added->may_grow();
}

/// The value of work(model) for a model that has not grown while it was made.
template <class Work>
[[nodiscard]] auto with_newest(Model& model, Work work) -> decltype(work(model)) {
  model = newest(model);
  auto result = work(model);
  for (int i = 0; i < kMostRepetitions && may_grow(model) && model.data().added->larger(); ++i) {
    model = newest(model);
    result = work(model);
  }
  return result;
}

/// `run(model, options)` gives a Result<SimulationResult>.
template <class Run>
[[nodiscard]] Result<SimulationResult> repeated(const Model& given, const SimulationOptions& options,
                                                Run run) {
  if (!may_grow(given)) {
    return run(given, options);
  }
  Model model = given;
  const std::size_t n_before = given.data().added->n_runs();
  SimulationOptions first = options;
  if (options.sink != nullptr) {
    first.sink = nullptr;
    first.keep_rows = false;
    first.keep_dense = false;
  }
  Result<SimulationResult> result =
      with_newest(model, [&](const Model& present) { return run(present, first); });
  if (options.sink != nullptr && result && result->reason != Reason::model_extended) {
    result = run(model, options);
  }
  if (result) {
    result->statistics.function_traces = static_cast<std::int64_t>(given.data().added->n_runs() - n_before);
  }
  return result;
}

}  // namespace saltus::api
