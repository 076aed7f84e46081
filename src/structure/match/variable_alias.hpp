/// Variables that are other variables, or derivatives of them, for all times.
///
/// Problem    x = ±y and v = ±der(x) need no state of their own: each derivative of y or v is one of x. Taken out before
///            the index is analysed, two coupled masses or equations of motion of first order cause no constraints.
/// Method     x = ±y: classes by union-find with signs. v = ±x^(m), m > 0: the class of v hangs below the class of x,
///            once; a forest. (der(x) = der(y) says nothing of the kind: it leaves a constant open.)
/// Contract   every variable is ±(base)^(shift); a base is its own. Equations used are marked with the variable that they
///            tie to its base. An equation between quantities already tied that says the same is repeated.
/// Choices    within a class a variable with a start value represents, then the first declared. Discrete variables and
///            inputs take no part. A second equation for der(x) stays an equation, as does x = der(x).
/// Cost       nearly linear.
/// Checked by tests/unit/structure/variable_alias_test.cpp
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "flat/model.hpp"
#include "structure/match/causalized.hpp"

namespace saltus::structure {

struct TiedVariable {
  VariableId base;  ///< itself if it is not tied
  int shift = 0;    ///< order of the derivative of the base
  bool negative = false;
  std::uint32_t equation = 0;  ///< that ties it, where it is not its own base
};

struct VariableAliases {
  std::vector<TiedVariable> variables;  ///< by variable of the model
  std::vector<std::uint8_t> is_used;    ///< by equation: an alias, out of the system
  std::vector<std::uint32_t> repeated;  ///< equations that repeat what others say
};

/// `may_be_tied`: by variable.
[[nodiscard]] VariableAliases tie_variables(const flat::Model& model,
                                            std::span<const flat::Equation> equations,
                                            std::span<const std::uint8_t> may_be_tied);

}  // namespace saltus::structure
