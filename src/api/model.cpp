#include "saltus/model.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include "api/model/library_folders.hpp"
#include "api/model/model_data.hpp"
#include "api/results/work_guard.hpp"
#include "flat/columns.hpp"
#include "flat/discrete_definitions.hpp"
#include "lang/class_choice.hpp"
#include "lang/compile.hpp"
#include "structure/causalize.hpp"

namespace saltus {
namespace api {

ValueType value_type(flat::Type type) {
  switch (type) {
    case flat::Type::real: return ValueType::real;
    case flat::Type::integer: return ValueType::integer;
    case flat::Type::boolean: return ValueType::boolean;
    case flat::Type::string: return ValueType::string;
  }
  return ValueType::real;
}

namespace {

ExperimentInfo describe_experiment(const flat::Model& model) {
  const flat::Experiment& experiment = model.experiment;
  ExperimentInfo info{experiment.start, experiment.stop, experiment.tolerance, experiment.interval, {}};
  for (const flat::Experiment::Option& option : experiment.options) {
    const std::string mode = option.mode.valid() ? model.modes[option.mode.index()].name : std::string();
    info.options.push_back({option.name, option.value, option.span, mode});
  }
  return info;
}

}  // namespace

namespace {

// Of modes whose structure does not determine their unknowns: they run, by ranks, but a person should know.
Diagnostics structural_warnings(const flat::Model& model) {
  Diagnostics warnings(model.source);
  flat::Model copy = model;
  flat::put_in_definitions(copy);
  for (std::size_t i = 0; i < std::max<std::size_t>(1, model.modes.size()); ++i) {
    Result<structure::Causalized> causalized =
        structure::causalize(copy, model.modes.empty() ? ModeId{} : ModeId(i));
    if (causalized && causalized->needs_ranks) {
      warnings.append(std::move(causalized->warnings));
    }
  }
  return warnings;
}

// "a[2,3]" → "a" and {2, 3}; no indices: none. Those of the last brackets: "r[1].k[2]" is an element of r[1].k.
struct Element {
  std::string_view array;
  std::vector<std::size_t> indices;
};

Element element_of(std::string_view name) {
  const std::size_t open = name.ends_with(']') ? name.rfind('[') : std::string_view::npos;
  Element element;
  if (open == std::string_view::npos) {
    return element;
  }
  element.array = name.substr(0, open);
  std::size_t index = 0;
  for (const char c : name.substr(open + 1)) {
    if (c >= '0' && c <= '9') {
      index = 10 * index + static_cast<std::size_t>(c - '0');
    } else {
      element.indices.push_back(index);
      index = 0;
    }
  }
  return element;
}

template <class Info>
void describe_arrays(std::vector<Info>& list) {
  std::map<std::string_view, std::vector<std::size_t>> sizes;
  for (const Info& info : list) {
    const Element element = element_of(info.name);
    std::vector<std::size_t>& size = sizes[element.array];
    size.resize(std::max(size.size(), element.indices.size()));
    for (std::size_t k = 0; k < element.indices.size(); ++k) {
      size[k] = std::max(size[k], element.indices[k]);
    }
  }
  for (Info& info : list) {
    if (const Element element = element_of(info.name); !element.indices.empty()) {
      info.dimensions = sizes[element.array];
    }
  }
}

void describe_declaration(const flat::Declared* declared, auto& info) {
  if (declared != nullptr) {
    info.display_unit = declared->display_unit;
    info.declared_type = declared->type;
  }
}

}  // namespace

std::vector<ParameterInfo> describe_parameters(const flat::Model& model, program::ParameterValues& values) {
  std::vector<ParameterInfo> list;
  list.reserve(model.parameters.size());
  for (std::size_t i = 0; i < model.parameters.size(); ++i) {
    const flat::Parameter& parameter = model.parameters[i];
    ParameterInfo info;
    info.name = parameter.name;
    info.type = value_type(parameter.type);
    if (parameter.value && parameter.type != flat::Type::string) {
      info.value = values.of(ParameterId(i)).value_or(std::nan(""));
    }
    info.text = parameter.text;
    info.unit = parameter.unit;
    info.description = parameter.description;
    info.is_settable = !parameter.is_constant && !parameter.is_final;
    info.is_structural = parameter.is_structural;
    if (parameter.minimum) {
      info.min = values.of(*parameter.minimum);
    }
    if (parameter.maximum) {
      info.max = values.of(*parameter.maximum);
    }
    describe_declaration(parameter.declared.get(), info);
    list.push_back(std::move(info));
  }
  describe_arrays(list);
  return list;
}

namespace {

Causality public_causality(flat::Causality causality) {
  switch (causality) {
    case flat::Causality::input: return Causality::input;
    case flat::Causality::output: return Causality::output;
    case flat::Causality::local: break;
  }
  return Causality::local;
}

}  // namespace

namespace {

// der(x) = v, in any mode.
void describe_derivatives(const flat::Model& model, const std::vector<std::size_t>& columns,
                          std::vector<VariableInfo>& list) {
  const auto look = [&](const std::vector<flat::Equation>& equations) {
    for (const flat::Equation& equation : equations) {
      const expr::Node* left = &model.graph[equation.left];
      const expr::Node* right = &model.graph[equation.right];
      if (left->op != expr::Op::variable || right->op != expr::Op::variable) {
        continue;
      }
      if (left->second == 0) {
        std::swap(left, right);
      }
      if (left->second == 1 && right->second == 0) {
        list[columns[right->first]].derivative_of = model.variables[left->first].name;
      }
    }
  };
  look(model.equations);
  for (const flat::Mode& mode : model.modes) {
    look(mode.equations);
  }
}

}  // namespace

std::vector<VariableInfo> describe_variables(const flat::Model& model, program::ParameterValues& values) {
  std::vector<VariableInfo> list;
  list.reserve(model.variables.size());
  const std::vector<std::size_t> columns = flat::columns_of_variables(model);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i] < list.size()) {
      continue;  // an own variable of another mode has this name
    }
    const flat::Variable& variable = model.variables[i];
    VariableInfo info;
    info.name = variable.name;
    info.type = value_type(variable.type);
    info.is_discrete = variable.variability == flat::Variability::discrete;
    info.is_fixed = variable.fixed;
    if (variable.start) {
      info.start = values.of(*variable.start).value_or(std::nan(""));
    }
    info.causality = public_causality(variable.causality);
    if (variable.minimum) {
      info.min = values.of(*variable.minimum);
    }
    if (variable.maximum) {
      info.max = values.of(*variable.maximum);
    }
    if (variable.nominal) {
      info.nominal = std::abs(values.of(*variable.nominal).value_or(1.0));
    }
    info.unit = variable.unit;
    info.description = variable.description;
    describe_declaration(variable.declared.get(), info);
    list.push_back(std::move(info));
  }
  describe_arrays(list);
  describe_derivatives(model, columns, list);
  return list;
}

