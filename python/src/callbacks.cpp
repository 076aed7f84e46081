#include "bindings.hpp"

namespace saltus::python {

void bind_callbacks(py::module_& /*module*/) {}

}  // namespace saltus::python
