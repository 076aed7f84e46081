/// --sens: which parameters and start values sensitivities are asked for.
///
/// Contract     A name is a Real parameter that may be set, or a variable, whose start value is then meant (`start(x)` says the same); that of an
///              array means all its elements. `all`: every Real parameter that may be set and that elaboration does not read; `starts`: the start
///              value of every state of the initial mode. What several items name stands once, where it is named first. What stands in
///              quotes as a whole is a name, never a word.
/// Fails when   a name is unknown, or what it names is no number that moves: an error for each
/// Checked by   tests/unit/api/sensitivity_names_test.cpp
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "api/model/instance.hpp"
#include "saltus/options.hpp"
#include "saltus/result.hpp"
#include "sensitivity/field/setup.hpp"

namespace saltus::api {

struct SensitivityTarget {
  std::string name;
  bool is_start = false;
  std::size_t place = 0;  ///< in flat::Model::parameters, or variables
  double value = 0.0;     ///< in this instance; of a start value that is not given: 0
  double size = 1.0;      ///< |value|; where that is 0 the nominal value of the variable, or 1
};

[[nodiscard]] inline sensitivity::Side side_of(SensitivitySide side) {
  return side == SensitivitySide::plus    ? sensitivity::Side::plus
         : side == SensitivitySide::minus ? sensitivity::Side::minus
                                          : sensitivity::Side::none;
}

/// `t`: start of the run. `option`: that messages name.
[[nodiscard]] Result<std::vector<SensitivityTarget>> choose_targets(const std::vector<std::string>& items,
                                                                    const Instance& instance, double t,
                                                                    std::string_view option = "--sens");

}  // namespace saltus::api