const Result<Instance>& ModelData::default_instance() const {
  std::call_once(once_, [this] { default_instance_.emplace(instantiate(*this, {})); });
  return *default_instance_;
}

const std::shared_ptr<const program::CompiledModel>& ModelData::compiled() const {
  return compiled_.get([this] { return std::make_shared<const program::CompiledModel>(flat); });
}

std::shared_ptr<const ModelData::DrivenModel> ModelData::driven(const DrivenKey& key) const {
  return driven_.get(key, [&] {
    Result<std::shared_ptr<const flat::Model>> model =
        drive_inputs(*key.base->flat(), key.inputs, key.overrides);
    return std::make_shared<const DrivenModel>(
        model ? DrivenModel(std::make_shared<const program::CompiledModel>(*std::move(model)))
              : DrivenModel(Unexpected(std::move(model).error())));
  });
}

std::shared_ptr<const Result<Elaborated>> ModelData::elaborated(const StructuralValues& values) const {
  if (values.empty()) {
    return std::make_shared<const Result<Elaborated>>(Elaborated{compiled()});
  }
  return others_.get(values, [&]() {
    lang::CompileOptions options = compile_options();
    options.parameters = values;
    options.model = flat->name;
    Result<lang::Compiled> compiled = lang::compile(source, options);
    if (!compiled) {
      return std::make_shared<const Result<Elaborated>>(Unexpected(std::move(compiled).error()));
    }
    auto model = std::make_shared<const flat::Model>(std::move(compiled->model));
    return std::make_shared<const Result<Elaborated>>(Elaborated{
        std::make_shared<const program::CompiledModel>(std::move(model)), std::move(compiled->warnings)});
  });
}

}  // namespace api

