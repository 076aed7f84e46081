/// Random networks of tanks with valves, and of blocks with dry friction.
///
/// Contract     the same for the same seed on every machine; the text and the system of each say the same.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "support/oracle/laws/law_system.hpp"

namespace saltus::test::laws {

enum class Family {
  row,        ///< tanks in a row, valves that let through one way
  network,    ///< tanks joined at random, valves of both kinds
  pumped,     ///< … with pumps that are switched on and off, sources that swing, and outlets
  pressures,  ///< … with pressures as variables of their own, and laminar pipes
  blocks,     ///< blocks in a row between springs, rubbing on the floor, one of them driven
  belt,       ///< … rubbing on belts that move
  stack,      ///< … rubbing on each other too
};
constexpr int kFamilies = 7;
[[nodiscard]] const char* to_string(Family family);
[[nodiscard]] bool is_hydraulic(Family family);

struct LawModel {
  LawSystem system;
  std::string text;
  std::vector<std::string> names;  ///< of the states
};

[[nodiscard]] LawModel random_laws(Family family, std::uint32_t seed);

}  // namespace saltus::test::laws
