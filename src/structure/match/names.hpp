/// Unknowns and equations in words, for messages.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "flat/model.hpp"
#include "structure/match/causalized.hpp"

namespace saltus::structure {

/// "x", "der(x)", "der(der(x))"; of a discrete variable "pre(n)" (structure/initialization.hpp).
[[nodiscard]] std::string name_of(const flat::Model& model, const Unknown& unknown);
/// "a", "a and b", "a, b and 5 more".
[[nodiscard]] std::string list_names(const std::vector<std::string>& names);
[[nodiscard]] std::string list_names(const flat::Model& model, std::span<const Unknown> unknowns);
/// The equation as written, shortened to one line, in quotes; "equation" where there is no text.
[[nodiscard]] std::string quote(const flat::Model& model, const flat::Equation& equation);
/// The same for a differentiated equation: "the second derivative of 'x^2 + y^2 = L^2'"; for order 0 the quotation alone.
[[nodiscard]] std::string quote(const flat::Model& model, const flat::Equation& equation, int order);

}  // namespace saltus::structure