namespace api {

Result<Model> read_model(std::string name, std::string text, const std::string& model,
                         std::optional<DataFiles> files, std::shared_ptr<const AddedEquations> added,
                         std::string extension, std::shared_ptr<const lang::ClassLibrary> library,
                         const ModelData::StructuralValues& values_set) {
  auto data = std::make_shared<api::ModelData>();
  data->files = std::move(files);
  data->added = std::move(added);
  data->extension = std::move(extension);
  data->library = std::move(library);
  data->dialect =
      std::filesystem::path(name).extension() == ".saltus" ? lang::Dialect::saltus : lang::Dialect::modelica;
  data->source = std::make_shared<const SourceText>(std::move(name), std::move(text));
  lang::CompileOptions options = data->compile_options();
  options.model = lang::unquoted_path(model);
  options.parameters = values_set;
  Result<lang::Compiled> compiled = lang::compile(data->source, options);
  if (!compiled) {
    return Unexpected(std::move(compiled).error());
  }
  data->warnings = std::move(compiled->warnings);
  data->flat = std::make_shared<const flat::Model>(std::move(compiled->model));
  program::ParameterValues values(*data->flat);
  data->parameters = api::describe_parameters(*data->flat, values);
  data->variables = api::describe_variables(*data->flat, values);
  data->experiment = api::describe_experiment(*data->flat);
  return Model(std::move(data));
}

}  // namespace api

Result<Model> Model::from_text(std::string name, std::string text, const WorkLimits& limits,
                               const std::string& model) {
  return api::under_limits(
      limits, "while the model was read",
      [&] {
        return api::read_model(std::move(name), std::move(text), model, std::nullopt, nullptr, {},
                               std::make_shared<const api::LibraryFolders>(std::vector<std::string>{}));
      },
      [](const api::EarlyEnd& end) -> Result<Model> { return Unexpected(end.diagnostics()); });
}

const std::string& Model::name() const {
  return data_->flat->name;
}
const std::string& Model::description() const {
  return data_->flat->description;
}
const std::vector<ParameterInfo>& Model::parameters() const {
  return data_->parameters;
}
const std::vector<VariableInfo>& Model::variables() const {
  return data_->variables;
}
const ExperimentInfo& Model::experiment() const {
  return data_->experiment;
}
const Diagnostics& Model::warnings() const {
  return data_->warnings;
}

std::size_t Model::n_equations() const {
  std::size_t n_of_a_mode = 0;
  for (const flat::Mode& mode : data_->flat->modes) {
    n_of_a_mode = std::max(n_of_a_mode, mode.equations.size());
  }
  return data_->flat->equations.size() + n_of_a_mode;
}

Diagnostics Model::check(const WorkLimits& limits) const {
  return api::under_limits(
      limits, "while the model was checked",
      [&] {
        Diagnostics problems = validate(*this, {});
        const Result<api::Instance>& instance = data_->default_instance();
        problems.append(instance ? instance->warnings : instance.error());
        if (instance) {
          problems.append(api::structural_warnings(*data_->flat));
        }
        return problems;
      },
      [](const api::EarlyEnd& end) { return end.diagnostics(); });
}

}  // namespace saltus
