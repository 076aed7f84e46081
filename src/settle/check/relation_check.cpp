#include "settle/check/relation_check.hpp"

#include <algorithm>
#include <cmath>

#include "locate/step_ranges.hpp"

namespace saltus::settle {

std::optional<RelationCheck::Wrong> RelationCheck::look(system::Evaluator& evaluator,
                                                        std::span<const Index> guards,
                                                        std::span<const double> latched, double t,
                                                        std::span<const double> x, double time_error,
                                                        const integrate::Tolerances& tolerances) {
  values_.resize(guards.size());
  if (guards.empty() || !evaluator.guards(guards, t, x, values_).ok()) {
    return std::nullopt;
  }
  std::optional<Wrong> worst;
  for (std::size_t k = 0; k < guards.size(); ++k) {
    const double side = latched[static_cast<std::size_t>(guards[k])];
    if (!(side * values_[k] < 0.0) || std::abs(values_[k]) <= evaluator.guard_noise(guards[k], t, x)) {
      continue;
    }
    gradient_.resize(x.size());
    double time_slope = 0.0;
    if (!evaluator.guard_gradient(guards[k], t, x, gradient_, time_slope).ok()) {
      continue;
    }
    double allowed = evaluator.guard_noise(guards[k], t, x) + std::abs(time_slope) * time_error;
    const double kappa = locate::extension_kappa(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      allowed += kappa * std::abs(gradient_[i]) * (tolerances.atol[i] + tolerances.rtol * std::abs(x[i]));
    }
    if (std::abs(values_[k]) > allowed && (!worst || std::abs(values_[k]) > std::abs(worst->value))) {
      worst = Wrong{guards[k], values_[k], side, allowed};
    }
  }
  return worst;
}

}  // namespace saltus::settle
