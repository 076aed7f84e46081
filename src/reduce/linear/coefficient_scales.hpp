/// Units of the equations, the unknowns and time in which the coefficients of a linear equation are comparable.
///
/// Problem      powers of 2 for rows, columns and time so that all |C_i|·row·column·τ^(-i) are about 1, where such units exist
/// Method       [CR72]: the sum of the squares of the logarithms is least, with log τ as one more unknown; derivative j of C_i counts as order i - j
/// Contract     Scaling a problem by powers of 2 changes what is found by no more than its rounding to powers of 2. What is left open gets the
///              scale next to 1.
/// Choices      Largest entries alone (linalg/equilibration.hpp) do not undo scales: of 400 triples scaled by up to 2^±20 they leave ranks
///              of 100 open, these units none.
/// Cost         a dense factorisation of order m + n + 1
/// Checked by   tests/unit/reduce/order_reduction_test.cpp
#pragma once

#include <vector>

#include "reduce/linear/order_array.hpp"

namespace saltus::reduce {

struct CoefficientScales {
  std::vector<double> row;
  std::vector<double> column;
  double time = 1.0;  ///< 1/τ: factor of each order
};

/// `is_congruent`: square coefficients, and equation i has the scale of unknown i, which keeps symmetries.
[[nodiscard]] CoefficientScales coefficient_scales(const Coefficients& coefficients,
                                                   bool is_congruent = false);

/// row·C_i⁽ʲ⁾·column·time^(i-j): the same equations in these units.
[[nodiscard]] Coefficients in_units(const Coefficients& coefficients, const CoefficientScales& scales);

}  // namespace saltus::reduce
