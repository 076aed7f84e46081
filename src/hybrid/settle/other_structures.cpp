#include "hybrid/settle/other_structures.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace saltus::hybrid {
namespace {

// Every other structure costs an analysis: four diodes can be tried in all ways, a hundred near what is given.
constexpr std::size_t kMostStructures = 64;
// Combinations whose structure is asked for, which costs little; many give the same.
constexpr int kMostCombinations = 10'000;

}  // namespace

OtherStructures::OtherStructures(const system::HybridSystem& system, system::Configuration base,
                                 std::span<const std::uint8_t> is_settled, std::span<const Index> open)
    : system_(system), base_(std::move(base)) {
  tried_.push_back(system.structure_of(base_));
  for (std::size_t i = 0; i < system.guards().size(); ++i) {
    const bool may_change = system.guards()[i].kind == system::GuardInfo::Kind::relation &&
                            !system.guards()[i].is_scheduled && (is_settled.empty() || is_settled[i] == 0);
    const bool is_open = std::find(open.begin(), open.end(), static_cast<Index>(i)) != open.end();
    for (const double side : {-1.0, 1.0}) {
      if (may_change && base_.latched[i] != side) {
        consider({true, i, side}, is_open);
      }
    }
  }
  for (std::size_t i = 0; i < system.discrete().size(); ++i) {
    if (system.variables()[static_cast<std::size_t>(system.discrete()[i])].is_boolean) {
      consider({false, i, base_.discrete[i] != 0.0 ? 0.0 : 1.0}, false);
    }
  }
}

void OtherStructures::apply(const Choice& choice, system::Configuration& configuration) const {
  (choice.is_guard ? configuration.latched : configuration.discrete)[choice.place] = choice.value;
}

void OtherStructures::consider(const Choice& choice, bool is_open) {
  system::Configuration other = base_;
  apply(choice, other);
  if (is_open || !(system_.structure_of(other) == tried_.front())) {
    choices_.push_back(choice);
  }
}

// The next combination of as many choices in lexicographic order, or the first of one more.
bool OtherStructures::advance() {
  const std::size_t size = chosen_.size();
  for (std::size_t k = size; k-- > 0;) {
    if (chosen_[k] + (size - k) < choices_.size()) {
      ++chosen_[k];
      for (std::size_t later = k + 1; later < size; ++later) {
        chosen_[later] = chosen_[later - 1] + 1;
      }
      return true;
    }
  }
  if (size == choices_.size()) {
    return false;
  }
  chosen_.resize(size + 1);
  std::iota(chosen_.begin(), chosen_.end(), std::size_t{0});
  return true;
}

std::vector<std::string> OtherStructures::choices() const {
  std::vector<std::string> names;
  for (const Choice& choice : choices_) {
    const std::string& name =
        choice.is_guard
            ? system_.guards()[choice.place].condition
            : system_.variables()[static_cast<std::size_t>(system_.discrete()[choice.place])].name;
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      names.push_back(name);
    }
  }
  return names;
}

std::optional<system::Configuration> OtherStructures::next() {
  while (tried_.size() <= kMostStructures && n_combinations_++ < kMostCombinations && advance()) {
    system::Configuration configuration = base_;
    for (const std::size_t choice : chosen_) {
      apply(choices_[choice], configuration);
    }
    const system::StructureId structure = system_.structure_of(configuration);
    if (std::find(tried_.begin(), tried_.end(), structure) == tried_.end()) {
      tried_.push_back(structure);
      return configuration;
    }
    if (repeated_.size() < kMostStructures) {
      repeated_.push_back(std::move(configuration));
    }
  }
  if (n_repeated_ == repeated_.size()) {
    return std::nullopt;
  }
  return repeated_[n_repeated_++];
}

}  // namespace saltus::hybrid
