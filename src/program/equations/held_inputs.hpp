/// What programs of a mode hold between events: the values of the conditions, then the discrete values.
///
/// Contract     set_configuration() and set_latched() mean what system::Evaluator says of them and hand every held input
///              that may have changed to `set(input, value)`, inputs counted from 0.
/// Cost         set_configuration: one comparison per guard and discrete value, and the conditions over those that changed.
/// Checked by   tests/unit/program/equation_program_test.cpp, tests/unit/program/compiled_system_test.cpp
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "base/archive.hpp"
#include "program/guards/condition_inputs.hpp"
#include "saltus/contract.hpp"
#include "system/configuration.hpp"

namespace saltus::program {

class HeldInputs {
 public:
  HeldInputs(const ConditionInputs& conditions, std::size_t n_discrete)
      : conditions_(conditions),
        latched_(conditions.guards().size(), std::numeric_limits<double>::quiet_NaN()),
        discrete_(n_discrete, std::numeric_limits<double>::quiet_NaN()) {}

  template <class Set>
  void set_configuration(const system::Configuration& configuration, Set set) {
    SALTUS_EXPECT(
        configuration.latched.size() == latched_.size() && configuration.discrete.size() == discrete_.size(),
        "the configuration is not one of this system");
    for (std::size_t guard = 0; guard < latched_.size(); ++guard) {
      if (configuration.latched[guard] != latched_[guard]) {
        latch(guard, configuration.latched[guard], false, set);
      }
    }
    for (std::size_t i = 0; i < discrete_.size(); ++i) {
      if (configuration.discrete[i] != discrete_[i]) {
        set_discrete(i, configuration.discrete[i], set);
      }
    }
  }

  template <class Set>
  void set_latched(std::size_t guard, double value, Set set) {
    if (!is_side(value) || value != latched_[guard]) {
      latch(guard, value, true, set);
    }
  }

  /// Takes over what another one was told; the held inputs themselves are copied elsewhere.
  void adopt(const HeldInputs& other) {
    latched_ = other.latched_;
    discrete_ = other.discrete_;
  }

  template <class Set>
  void set_discrete(std::size_t i, double value, Set set) {
    discrete_[i] = value;
    set(conditions_.n_conditions() + i, value);
  }

  void fields(Archive& a) { a(latched_, discrete_); }

 private:
  [[nodiscard]] static bool is_side(double value) { return std::abs(value) == 1.0; }

  template <class Set>
  void latch(std::size_t guard, double value, bool is_weight, Set set) {
    // A weight 0 is not the 0 of a configuration: nothing compares equal to what is kept for it. A side is the same in both.
    latched_[guard] = is_weight && !is_side(value) ? std::numeric_limits<double>::quiet_NaN() : value;
    for (const ConditionInputs::Use& use : conditions_.of_guard(guard)) {
      set(use.condition, ConditionInputs::value_in_equations(use, value, is_weight));
    }
  }

  const ConditionInputs& conditions_;
  std::vector<double> latched_;   // as set last, by guard; NaN: not by a configuration
  std::vector<double> discrete_;  // as set last
};

}  // namespace saltus::program
