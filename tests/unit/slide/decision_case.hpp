/// A system with switches, its evaluator and what is asked of the decision there: for tests of decisions.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "slide/decide/decision.hpp"
#include "support/switched_evaluator.hpp"

namespace saltus::slide {

/// x' = plus where s = +1, minus where s = -1, and the blend between; the guard is x.
inline test::SwitchedSystem two_sides(double plus, double minus) {
  test::SwitchedSystem system;
  system.n_states = 1;
  system.guards = {test::SwitchedSystem::linear({1.0})};
  system.rhs = [plus, minus](double, test::SwitchedSystem::Point, test::SwitchedSystem::Sides s,
                             std::span<double> xdot) {
    xdot[0] = 0.5 * (1.0 + s[0]) * plus + 0.5 * (1.0 - s[0]) * minus;
  };
  return system;
}

/// A system, its evaluator and what is asked of it.
class Case {
 public:
  explicit Case(test::SwitchedSystem given)
      : system(std::move(given)),
        evaluator(system),
        decider(system.n_states, evaluator.infos),
        x(static_cast<std::size_t>(system.n_states), 0.0) {
    for (std::size_t i = 0; i < system.guards.size(); ++i) {
      zero.push_back(static_cast<Index>(i));
    }
  }
  const Decision& decide(const std::vector<double>& before) {
    point.x = x;
    point.leaving = leaving;
    return decider.decide(evaluator, point, zero, before, evaluator.configuration);
  }

  test::SwitchedSystem system;
  test::SwitchedEvaluator evaluator;
  Decider decider;
  std::vector<double> x;
  std::vector<Index> zero;
  std::vector<double> leaving;
  DecisionPoint point;
};

}  // namespace saltus::slide
