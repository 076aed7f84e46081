// Values of inputs from outside: tables over time, and functions of it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "saltus/result.hpp"

namespace saltus {

/// What an input is between the rows of its table. Outside of them it has the first and the last value.
enum class InputRule {
  linear,  ///< on the straight line between two rows; a time given twice is a step
  hold,    ///< the value of the row before
  cubic,   ///< on the natural spline, with two continuous derivatives
};

/// Columns of values at ascending times. Where the interpolant is not smooth there is a time event.
struct InputTable {
  struct Column {
    std::string name;  ///< of an `input` of the model, an array element as "u[1]"
    std::vector<double> values;
  };
  std::vector<double> times;
  std::vector<Column> columns;
  std::string source{};  ///< where it comes from, for messages
};

/// A Real input as a function of time. It is interpolated once, before the run, from the start to the stop, to twelve digits, and is smooth
/// between `breaks`; derivatives of it that the equations need are those of the interpolant. Values that are not finite, exceptions, and jumps
/// that are not among the breaks are errors (`input-function-failed`).
struct InputFunction {
  std::string name;  ///< of an `input` of the model, an array element as "u[1]"
  std::function<double(double time)> value;
  std::vector<double> breaks{};  ///< where it or a derivative jumps, ascending; value() is that after
};

/// Reads a CSV file: the first row has names, one of them `time`; all other rows are numbers.
[[nodiscard]] Result<InputTable> read_input_table(const std::string& path);

}  // namespace saltus
