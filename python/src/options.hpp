// Options of a run from a Python dictionary.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>

#include "callable.hpp"
#include "saltus/options.hpp"

namespace saltus::python {

/// Keys are names of long options of the command line with underscores for dashes; values are texts, numbers, truths, and lists of these for options that
/// may be repeated. Besides: `set` (names with values), `times`, `input_tables` ((times, {name: values}, source)), `input_functions` ((name,
/// function, breaks)), `modes` ({mode: {option: value}}), `keep_dense`, `keep_rows`, `progress`. None: not given. Raises
/// ModelError with all that is wrong with names and texts. What functions raise goes to `raised`.
[[nodiscard]] SimulationOptions make_options(const pybind11::dict& given,
                                             const std::shared_ptr<Raised>& raised);

/// A number, a truth, a text or nested lists of them; arrays of numpy are lists.
[[nodiscard]] GivenValue given_value(const pybind11::handle& value);
[[nodiscard]] std::vector<SetValue> set_values(const pybind11::handle& names_with_values);

}  // namespace saltus::python
