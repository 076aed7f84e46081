/// Parameters that are zero, put into the equations before their structure is looked at.
///
/// Problem      an inductance, a mass or a small parameter ε that is set to zero changes which unknowns are differential, and the index:
///              L·der(i) = u - R·i with L = 0 determines i. A structure that keeps the term would divide by zero.
/// Method       leaves of parameters with the value 0 become the constant 0; the graph simplifies what they multiply
/// Contract     only equations change, with the same solutions. What is reported of them is the source text.
/// Choices      zero exactly: a small number is meant as it is. Which parameters are zero is part of the signature of compiled code
///              (compiled_model.hpp): every parameter that equations contain counts, also one whose zero would change no structure.
/// Cost         linear in the nodes of the equations, where there is such a parameter
/// Checked by   tests/unit/program/zero_parameters_test.cpp
#pragma once

#include <span>
#include <vector>

#include "flat/model.hpp"

namespace saltus::program {

/// By parameter: whether it is a Real that an equation contains.
[[nodiscard]] std::vector<char> parameters_of_equations(const flat::Model& model);

void put_in_zeros(flat::Model& model, std::span<const ParameterId> zeros);

}  // namespace saltus::program
