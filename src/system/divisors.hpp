/// Numbers by which rates are divided: where one changes its sign the equations are singular.
#pragma once

#include <span>
#include <string>

#include "base/ids.hpp"
#include "base/interface.hpp"
#include "system/evaluation.hpp"

namespace saltus::system {

/// A number that unknowns are divided by.
struct DivisorInfo {
  std::string text;         ///< for a person, "what der(x) is divided by in '…'"; empty: nothing is known
  bool gives_rates = true;  ///< derivatives of states are among these unknowns
};

class Divisors : public Interface {
 public:
  /// Numbers by which rates are divided at (t, x), as many as n_divisors(), continuous along a solution: coefficients, or scaled
  /// determinants of implicit blocks.
  [[nodiscard]] virtual Index n_divisors() { return 0; }
  virtual Evaluation divisors(double /*t*/, std::span<const double> /*x*/, std::span<double> /*values*/) {
    return {};
  }
  [[nodiscard]] virtual DivisorInfo divisor_info(Index /*divisor*/) const { return {}; }
};

}  // namespace saltus::system
