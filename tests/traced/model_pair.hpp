/// A model written twice: as text, and as an ordinary C++ function.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "saltus/simulate.hpp"
#include "saltus/traced_model.hpp"

namespace saltus::traced_test {

using Values = std::vector<std::pair<std::string_view, double>>;

struct ModelPair {
  std::string name;
  std::string text;  ///< of .mo: declarations and equations, without `model …` and `end …`
  Values states = {};
  Values parameters = {};
  std::vector<std::string_view> algebraic = {};
  double stop = 10.0;
  TracedFunction function = {};
  void (*more)(TracedModel& model) = nullptr;  ///< clauses, arrays, …
  /// The function decides in an order of its own: the programs do the same, but are not equal.
  bool has_other_program = false;
  bool has_other_guard = false;  ///< over the same surface
};

[[nodiscard]] inline TracedModel traced(const ModelPair& pair) {
  TracedModel model(pair.name);
  for (const auto& [name, start] : pair.states) {
    model.state(name, {.start = start});
  }
  for (const auto& [name, value] : pair.parameters) {
    model.parameter(name, value);
  }
  for (const std::string_view name : pair.algebraic) {
    model.algebraic(name);
  }
  if (pair.more != nullptr) {
    pair.more(model);
  }
  model.residual(pair.function);
  return model;
}

[[nodiscard]] inline Model from_text(const ModelPair& pair) {
  return Model::from_text(pair.name + ".mo",
                          "model " + pair.name + "\n" + pair.text + "\nend " + pair.name + ";\n")
      .value();
}

[[nodiscard]] std::vector<ModelPair> all_pairs();
[[nodiscard]] std::vector<ModelPair> mechanical_pairs();
[[nodiscard]] std::vector<ModelPair> circuit_pairs();
[[nodiscard]] std::vector<ModelPair> control_pairs();

}  // namespace saltus::traced_test
