/// Configurations that differ from a given one in what decides the structure of the equations: in one choice, then in two, and so on.
///
/// Contract     each structure once, never that of the given one; at most kMostStructures. Then as many configurations whose structure
///              has been there: which of two diodes conducts may be one structure with other equations.
/// Choices      what decides is found by asking: a side of a guard or the value of a Boolean that changes the structure.
/// Checked by   tests/events/structures_test.cpp
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "system/hybrid_system.hpp"

namespace saltus::hybrid {

class OtherStructures {
 public:
  /// Guards with a flag in `is_settled` (empty: none) keep their sides. Sides of `open` guards are tried also where they do
  /// not change the structure by themselves.
  OtherStructures(const system::HybridSystem& system, system::Configuration base,
                  std::span<const std::uint8_t> is_settled, std::span<const Index> open = {});

  /// None: there are no more.
  [[nodiscard]] std::optional<system::Configuration> next();
  /// What can be chosen, as written: relations and Booleans.
  [[nodiscard]] std::vector<std::string> choices() const;

 private:
  struct Choice {
    bool is_guard = false;
    std::size_t place = 0;
    double value = 0.0;
  };

  void consider(const Choice& choice, bool is_open);
  [[nodiscard]] bool advance();
  void apply(const Choice& choice, system::Configuration& configuration) const;

  const system::HybridSystem& system_;
  system::Configuration base_;
  std::vector<system::StructureId> tried_;
  std::vector<system::Configuration> repeated_;  // of structures that have been tried
  std::size_t n_repeated_ = 0;                   // of them that were given
  std::vector<Choice> choices_;
  std::vector<std::size_t> chosen_;  // ascending; the fewest choices first
  int n_combinations_ = 0;
};

}  // namespace saltus::hybrid
