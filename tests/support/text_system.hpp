// A system from text, and rounds of it as a run would ask for them.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "program/compiled_system.hpp"
#include "support/compile_text.hpp"

namespace saltus::program::test {

inline Result<std::shared_ptr<const system::HybridSystem>> build_text(
    const std::string& text, lang::Dialect dialect = lang::Dialect::modelica,
    const ParameterOverrides& overrides = {}) {
  return build_system(std::make_shared<const flat::Model>(saltus::test::compile_text(text, dialect)),
                      overrides);
}

class TextSystem {
 public:
  explicit TextSystem(const std::string& text, lang::Dialect dialect = lang::Dialect::modelica,
                      double t = 0.0, const ParameterOverrides& overrides = {})
      : hybrid(take(build_text(text, dialect, overrides))), initial(take(hybrid->initial(t))) {
    enter(initial.configuration.mode);
    x = initial.x;
    values = initial.values;
    configuration = initial.configuration;
    inputs.t = t;
    fired.assign(hybrid->actions().size(), 0);
    clocks.assign(static_cast<std::size_t>(hybrid->n_clocks()), 0);
  }

  /// One round; on success values, x and the discrete values become those after it.
  system::Evaluation round() {
    inputs.configuration = &configuration;
    inputs.previous = values;
    inputs.x_previous = x;
    inputs.fired = fired;
    inputs.clocks = clocks;
    system::Evaluation evaluation = solver->solve(inputs, solution);
    if (evaluation.ok()) {
      take_solution();
    }
    return evaluation;
  }
  /// After a round: what its bodies reinitialise then.
  system::Evaluation reinitialise() {
    const std::vector<double> reinits = solution.reinits;
    const std::vector<double> triggers = solution.triggers;
    const std::vector<double> messages = solution.messages;
    inputs.previous = values;
    inputs.x_previous = x;
    inputs.reinits = reinits;
    const system::Evaluation evaluation = solver->solve(inputs, solution);
    inputs.reinits = {};
    solution.triggers = triggers;
    solution.messages = messages;
    if (evaluation.ok()) {
      take_solution();
    }
    return evaluation;
  }
  void fire(std::vector<std::size_t> actions) {
    fired.assign(fired.size(), 0);
    for (const std::size_t action : actions) {
      fired[action] = 1;
    }
    system::Evaluation evaluation = round();
    if (evaluation.ok() && !solution.reinits.empty()) {
      evaluation = reinitialise();
    }
    EXPECT_TRUE(evaluation.ok()) << solver->describe(evaluation, inputs.t);
    fired.assign(fired.size(), 0);
  }
  void enter(ModeId mode) {
    configuration.mode = mode;
    locked = hybrid->lock(mode).value();
    evaluator = locked->make_evaluator();
    solver = hybrid->rounds(mode).value();
    if (solver) {
      solver->prepare(solution);
    }
  }

  std::size_t column(const std::string& name) const {
    for (std::size_t i = 0; i < hybrid->variables().size(); ++i) {
      if (hybrid->variables()[i].name == name) {
        return i;
      }
    }
    throw std::runtime_error("no variable " + name);
  }
  double operator[](const std::string& name) const { return values[column(name)]; }
  std::size_t guard(const std::string& condition) const {
    for (std::size_t i = 0; i < hybrid->guards().size(); ++i) {
      if (hybrid->guards()[i].condition == condition) {
        return i;
      }
    }
    throw std::runtime_error("no guard of " + condition);
  }
  std::vector<double> rhs(double t, const std::vector<double>& at) {
    evaluator->set_configuration(configuration);
    std::vector<double> xdot(at.size());
    EXPECT_TRUE(evaluator->rhs(t, at, xdot).ok());
    return xdot;
  }
  system::Schedule next(double t, double direction = 1.0, bool inclusive = false, double scale = 10.0) const {
    system::Schedule schedule;
    hybrid->next_scheduled(configuration, t, direction, scale, inclusive, schedule);
    return schedule;
  }

  std::shared_ptr<const system::HybridSystem> hybrid;
  system::InitialPoint initial;
  std::shared_ptr<const system::LockedDae> locked;
  std::unique_ptr<system::Evaluator> evaluator;
  std::unique_ptr<system::RoundSolver> solver;
  system::RoundSolution solution;
  system::RoundInputs inputs;
  system::Configuration configuration;
  std::vector<double> x;
  std::vector<double> values;
  std::vector<std::uint8_t> fired;
  std::vector<std::uint8_t> clocks;

 private:
  void take_solution() {
    values = solution.values;
    x = solution.x;
    configuration.discrete = solution.discrete;
  }

  template <class T>
  static T take(Result<T> result) {
    if (!result) {
      throw std::runtime_error(render_text(result.error()));
    }
    return *std::move(result);
  }
};

}  // namespace saltus::program::test
