/// What a name that a user writes means in a model: a parameter, a variable, or a whole array of either.
///
/// Contract     names come with or without quotes; that of an array means all its elements, which follow each other
/// Checked by   tests/unit/api/set_values_test.cpp
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "flat/model.hpp"
#include "program/compiled_model.hpp"

namespace saltus::api {

/// Arrays of more dimensions are named element by element.
inline constexpr std::size_t kMostDimensions = 8;

/// A parameter, a variable, or an array of them, whose elements follow each other.
struct NamedTarget {
  std::string name;
  bool is_parameter = false;
  std::size_t first = 0;
  std::size_t n = 1;
  std::vector<Index> shape = {};  ///< empty: a scalar
};

class SetNames {
 public:
  /// The model outlives it.
  explicit SetNames(const program::CompiledModel& model) : model_(model) {}

  [[nodiscard]] std::optional<NamedTarget> find(const std::string& written) const;
  [[nodiscard]] const flat::Parameter& parameter(std::size_t i) const { return flat().parameters[i]; }
  [[nodiscard]] const flat::Variable& variable(std::size_t i) const { return flat().variables[i]; }
  [[nodiscard]] const std::string& name_of(const NamedTarget& target, std::size_t k) const {
    return target.is_parameter ? parameter(target.first + k).name : variable(target.first + k).name;
  }
  [[nodiscard]] flat::Type type_of(const NamedTarget& target) const {
    return target.is_parameter ? parameter(target.first).type : variable(target.first).type;
  }
  /// Elaboration reads it.
  [[nodiscard]] bool is_structural(const NamedTarget& target) const;
  /// "did you mean …?"
  [[nodiscard]] std::string similar(const std::string& name) const;

 private:
  [[nodiscard]] const flat::Model& flat() const { return *model_.flat(); }
  [[nodiscard]] std::optional<NamedTarget> find_scalar(const std::string& name) const;
  void measure(NamedTarget& array) const;

  const program::CompiledModel& model_;
};

}  // namespace saltus::api
