/// The structures that one mode may have, each analysed and compiled when a run first needs it.
///
/// Problem      where the structure of the equations depends on choices (structure/structure_choices.hpp), the one system of
///              a mode is singular in some configurations.
/// Method       the values of the structural choices are the key of a configuration. Where the common analysis holds for it,
///              the common system (number 0) serves; otherwise a system is built in which these choices are locked in the
///              equations of the mode. Everything else of it (guards, actions, columns) has the same numbers.
/// Contract     shared by threads. Numbers are given in the order of questions and never change. -1 - n is structure n reduced by
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

#include "program/system_builder.hpp"

namespace saltus::program {

class StructureVariants {
 public:
  StructureVariants(std::shared_ptr<const SystemData> common, std::shared_ptr<const flat::Model> model,
                    ParameterOverrides overrides, BuildOptions options);

  /// Every mode has one structure.
  [[nodiscard]] bool empty() const { return is_empty_; }
  [[nodiscard]] system::StructureId of(const system::Configuration& configuration) const;
  /// By guard of a mode: those that decide together (model_parts.hpp).
  [[nodiscard]] std::span<const Index> groups(std::size_t mode) const { return groups_[mode]; }
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

  [[nodiscard]] std::vector<double> key_of(const structure::StructuralChoices& choices,
                                           const system::Configuration& configuration) const;
  [[nodiscard]] Result<Variant*> built(const system::StructureId& structure) const;
  [[nodiscard]] Variant& variant_of(const system::StructureId& structure) const;

  std::shared_ptr<const SystemData> common_;
  std::shared_ptr<const flat::Model> model_;
  ParameterOverrides overrides_;
  BuildOptions options_;
  bool is_empty_ = true;
  std::vector<std::vector<Index>> groups_;  // by mode
  std::unique_ptr<Shared> shared_;
};

}  // namespace saltus::program
