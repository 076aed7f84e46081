/// What holds between two events (DESIGN 2). The configuration is the authority: an event sets it, nobody derives it
/// again from the sign of a stored number (docs/semantics.md).
#pragma once

#include <vector>

#include "base/archive.hpp"
#include "base/ids.hpp"

namespace saltus::system {

struct Configuration {
  ModeId mode{std::size_t{0}};  ///< index into HybridSystem::modes(); a model without modes has one, `main`
  /// By guard of HybridSystem::guards(). Of a relation its side: +1 for g > 0, -1 for g < 0, 0 for a guard that stays
  /// zero, and strictly between ±1 the weight s while sliding on it (α = (1 + s)/2 is the share of the side g > 0).
  /// Of floor, ceil and truncate the whole number that is held, of a table the number of the segment.
  std::vector<double> latched;
  std::vector<double>
      discrete;  ///< values of the discrete variables, in the order of HybridSystem::discrete()

  friend bool operator==(const Configuration&, const Configuration&) = default;

  void fields(Archive& a) { a(mode, latched, discrete); }
};

}  // namespace saltus::system
