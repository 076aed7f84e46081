/// Problem      does every relation of the mode have the truth of its operands?
/// Method       the value of each guard against the side that is latched. A guard may lie beyond its surface by what the states are known
///              to: by its noise and κ tolerances of what it depends on (the e_g of docs/math/event_location.md)
/// Contract     Left out: guards that are slid on, stay zero, lie on their surface, are still leaving it, or wait for a dwell to end
///              (the caller names these), and guards that hold whole numbers. Allocates on growth only.
/// Cost         the values of all guards; a gradient for each that is beyond its noise on the wrong side
/// Checked by   tests/unit/settle/relation_check_test.cpp
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "integrate/step/error_norm.hpp"
#include "system/guards.hpp"
#include "system/locked_dae.hpp"

namespace saltus::settle {

class RelationCheck {
 public:
  struct Wrong {
    Index guard = -1;
    double value = 0.0;
    double side = 0.0;
    double allowed = 0.0;
  };

  /// `guards` to look at; `latched` by guard of the model. The guard that is furthest on the wrong side, or none.
  [[nodiscard]] std::optional<Wrong> look(system::Evaluator& evaluator, std::span<const Index> guards,
                                          std::span<const double> latched, double t,
                                          std::span<const double> x, double time_error,
                                          const integrate::Tolerances& tolerances);

 private:
  std::vector<double> values_;
  std::vector<double> gradient_;
};

}  // namespace saltus::settle
