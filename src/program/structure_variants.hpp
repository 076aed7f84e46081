/// The structures that one mode may have, each analysed and compiled when a run first needs it.
///
/// Problem      where the structure of the equations depends on choices (structure/structure_choices.hpp), the one system of
///              a mode is singular in some configurations.
/// Method       the values of the structural choices are the key of a configuration. Where the common analysis holds for it,
///              the common system (number 0) serves; otherwise a system is built in which these choices are locked in the
///              equations of the mode. Everything else of it (guards, actions, columns) has the same numbers.
/// Contract     shared by threads. StructureCodes, what is compiled, belongs to the code of the system and serves all values of
///              parameters; StructureVariants to one system. Numbers are given in the order of questions and never change. -1 - n is structure n reduced by
///              ranks: for runs that find its matrices singular.
/// Choices      a condition that is blended stays open: both sides count. Where discrete values decide, they are always
///              locked: a round that changes them is solved with the equations of before, which hold for what it starts
///              from, and the structure that they then have is entered after it.
/// Fails when   no structure agrees with the values that it gives at the start: start-conditions-cycle.
/// Cost         a question about a known key is a search in a map; a new key a matching, and a build where it is needed.
/// Checked by   tests/unit/program/structure_variants_test.cpp, tests/events/structures_test.cpp
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "base/late.hpp"
#include "program/system_binder.hpp"
#include "program/system_builder.hpp"

namespace saltus::program {

struct StructureCodes {
  /// `common` is being built, and has everything but these.
  StructureCodes(const SystemCode& common, std::shared_ptr<const flat::Model> model, Signature signature,
                 BuildOptions options);

  /// Whether the common analysis of a mode holds with these choices.
  [[nodiscard]] bool holds(const SystemCode& common, const LockedStructure& locked) const;
  [[nodiscard]] Result<std::shared_ptr<const SystemCode>> code(const LockedStructure& locked,
                                                               bool by_ranks) const;

  bool is_empty = true;  ///< every mode has one structure
  std::vector<std::vector<Index>>
      groups;  ///< by mode, by guard: those that decide together (model_parts.hpp)

 private:
  using Key = std::pair<std::size_t, std::vector<double>>;
  using Code = Result<std::shared_ptr<const SystemCode>>;
  [[nodiscard]] static Key key_of(const LockedStructure& locked);

  std::shared_ptr<const flat::Model> model_;
  Signature signature_;
  BuildOptions options_;
  mutable std::mutex mutex_;
  mutable std::map<Key, bool> holds_;
  mutable std::map<std::pair<Key, bool>, std::unique_ptr<Late<Code>>> codes_;
};

class StructureVariants {
 public:
  StructureVariants(std::shared_ptr<const SystemData> common, GivenValues given);

  /// Every mode has one structure.
  [[nodiscard]] bool empty() const { return codes_.is_empty; }
  [[nodiscard]] system::StructureId of(const system::Configuration& configuration) const;
  /// HybridSystem::structure_fields().
  void structure_fields(Archive& a, system::StructureId& structure) const;
  /// By guard of a mode: those that decide together (model_parts.hpp).
  [[nodiscard]] std::span<const Index> groups(std::size_t mode) const { return codes_.groups[mode]; }
  /// Of a number other than 0.
  [[nodiscard]] Result<std::shared_ptr<const SystemData>> data(const system::StructureId& structure) const;
  [[nodiscard]] Result<std::shared_ptr<const system::LockedDae>> lock(
      const system::StructureId& structure) const;
  /// The start in a structure that its values agree with, as far as they are found here (InitialPoint::problem).
  [[nodiscard]] Result<system::InitialPoint> initial(double t) const;

 private:
  struct Variant {
    LockedStructure locked;
    std::shared_ptr<const SystemData> data;
    std::shared_ptr<const system::LockedDae> dae;
  };
  struct Shared {
    std::mutex mutex;
    std::map<std::pair<std::size_t, std::vector<double>>, Index> numbers;
    std::vector<Variant> variants;                              // number 1 is the first
    std::map<std::pair<std::size_t, Index>, Variant> by_ranks;  // by mode and number of the structure
  };

  [[nodiscard]] system::StructureId numbered(ModeId mode, std::size_t place, std::vector<double> key) const;
  [[nodiscard]] std::vector<double> key_of(const structure::StructuralChoices& choices,
                                           const system::Configuration& configuration) const;
  [[nodiscard]] Result<Variant*> built(const system::StructureId& structure) const;
  [[nodiscard]] Variant& variant_of(const system::StructureId& structure) const;

  std::shared_ptr<const SystemData> common_;
  const SystemCode& code_;
  const StructureCodes& codes_;
  GivenValues given_;
  std::unique_ptr<Shared> shared_;
};

}  // namespace saltus::program
