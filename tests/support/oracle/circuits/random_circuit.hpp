/// Random networks of ideal diodes, switches and sources; the same for the same seed on every machine.
///
/// Method       Shapes of textbooks with random values, waves and spellings, and networks without a shape: nodes with a resistor to ground or to
///              another node, and random elements between them. In all families but `changing` and `jumps` resistors stand where they keep
///              capacitors from being joined and inductors from being opened.
#pragma once

#include <cstdint>
#include <string>

#include "support/oracle/circuits/network.hpp"

namespace saltus::test::circuits {

enum class Family {
  halfwave,    ///< source, resistor or inductor, diode, load
  bridge,      ///< four diodes
  clipper,     ///< diodes to constant sources
  ladder,      ///< sections of diodes and capacitors in a row
  converter,   ///< buck, boost and buck-boost with a modulated switch
  network,     ///< no shape
  switched,    ///< … with switches by time, by thresholds, with hysteresis
  changing,    ///< ideal diodes beside capacitors and inductors without resistors: the index changes
  units,       ///< volts, kiloohms, microfarads, milliseconds
  jumps,       ///< ideal switches and diodes that join capacitors and cut inductors: charge and flux are kept
  many,        ///< 11 to 40 diodes: long ladders, stars, networks
  thyristors,  ///< off = s < 0 or pre(off) and not fire
};
inline constexpr int kFamilies = 12;
[[nodiscard]] const char* to_string(Family family);

[[nodiscard]] Network random_circuit(Family family, std::uint32_t seed);

}  // namespace saltus::test::circuits
