/// Values that are set, sorted into those that elaboration reads and those that are bound for a run.
///
/// Problem      names come with or without quotes and may mean whole arrays; sizes, data of tables and Strings are read while the text is
///              elaborated, all else is a number of the run; what a name means may depend on sizes that are set with it
/// Method       the model is elaborated with what is known to be structural; a value that turns out to be structural there joins
///              them, until none does. A list for an array of another size is structural: its declaration may leave the size open (`[:]`).
/// Contract     the last value for an element counts, whether it came alone or with its array
/// Fails when   a name is unknown, what it names is final, kinds or sizes differ: an error for each
/// Checked by   tests/unit/api/set_values_test.cpp
#pragma once

#include <vector>

#include "api/model/model_data.hpp"
#include "saltus/set_value.hpp"

namespace saltus::api {

struct SortedSet {
  std::shared_ptr<const Result<Elaborated>> elaborated;  ///< a model
  program::ParameterOverrides values;      ///< of its parameters, and start values of its variables
  ModelData::StructuralValues structural;  ///< what it was elaborated with
};

[[nodiscard]] Result<SortedSet> sort_set(const ModelData& model, const std::vector<SetValue>& set);

/// What is wrong with `set` as far as the text's own sizes show it: unknown names, constants, values of the wrong kind.
[[nodiscard]] Diagnostics check_set(const ModelData& model, const std::vector<SetValue>& set);

}  // namespace saltus::api
