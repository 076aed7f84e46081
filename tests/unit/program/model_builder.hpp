// Flat models by hand, for tests of this folder.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "flat/model.hpp"

namespace saltus::program::test {

class ModelBuilder {
 public:
  /// `text` gives spans to equations and conditions: each is looked up in it.
  explicit ModelBuilder(std::string text = {}) {
    model_.name = "M";
    model_.source = std::make_shared<const SourceText>("M.mo", std::move(text));
  }

  expr::Graph& g() { return model_.graph; }
  flat::Model& model() { return model_; }

  VariableId variable(const std::string& name) {
    flat::Variable variable;
    variable.name = name;
    model_.variables.push_back(variable);
    return VariableId(model_.variables.size() - 1);
  }
  VariableId state(const std::string& name, double start) {
    const VariableId id = variable(name);
    model_.variables.back().start = g().constant(start);
    model_.variables.back().fixed = true;
    return id;
  }
  NodeId parameter(const std::string& name, NodeId value) {
    flat::Parameter parameter;
    parameter.name = name;
    parameter.value = value;
    model_.parameters.push_back(parameter);
    return g().parameter(ParameterId(model_.parameters.size() - 1));
  }
  NodeId condition(NodeId guard, const std::string& text) {
    model_.guards.push_back({guard});
    flat::Condition condition;
    condition.guard = GuardId(model_.guards.size() - 1);
    condition.text = text;
    condition.span = span_of(text);
    model_.conditions.push_back(condition);
    return g().condition(ConditionId(model_.conditions.size() - 1));
  }
  void equation(NodeId left, NodeId right, const std::string& text = {}) {
    model_.equations.push_back({left, right, span_of(text)});
  }
  [[nodiscard]] std::shared_ptr<const flat::Model> build() const {
    return std::make_shared<const flat::Model>(model_);
  }

 private:
  [[nodiscard]] SourceSpan span_of(const std::string& text) const {
    const std::size_t at = text.empty() ? std::string::npos : model_.source->text().find(text);
    return at == std::string::npos
               ? SourceSpan{}
               : SourceSpan{static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(text.size())};
  }

  flat::Model model_;
};

}  // namespace saltus::program::test
