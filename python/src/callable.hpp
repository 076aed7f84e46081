// Python functions as C++ functions: copied, called and dropped with or without the lock of the interpreter.
#pragma once

#include <pybind11/pybind11.h>

#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

namespace saltus::python {

/// What a Python function of a run has raised first. The library turns it into the end of the run; the caller of the run raises it again.
class Raised {
 public:
  /// With the lock held, in a handler of error_already_set. The text is what the library says of it meanwhile.
  [[noreturn]] void keep(const pybind11::error_already_set& error) {
    if (!first_) {
      first_ = error;
    }
    throw std::runtime_error(error.what());
  }
  /// With the lock held.
  void rethrow() {
    if (first_) {
      const pybind11::error_already_set error = *first_;
      first_.reset();
      throw error;
    }
  }

 private:
  std::optional<pybind11::error_already_set> first_;
};

/// A Python object whose last copy may go without the lock.
class SharedObject {
 public:
  explicit SharedObject(pybind11::object object)
      : object_(new pybind11::object(std::move(object)), [](pybind11::object* held) {
          const pybind11::gil_scoped_acquire lock;
          delete held;
        }) {}
  [[nodiscard]] const pybind11::object& get() const { return *object_; }

 private:
  std::shared_ptr<pybind11::object> object_;
};

}  // namespace saltus::python
