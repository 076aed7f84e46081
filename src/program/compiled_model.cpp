#include "program/compiled_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "program/guards/diagnostic_codes.hpp"
#include "program/unsupported.hpp"
#include "program/zero_parameters.hpp"

namespace saltus::program {

CompiledModel::CompiledModel(std::shared_ptr<const flat::Model> model)
    : model_(std::move(model)),
      is_in_equations_(parameters_of_equations(*model_)),
      codes_(std::clamp<std::size_t>(kMostKeptNodes / (model_->graph.size() + 1), 1, kMostSignatures)) {
  for (std::size_t i = 0; i < model_->parameters.size(); ++i) {
    parameters_.emplace(model_->parameters[i].name, ParameterId(i));
  }
  for (std::size_t i = 0; i < model_->variables.size(); ++i) {
    variables_.emplace(model_->variables[i].name, VariableId(i));
  }
}

ParameterId CompiledModel::parameter(std::string_view name) const {
  const auto found = parameters_.find(name);
  return found == parameters_.end() ? ParameterId() : found->second;
}

VariableId CompiledModel::variable(std::string_view name) const {
  const auto found = variables_.find(name);
  return found == variables_.end() ? VariableId() : found->second;
}

// The last of several values for one name counts.
GivenValues CompiledModel::resolve(const ParameterOverrides& overrides, Diagnostics& diagnostics) const {
  GivenValues given;
  for (const auto& [name, value] : overrides) {
    if (const ParameterId id = parameter(name); id.valid()) {
      const flat::Parameter& target = (*model_)[id];
      if (target.is_constant || target.is_final || target.is_structural ||
          target.type == flat::Type::string) {
        diagnostics.error(kOverrideRefused,
                          fmt::format("the value of '{}' cannot be changed any more", name));
        continue;
      }
      given.parameters.resize(model_->parameters.size());
      given.parameters[id.index()] = value;
    } else if (const VariableId started = variable(name); started.valid()) {
      given.starts.emplace_back(started, value);
    } else {
      diagnostics.error(kUnknownOverride, fmt::format("the model has no parameter or variable '{}'", name));
    }
  }
  const auto is_before = [](const auto& one, const auto& other) { return one.first < other.first; };
  std::stable_sort(given.starts.begin(), given.starts.end(), is_before);
  auto last = given.starts.begin();
  for (auto next = given.starts.begin(); next != given.starts.end(); ++next) {
    last = last != given.starts.begin() && std::prev(last)->first == next->first ? std::prev(last) : last;
    *last++ = *next;
  }
  given.starts.erase(last, given.starts.end());
  return given;
}

Signature CompiledModel::signature_of(const GivenValues& given, ParameterValues& values,
                                      Diagnostics& diagnostics) const {
  Signature signature;
  const std::vector<double> numbers = values.all(diagnostics);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (is_in_equations_[i] != 0 && numbers[i] == 0.0) {
      signature.zeros.emplace_back(i);
    }
  }
  for (const auto& [variable, value] : given.starts) {
    signature.starts.push_back(variable);
  }
  if (model_->modes.empty()) {
    return signature;
  }
  const double mode = values.of(model_->initial_mode).value_or(-1.0);
  if (mode >= 0.0 && mode < static_cast<double>(model_->modes.size())) {
    signature.initial_mode = static_cast<std::size_t>(mode);
  } else {
    diagnostics.error(kInitialModeUnknown, "the initial mode does not follow from the parameters",
                      model_->modes.front().span);
  }
  return signature;
}

Result<std::shared_ptr<const system::HybridSystem>> CompiledModel::system(const ParameterOverrides& overrides,
                                                                          const BuildOptions& options) const {
  Diagnostics diagnostics(model_->source);
  GivenValues given = resolve(overrides, diagnostics);
  ParameterValues values(*model_, given.parameters);
  const Signature signature = signature_of(given, values, diagnostics);
  diagnostics.append(check_values(*model_, values));
  if (diagnostics.has_errors()) {
    return Unexpected(std::move(diagnostics));
  }
  const std::shared_ptr<const Code> code = codes_.get(Key{signature, options}, [&] {
    return std::make_shared<const Code>(build_code(model_, signature, options));
  });
  if (!*code) {
    return Unexpected(code->error());
  }
  values.move_to((**code)->model, given_to((**code)->model, given));
  std::shared_ptr<const SystemData> data = bind_system(**code, values);
  return make_system(std::move(data), std::move(given));
}

}  // namespace saltus::program
