/// Inputs that are functions of time in C++, as piecewise polynomials.
///
/// Problem      a function of the user has to be seen as what it is by everything that handles equations: derivatives, bounds, events, index
///              reduction. These know polynomials over segments (flat/table.hpp), and no code.
/// Method       between two of its discontinuities the function is interpolated in Chebyshev points of the second kind, degree kDegree, on
///              segments that are halved until interpolant and function agree at points between them ([Tre13] 8). The polynomials are
///              written in powers of the distance from the middle of their segment.
/// Contract     from start to stop the two differ by no more than kAccuracy of the largest value nearby, at the points that were looked at; at
///              discontinuities the value is that after them. Outside the first and last polynomials go on, which nobody asks for.
/// Fails when   the function throws, a value is not finite, or kMostSegments do not suffice: a discontinuity that was not given
/// Choices      kAccuracy: below every tolerance of a run (kSmallestRtol aside), and reached in spite of rounding. kDegree: powers up to the
///              ninth of numbers up to 1 lose two digits at most. kFirstSegments: what happens within a 200th of the run is seen.
/// Cost         about 20 evaluations for each segment
/// Checked by   tests/unit/api/input_function_test.cpp
#pragma once

#include <string>
#include <vector>

#include "flat/table.hpp"
#include "saltus/input_table.hpp"
#include "saltus/result.hpp"

namespace saltus::api {

struct SampledInput {
  std::string name;
  std::vector<double> breaks;        ///< between start and stop, ascending
  std::vector<flat::Pieces> pieces;  ///< before, between and after the breaks; zero beyond them
};

/// Over the times of a run, in whatever direction.
[[nodiscard]] Result<SampledInput> sample_input(const InputFunction& function, double start, double stop);

}  // namespace saltus::api
