/// How the frozen inputs of programs move with parameters.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "base/ids.hpp"
#include "saltus/contract.hpp"
#include "system/tangents.hpp"

namespace saltus::program {

/// [frozen input][direction]: the parameters, then what rests. None: a parameter moves that is one of the zeros of the code
/// (zero_parameters.hpp), which does not read it: how anything moves with it cannot be said.
[[nodiscard]] inline std::optional<std::vector<double>> frozen_tangents(
    const system::ParameterDirections& directions, std::size_t n_frozen_inputs,
    std::span<const ParameterId> zeros) {
  const auto n = static_cast<std::size_t>(directions.n_directions);
  std::vector<double> tangents = directions.parameters;
  SALTUS_EXPECT(tangents.size() <= n_frozen_inputs * n, "there are not so many parameters");
  tangents.resize(n_frozen_inputs * n, 0.0);
  for (const ParameterId zero : zeros) {
    const auto moves = std::span<const double>(tangents).subspan(zero.index() * n, n);
    if (std::any_of(moves.begin(), moves.end(), [](double tangent) { return tangent != 0.0; })) {
      return std::nullopt;
    }
  }
  return tangents;
}

}  // namespace saltus::program
