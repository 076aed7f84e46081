// Plain structures of the C++ interface as dictionaries; the package makes named records of them.
#pragma once

#include <pybind11/pybind11.h>

#include <vector>

#include "saltus/model.hpp"
#include "saltus/run_statistics.hpp"

namespace saltus::python {

[[nodiscard]] pybind11::list descriptions(const std::vector<VariableInfo>& variables);
[[nodiscard]] pybind11::list descriptions(const std::vector<ParameterInfo>& parameters);
[[nodiscard]] pybind11::dict description(const ExperimentInfo& experiment);
[[nodiscard]] pybind11::dict description(const Statistics& statistics);

}  // namespace saltus::python
