// Models with guards from text, causalised and with their guards compiled; conditions are the held inputs.
#pragma once

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "program/guards/guard_blend.hpp"
#include "program/guards/guard_set.hpp"
#include "program/guards/parameter_values.hpp"
#include "structure/causalize.hpp"
#include "support/compile_text.hpp"

namespace saltus::program::test {

class GuardedModel {
 public:
  explicit GuardedModel(const std::string& text) : model(saltus::test::compile_text(text)) {
    normalize_same_guard_choices(model);
    Result<structure::Causalized> result = structure::causalize(model);
    if (!result) {
      throw std::runtime_error(render_text(result.error()));
    }
    causalized = *std::move(result);
    ParameterValues parameters(model);
    Diagnostics diagnostics;
    parameter_values = parameters.all(diagnostics);
    GuardSetRequest request;
    for (const flat::Guard& guard : model.guards) {
      guards.push_back(guard.expression);
    }
    request.guards = guards;
    request.blocks = causalized.blocks;
    request.states = causalized.states;
    request.derivatives = causalized.derivatives;
    request.n_frozen_inputs = parameter_values.size();
    for (std::size_t i = 0; i < model.conditions.size(); ++i) {
      request.bindings.bind_condition(ConditionId(i),
                                      {Binding::Kind::input, static_cast<std::uint32_t>(1 + i)});
    }
    request.n_held = static_cast<std::uint32_t>(model.conditions.size());
    set.emplace(std::make_shared<const GuardCode>(model.graph, request), parameter_values,
                [](const structure::Unknown&) {
                  return UnknownScale{0.5, 1.0};
                });
    runner.emplace(*set);
  }

  /// Sets the conditions over a guard as its side or weight says.
  void latch(std::size_t guard, double s) {
    using Kind = flat::Condition::Kind;
    for (std::size_t i = 0; i < model.conditions.size(); ++i) {
      const flat::Condition& condition = model.conditions[i];
      if (condition.guard.valid() && condition.guard.index() == guard) {
        const bool up = condition.kind == Kind::greater || condition.kind == Kind::greater_equal;
        runner->set_held(i, up ? (1.0 + s) / 2.0 : (1.0 - s) / 2.0);
      }
    }
  }
  double value(Index guard, double t, const std::vector<double>& x) {
    double result = 0.0;
    const system::Evaluation evaluation =
        runner->values(std::span<const Index>(&guard, 1), t, x, std::span<double>(&result, 1));
    if (!evaluation.ok()) {
      throw std::runtime_error("guard cannot be evaluated");
    }
    return result;
  }

  flat::Model model;
  structure::Causalized causalized;
  std::vector<double> parameter_values;
  std::vector<NodeId> guards;
  std::optional<GuardSet> set;
  std::optional<GuardRunner> runner;
};

}  // namespace saltus::program::test
