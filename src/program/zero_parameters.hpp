/// Parameters that are zero, put into the equations before their structure is looked at.
///
/// Problem      an inductance, a mass or a small parameter ε that is set to zero changes which unknowns are differential, and the index:
///              L·der(i) = u - R·i with L = 0 determines i. A structure that keeps the term would divide by zero.
/// Method       leaves of parameters with the value 0 become the constant 0; the graph simplifies what they multiply
/// Contract     only equations change, with the same solutions. What is reported of them is the source text.
/// Choices      zero exactly: a small number is meant as it is. Values of parameters are known when a system is built, and do not change
///              in its runs.
/// Cost         linear in the nodes of the equations, where there is such a parameter
/// Checked by   tests/unit/program/zero_parameters_test.cpp
#pragma once

#include <span>

#include "flat/model.hpp"

namespace saltus::program {

/// values: of the parameters, in their order.
void put_in_zeros(flat::Model& model, std::span<const double> values);

}  // namespace saltus::program
