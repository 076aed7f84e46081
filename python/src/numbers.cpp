#include "numbers.hpp"

#include <algorithm>

namespace saltus::python {

namespace py = pybind11;

namespace {

// Lists of plain numbers, the usual thing, without the detour over an array. False: something else is in it.
bool read_sequence(PyObject* const* items, std::span<double> into) {
  for (std::size_t i = 0; i < into.size(); ++i) {
    if (PyFloat_Check(items[i]) == 0 && PyLong_Check(items[i]) == 0) {
      return false;
    }
    into[i] = PyFloat_AsDouble(items[i]);
  }
  return PyErr_Occurred() == nullptr;
}

[[noreturn]] void refuse(const py::handle& returned, std::size_t n, const std::string& function) {
  PyErr_Clear();
  const py::object shape = py::module_::import("numpy").attr("shape")(returned);
  throw py::value_error(function + " has returned something of the shape " +
                        py::repr(shape).cast<std::string>() + " and not " + std::to_string(n) +
                        (n == 1 ? " number" : " numbers"));
}

}  // namespace

py::array_t<double> copied(std::span<const double> numbers) {
  py::array_t<double> array(
      static_cast<py::ssize_t>(numbers.size()));  // not from a pointer, which copies by way of a second array
  std::copy(numbers.begin(), numbers.end(), array.mutable_data());
  return array;
}

void read_numbers(const py::handle& returned, std::span<double> into, const std::string& function) {
  PyObject* const object = returned.ptr();
  if ((PyList_CheckExact(object) || PyTuple_CheckExact(object)) &&
      PySequence_Fast_GET_SIZE(object) == static_cast<py::ssize_t>(into.size()) &&
      read_sequence(PySequence_Fast_ITEMS(object), into)) {
    return;
  }
  PyErr_Clear();
  if (into.size() == 1 && PyFloat_Check(object) != 0) {
    into[0] = PyFloat_AS_DOUBLE(object);
    return;
  }
  if (object == Py_None) {
    throw py::value_error(function + " has returned None");
  }
  if (py::isinstance<py::array>(returned) && returned.attr("dtype").attr("kind").cast<std::string>() == "c") {
    throw py::value_error(function + " has returned complex numbers; saltus has real ones only");
  }
  const auto numbers = py::array_t<double, py::array::c_style | py::array::forcecast>::ensure(returned);
  if (!numbers || static_cast<std::size_t>(numbers.size()) != into.size()) {
    refuse(returned, into.size(), function);
  }
  std::copy_n(numbers.data(), into.size(), into.begin());
}

}  // namespace saltus::python
