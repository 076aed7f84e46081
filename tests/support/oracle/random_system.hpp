/// Random switched systems, the same for the same seed on every machine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "support/oracle/switched_system.hpp"

namespace saltus::test::oracle {

enum class Family {
  constant,     ///< A = 0: pieces of straight lines, several surfaces, slides often
  linear,       ///< A full, several surfaces
  chain,        ///< integrators in a row: pieces of polynomials
  on_surfaces,  ///< constant or linear, the start on one or two of the surfaces
  automaton,    ///< modes with hysteresis and resets, besides surfaces and clauses
  impacts,      ///< clauses with resets, besides surfaces
  moving,       ///< surfaces that move in time
};
inline constexpr int kFamilies = 7;
[[nodiscard]] const char* to_string(Family family);

struct RandomSystem {
  SwitchedSystem system;
  std::vector<Spelling> spelling;
  bool named = false;
};

[[nodiscard]] RandomSystem random_system(Family family, std::uint32_t seed);

/// The same system with every number of the field, the start and the surfaces moved by at most `amount`. A start on a
/// surface stays there: then only the field is moved.
[[nodiscard]] SwitchedSystem perturbed(const SwitchedSystem& system, Family family, std::uint32_t seed,
                                       Real amount);

}  // namespace saltus::test::oracle
