// Numbers between Python and spans.
#pragma once

#include <pybind11/numpy.h>

#include <span>
#include <string>

namespace saltus::python {

/// A new array with these numbers: functions of users may keep what they get.
[[nodiscard]] pybind11::array_t<double> copied(std::span<const double> numbers);

/// What a function has returned: a list, a tuple, an array or a number, as many numbers as `into` has places. Else ValueError or TypeError, which
/// names the function.
void read_numbers(const pybind11::handle& returned, std::span<double> into, const std::string& function);

}  // namespace saltus::python
