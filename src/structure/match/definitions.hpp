/// Variables that an equation `v = formula` defines, replaced by their formulas.
///
/// Problem    where equations are differentiated, every variable in them is differentiated too: a wheel at
///            yb = h·sin(ω·time) becomes two states and two constraints, though its derivatives have formulas.
/// Method     definitions in the order of their use (depth first); each formula with those before it put in, then all rows.
///            The graph shares equal nodes, so that a formula is there once however often it is used.
/// Contract   the rows have the same solutions as before, and v is in none of them but its own. What defines itself in a
///            circle is kept.
/// Choices    kMostNodes = 64: a formula that contains unknowns is put in only up to this size, what it contains put in
///            already counted with it. So rows grow by a bounded factor: of prefix sums s_i = s_(i-1) + x_i, which would
///            fill n²/2 places, every thirtieth or so stays a variable. Formulas of time and parameters have no places.
/// Cost       linear in the nodes of the rows.
/// Checked by tests/unit/structure/definitions_test.cpp
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "flat/model.hpp"

namespace saltus::structure {

inline constexpr std::size_t kMostNodes = 64;

/// The variable that a row may define: `v = formula` or `formula = v`, v of order 0. Invalid where it has another shape.
[[nodiscard]] VariableId defined_variable(const expr::Graph& graph, const flat::Equation& row);

/// By variable of the model, 1 where a derivative of it, or a value that an event gives it, occurs anywhere in the model: it
/// cannot be replaced by a formula of order 0.
[[nodiscard]] std::vector<std::uint8_t> needed_as_variables(const flat::Model& model);

/// Puts definitions into all rows. `defines`: by row the variable it is to define, invalid for other rows; no variable twice.
/// `is_unknown`: by variable of the model. Returns the number of variables that were replaced.
std::size_t put_in_definitions(expr::Graph& graph, std::span<const VariableId> defines,
                               std::span<const std::uint8_t> is_unknown, std::span<flat::Equation> rows);

}  // namespace saltus::structure
