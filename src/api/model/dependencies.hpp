/// Which knowns the variables and rates of a mode depend on, by the equations alone.
///
/// Problem      an importer of a model (co-simulation, sparse Jacobians) asks which outputs and derivatives an input can move
/// Method       through the blocks of the mode in their order (structure/causalize.hpp): what a block contains, and what that depends on
/// Notation     known are time, states, numbers that are set from outside, and discrete variables
/// Contract     a leaf that occurs counts, whatever its factor; the truth of a condition does not. Structures that a mode has besides the
///              common one may have fewer dependencies, not more.
/// Fails when   the mode is reduced by ranks: nullopt, everything may depend on everything
/// Cost         unknowns · knowns / 8 bytes
/// Checked by   tests/unit/api/point_derivatives_test.cpp
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flat/model.hpp"
#include "structure/match/causalized.hpp"

namespace saltus::api {

class ModeDependencies {
 public:
  /// `mode`: invalid for a model without modes.
  [[nodiscard]] static std::optional<ModeDependencies> find(const flat::Model& model, ModeId mode);

  /// Of a variable, or of der(…) of a state; in the order of the model. Nullopt: the mode does not have it.
  [[nodiscard]] std::optional<std::vector<std::string>> of(std::string_view unknown) const;

 private:
  using Set = std::vector<bool>;  // by known

  void add_known(const std::string& name, const structure::Unknown* quantity);
  void add(NodeId root, const flat::Model& model, Set& set) const;

  std::vector<std::string> knowns_;
  std::map<structure::Unknown, Set> sets_;
  std::map<std::string, structure::Unknown, std::less<>> names_;
  std::map<std::uint32_t, std::size_t> outside_;  // by condition
  static constexpr std::size_t kTime = 0;
};

}  // namespace saltus::api
