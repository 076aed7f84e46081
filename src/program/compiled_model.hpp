/// A flat model that is run with many values of its parameters, compiled once for all that have the same structure.
///
/// Problem      the analysis of a model and the compilation of its programs take many times longer than a short run; a parameter is
///              a number that these programs read, and rarely anything else
/// Method       values of parameters and start values give a *signature* (system_builder.hpp): which parameters of equations are
///              zero, whose start values are given from outside, the initial mode. Code is built for a signature, and kept; numbers are
///              bound to it (system_binder.hpp).
/// Contract     shared by threads. A system does not need its CompiledModel any more. Results are, bit for bit, those of a model that is
///              compiled for the one set of values.
/// Choices      values that elaboration reads (structural parameters) give another flat model. Truths of conditions over parameters
///              are no part of the signature: programs read them as numbers, and where they decide the structure of equations, the code of
///              each structure is a code of its own (structure_variants.hpp). Values for which ranks are lower than the structure says
///              (R1 = R2) are found in runs, by ranks.
/// Fails when   a parameter has no value or one that is no number, an assertion over parameters does not hold, …: an error for each
/// Checked by   tests/unit/api/parameter_reuse_test.cpp
#pragma once

#include <memory>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/bounded_cache.hpp"
#include "program/compiled_system.hpp"
#include "program/system_binder.hpp"
#include "program/system_builder.hpp"

namespace saltus::program {

/// Code of so many signatures is kept: enough for a sweep over a few zeros and start values in turn, and a bound on memory.
inline constexpr std::size_t kMostSignatures = 16;
/// … fewer of large models, so that their graphs have no more nodes together, but always one. Code takes some hundred bytes for a node.
inline constexpr std::size_t kMostKeptNodes = 1'000'000;

class CompiledModel {
 public:
  explicit CompiledModel(std::shared_ptr<const flat::Model> model);

  [[nodiscard]] Result<std::shared_ptr<const system::HybridSystem>> system(
      const ParameterOverrides& overrides, const BuildOptions& options = {}) const;
  [[nodiscard]] const std::shared_ptr<const flat::Model>& flat() const { return model_; }
  /// By name; invalid: there is none.
  [[nodiscard]] ParameterId parameter(std::string_view name) const;
  [[nodiscard]] VariableId variable(std::string_view name) const;
  /// Signatures whose code is kept.
  [[nodiscard]] std::size_t n_kept() const { return codes_.size(); }

 private:
  struct Key {
    Signature signature;
    BuildOptions options;
    friend bool operator==(const Key&, const Key&) = default;
  };
  using Code = Result<std::shared_ptr<const SystemCode>>;

  [[nodiscard]] GivenValues resolve(const ParameterOverrides& overrides, Diagnostics& diagnostics) const;
  [[nodiscard]] Signature signature_of(const GivenValues& given, ParameterValues& values,
                                       Diagnostics& diagnostics) const;

  std::shared_ptr<const flat::Model> model_;
  std::unordered_map<std::string_view, ParameterId> parameters_;
  std::unordered_map<std::string_view, VariableId> variables_;
  std::vector<char> is_in_equations_;  // by parameter
  mutable BoundedCache<Key, Code> codes_;
};

}  // namespace saltus::program
