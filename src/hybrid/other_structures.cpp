#include "hybrid/other_structures.hpp"

#include <algorithm>
#include <utility>

namespace saltus::hybrid {
namespace {

// Every other structure costs an analysis: four diodes can be tried in all ways, a hundred near what is given.
constexpr std::size_t kMostStructures = 64;

}  // namespace

OtherStructures::OtherStructures(const system::HybridSystem& system, system::Configuration base,
                                 std::span<const std::uint8_t> is_settled)
    : system_(system), base_(std::move(base)) {
  tried_.push_back(system.structure_of(base_));
  for (std::size_t i = 0; i < system.guards().size(); ++i) {
    const bool may_change = system.guards()[i].kind == system::GuardInfo::Kind::relation &&
                            !system.guards()[i].is_scheduled && (is_settled.empty() || is_settled[i] == 0);
    for (const double side : {-1.0, 1.0}) {
      if (may_change && base_.latched[i] != side) {
        consider({true, i, side});
      }
    }
  }
  for (std::size_t i = 0; i < system.discrete().size(); ++i) {
    if (system.variables()[static_cast<std::size_t>(system.discrete()[i])].is_boolean) {
      consider({false, i, base_.discrete[i] != 0.0 ? 0.0 : 1.0});
    }
  }
}

void OtherStructures::apply(const Choice& choice, system::Configuration& configuration) const {
  (choice.is_guard ? configuration.latched : configuration.discrete)[choice.place] = choice.value;
}

void OtherStructures::consider(const Choice& choice) {
  system::Configuration other = base_;
  apply(choice, other);
  if (!(system_.structure_of(other) == tried_.front())) {
    choices_.push_back(choice);
  }
}

std::optional<system::Configuration> OtherStructures::next() {
  while (tried_.size() <= kMostStructures && first_ < choices_.size()) {
    system::Configuration configuration = base_;
    apply(choices_[first_], configuration);
    apply(choices_[second_], configuration);
    if (!in_pairs_) {
      second_ = ++first_;
      if (first_ == choices_.size()) {
        in_pairs_ = true;
        first_ = 0;
        second_ = 1;
      }
    } else if (++second_ >= choices_.size()) {
      second_ = ++first_ + 1;
    }
    if (second_ >= choices_.size()) {
      first_ = choices_.size();
    }
    const system::StructureId structure = system_.structure_of(configuration);
    if (std::find(tried_.begin(), tried_.end(), structure) == tried_.end()) {
      tried_.push_back(structure);
      return configuration;
    }
  }
  return std::nullopt;
}

}  // namespace saltus::hybrid
