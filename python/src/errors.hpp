// Diagnostics as Python sees them: objects, and exceptions that hold them.
#pragma once

#include <pybind11/pybind11.h>

#include "saltus/diagnostic.hpp"
#include "saltus/result.hpp"

namespace saltus::python {

/// A list of _core.Diagnostic.
[[nodiscard]] pybind11::list to_python(const Diagnostics& diagnostics);

/// Raises saltus.ModelError with the text and the list of the diagnostics.
[[noreturn]] void raise(const Diagnostics& diagnostics);

/// … if there is an error among them.
void raise_errors(const Diagnostics& diagnostics);

template <class T>
T value_or_raise(Result<T> result) {
  if (!result) {
    raise(result.error());
  }
  return *std::move(result);
}

}  // namespace saltus::python
