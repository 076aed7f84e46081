/// Configurations that differ from a given one in what decides the structure of the equations: in one choice, then in two, and so on.
///
/// Contract     each structure once, never that of the given one; at most kMostStructures. Then as many configurations whose structure
///              has been there: which of two diodes conducts may be one structure with other equations. With a part of the model
///              (system::ModelParts) only choices in it: what stands beside neither takes a place in the order nor counts for
///              the limit, which has_met_limit() tells.
/// Choices      what decides is found by asking: a side of a guard or the value of a Boolean that changes the structure.
/// Checked by   tests/events/structures_test.cpp
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "system/hybrid_system.hpp"

namespace saltus::settle {

class OtherStructures {
 public:
  /// Guards with a flag in `is_settled` (empty: none) keep their sides. Sides of `open` guards are tried also where they do
  /// not change the structure by themselves. `part`: of the model, -1: all of it.
  OtherStructures(const system::HybridSystem& system, system::Configuration base,
                  std::span<const std::uint8_t> is_settled, std::span<const Index> open = {},
                  Index part = -1);

  /// None: there are no more.
  [[nodiscard]] std::optional<system::Configuration> next();
  /// There are more, which were not tried: too many.
  [[nodiscard]] bool has_met_limit() const { return has_met_limit_; }
  /// Copies what is given in the part from one configuration to another.
  static void copy_part(const system::HybridSystem& system, Index part, const system::Configuration& from,
                        system::Configuration& to);
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
  bool has_met_limit_ = false;
};

/// The same for a model that falls into parts, where it is not known which of them is to be another: every configuration has the next one of
/// each part, so that there are as many as the part with the most has.
class OtherStructuresOfParts {
 public:
  OtherStructuresOfParts(const system::HybridSystem& system, const system::Configuration& base);

  [[nodiscard]] std::optional<system::Configuration> next();
  [[nodiscard]] bool has_met_limit() const;
  [[nodiscard]] std::vector<std::string> choices() const;

 private:
  struct OfPart {
    Index part = -1;  // -1: the whole model
    OtherStructures others;
  };

  const system::HybridSystem& system_;
  system::Configuration base_;
  std::vector<OfPart> parts_;
};

}  // namespace saltus::settle
