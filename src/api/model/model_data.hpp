/// What a saltus::Model shares between its copies.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/model/added_equations.hpp"
#include "api/model/data_files.hpp"
#include "api/model/instance.hpp"
#include "base/bounded_cache.hpp"
#include "base/late.hpp"
#include "flat/model.hpp"
#include "lang/syntax/dialect.hpp"
#include "program/compiled_model.hpp"
#include "program/guards/parameter_values.hpp"
#include "saltus/model.hpp"

namespace saltus::api {

/// Elaborations for so many sets of values of structural parameters are kept, each with what was compiled of it.
inline constexpr std::size_t kMostElaborations = 4;

/// Models driven by so many sets of inputs are kept: those of the experiments of a fit, which come round again and again.
inline constexpr std::size_t kMostDriven = 8;

/// A model in another formulation.
struct Formulated {
  Result<std::shared_ptr<const program::CompiledModel>> compiled;
  Diagnostics warnings = {};
};

/// A text elaborated for certain values of its structural parameters.
struct Elaborated {
  std::shared_ptr<const program::CompiledModel> compiled;
  Diagnostics warnings = {};
  std::shared_ptr<BoundedCache<structure::FormulationRequest, Formulated>> formulations =
      std::make_shared<BoundedCache<structure::FormulationRequest, Formulated>>(kMostElaborations);
};

struct ModelData {
  std::shared_ptr<const SourceText>
      source;  ///< the file; of a class made of others, flat->source is the flat text
  lang::Dialect dialect = lang::Dialect::modelica;
  std::optional<DataFiles> files;                     ///< that it may name
  std::shared_ptr<const AddedEquations> added;        ///< null: the text has all
  std::shared_ptr<const lang::ClassLibrary> library;  ///< null: none
  std::string extension;  ///< of the text (CompileOptions::extension); empty: none
  std::shared_ptr<const flat::Model> flat;
  std::vector<ParameterInfo> parameters;
  std::vector<VariableInfo> variables;
  ExperimentInfo experiment;
  Diagnostics warnings;

  [[nodiscard]] lang::CompileOptions compile_options() const {
    lang::CompileOptions options{.dialect = dialect, .parameters = {}, .extension = extension};
    options.library = library;
    if (files) {
      options.read_data = [this](const std::string& name) { return files->read(name); };
    }
    if (added != nullptr) {
      options.add_equations = [this](const lang::EquationMaker& maker) { added->add(maker); };
    }
    return options;
  }

  /// The system with the model's own values: built when it is first asked for, then shared by all runs.
  [[nodiscard]] const Result<Instance>& default_instance() const;

  /// With the text's own values of structural parameters.
  [[nodiscard]] const std::shared_ptr<const program::CompiledModel>& compiled() const;
  using StructuralValues = std::vector<std::pair<std::string, lang::ParameterSetting>>;
  /// What is run with these values: made when it is first asked for, then shared by all runs.
  [[nodiscard]] std::shared_ptr<const Result<Elaborated>> elaborated(const StructuralValues& values) const;

  using DrivenModel = Result<std::shared_ptr<const program::CompiledModel>>;
  /// With equations for what drives its inputs: likewise.
  [[nodiscard]] std::shared_ptr<const DrivenModel> driven(const DrivenKey& key) const;

 private:
  Late<program::CompiledModel> compiled_;  // of `flat`
  mutable BoundedCache<StructuralValues, Result<Elaborated>> others_{kMostElaborations};
  mutable BoundedCache<DrivenKey, DrivenModel> driven_{kMostDriven};
  mutable std::once_flag once_;
  mutable std::optional<Result<Instance>> default_instance_;
};

/// `files`: those that the text may name; none: none. `added`: may be null. `extension`: as CompileOptions::extension. `values`: instead of
/// the text's own, where sizes follow from them.
[[nodiscard]] Result<Model> read_model(std::string name, std::string text, const std::string& model,
                                       std::optional<DataFiles> files,
                                       std::shared_ptr<const AddedEquations> added = nullptr,
                                       std::string extension = {},
                                       std::shared_ptr<const lang::ClassLibrary> library = nullptr,
                                       const ModelData::StructuralValues& values = {});

[[nodiscard]] ValueType value_type(flat::Type type);

/// Descriptions of parameters and variables of a flat model. `values` are those of the same model.
[[nodiscard]] std::vector<ParameterInfo> describe_parameters(const flat::Model& model,
                                                             program::ParameterValues& values);
[[nodiscard]] std::vector<VariableInfo> describe_variables(const flat::Model& model,
                                                           program::ParameterValues& values);

}  // namespace saltus::api
