/// Values taken at random, always the same: what holds for two sets of them holds for all, but for chance.
#pragma once

#include <cstdint>

namespace saltus::structure {

/// Between 0.5 and 1.5, by a number and by the draw: the mixer of splitmix64.
[[nodiscard]] inline double drawn(std::uint64_t number, std::uint64_t draw) {
  std::uint64_t z = (number + 1) * 0x9e3779b97f4a7c15ULL + draw * 0xd1b54a32d192ed03ULL;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebULL;
  return 0.5 + static_cast<double>((z ^ (z >> 31U)) >> 11U) * 0x1p-53;
}

}  // namespace saltus::structure
