/// The unit of time in which the equations of a system are balanced.
///
/// Problem      coefficients a of rows i and columns j, each of a derivative of order k: the time τ for which rows and columns can be scaled so
///              that all |a|·rᵢ·cⱼ·τ^(-k) are about 1. Then τ^(-k) is the size of derivatives of order k: to measure them in seconds is to decide
///              ranks, and which values stay, by the choice of a unit.
/// Method       [CR72] (the sum of the squares of the logarithms is least) with log τ as one more unknown for each part of the system that
///              hangs together. Where nothing but scaling is left open (no closed path of coefficients has a time in it, as of a free mass) τ is one
///              second, columns being scaled before τ is.
/// Contract     Exact for one closed path: C·v' = i, R·i = -v gives RC. Scaling rows or columns changes nothing, a change of the unit of time
///              changes τ alike. The answer is a power of kStepOfUnits seconds: units as people choose them, so that models that are written in
///              seconds keep them.
/// Cost         a sparse factorisation of order rows + columns
/// Checked by   tests/unit/linalg/time_units_test.cpp
#pragma once

#include <span>
#include <vector>

#include "base/ids.hpp"

namespace saltus::linalg {

struct TimedEntry {
  Index row = 0;
  Index column = 0;
  int order = 0;
  double size = 0.0;  ///< |a|, positive and finite
};

/// By column.
[[nodiscard]] std::vector<double> time_units(Index n_rows, Index n_columns,
                                             std::span<const TimedEntry> entries);

}  // namespace saltus::linalg
