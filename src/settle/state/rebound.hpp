/// What is no rebound, of a contact or of a clause that throws its guard back (docs/semantics.md 7.11, 9.3).
#pragma once

namespace saltus::settle {

/// A rebound that rises by no more than this many times what location and rounding leave of the gap is none. Sixteen times as much is what a
/// decision by motion takes for the width of the instant (kLocationSafety in settle/state/time_beside_root.cpp, squared).
inline constexpr double kNoisesOfRebound = 32.0;
/// … or that lasts no longer than this many times what tells two instants apart.
inline constexpr double kInstantsOfRebound = 64.0;

}  // namespace saltus::settle
