/// Values of all variables of a model (continuous and discrete, in the model's order) from its states.
#pragma once

#include <span>

#include "base/interface.hpp"
#include "system/evaluation.hpp"

namespace saltus::system {

class Outputs : public Interface {
 public:
  /// At (t, x).
  virtual Evaluation outputs(double t, std::span<const double> x, std::span<double> values) = 0;
  /// At `width` points at once: x is [state][point], values is [variable][point].
  virtual Evaluation outputs_block(std::span<const double> t, std::span<const double> x,
                                   std::span<double> values) = 0;
  /// Iterations inside outputs() and outputs_block() begin at their last solution too. These are read and set in the
  /// order and number of InitialPoint::guess, for whoever evaluates at times that are not in order.
  virtual void copy_output_solutions(std::span<double> /*guess*/) const {}
  virtual void set_output_solutions(std::span<const double> /*guess*/) {}
};

}  // namespace saltus::system
