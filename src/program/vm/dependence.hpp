/// Which inputs of a slab program may move which of its values, whatever the point is.
///
/// Problem      tangents in K directions of which each moves few outputs: directions that share no output can be run as one
/// Method       a set of directions for every place of the spaces, united along the instructions as tangents are (tangent_interpreter.hpp): truths and
///              steps rest, of a choice both sides count but not the condition
/// Contract     never too few: a tangent that is not zero has its direction in the set
/// Checked by   tests/unit/program/dependence_test.cpp
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/ids.hpp"
#include "program/vm/slab_program.hpp"

namespace saltus::program {

/// For every output of a part the directions that may move it, ascending. `parameters`: how they move, [parameter][direction]; other inputs and
/// states rest.
[[nodiscard]] std::vector<std::vector<Index>> moving_directions(const SlabProgram& program, std::size_t part,
                                                                std::span<const double> parameters,
                                                                std::size_t n_directions);

}  // namespace saltus::program
