/// Whether the equations of a mode are linear with constant coefficients.
///
/// Problem      Between two events every equation reads Σ c_ij·x_j⁽ⁱ⁾ + f(t) = 0: coefficients c that depend on parameters, conditions and
///              discrete variables alone, and f a sum of products of powers of time, exp, sin, cos, sinh and cosh of affine functions of time
/// Method       one pass over the graph. A node is constant between events, a function of time of that kind, affine in the unknowns, or something
///              else; sums, products and choices of these are again one of them. Nothing is tried out with numbers, except that a rate a in
///              exp(a·t) must have a value.
/// Notation     A function of time has a *rate* ρ and a degree d: it is a sum of terms tᵏ·e^(σt) with k ≤ d and |σ| ≤ ρ, σ complex
/// Contract     `value`: of a node that depends on parameters alone; none otherwise
/// Checked by   tests/exact/exact_method_test.cpp
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "flat/model.hpp"

namespace saltus::flat {

struct ConstantLinear {
  /// The first equation that is something else, in the order of the model: common ones before those of the mode.
  std::optional<Equation> other;
  double rate = 0.0;  ///< largest of all functions of time
  int degree = 0;
};

using ValueOfNode = std::function<std::optional<double>(NodeId)>;

/// `mode`: invalid for a model without modes.
[[nodiscard]] ConstantLinear constant_linear(const Model& model, ModeId mode, const ValueOfNode& value);

}  // namespace saltus::flat
