/// Random models of discrete logic around simple motions, as texts; the same for the same seed on every machine.
///
/// Method       Variables are made one after the other; an equation reads plain names of earlier ones and pre of any, so that (loops
///              through diodes aside) every model has one sorted order. Rates and reinit read everything. The lines are then
///              shuffled. Numbers are short binary fractions.
#pragma once

#include <cstdint>
#include <string>

namespace saltus::test::instants {

enum class LogicFamily {
  clauses,   ///< when, elsewhen, vectors, pre, edge, change over crossings and clocks
  waves,     ///< saws and triangles by mod, floor, integer, of time and of states
  moves,     ///< bodies set what other guards read: sampled thresholds and offsets
  resets,    ///< bodies with reinit, beside others that read the state
  starts,    ///< initial(), initial equations, fixed and free starts, clocks at the start
  diodes,    ///< loops through relations: ideal and leaking diodes, by curve parameter
  mixtures,  ///< some of everything
};
inline constexpr int kLogicFamilies = 7;
[[nodiscard]] const char* to_string(LogicFamily family);

[[nodiscard]] std::string random_logic(LogicFamily family, std::uint32_t seed);

}  // namespace saltus::test::instants
