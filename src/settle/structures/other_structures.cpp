#include "settle/structures/other_structures.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace saltus::settle {
namespace {

// Every other structure costs an analysis: four diodes can be tried in all ways, a hundred near what is given.
constexpr std::size_t kMostStructures = 64;
// Combinations whose structure is asked for, which costs little; many give the same.
constexpr int kMostCombinations = 10'000;

}  // namespace

OtherStructures::OtherStructures(const system::HybridSystem& system, system::Configuration base,
                                 std::span<const std::uint8_t> is_settled, std::span<const Index> open,
                                 Index part)
    : system_(system), base_(std::move(base)) {
  tried_.push_back(system.structure_of(base_));
  const system::ModelParts* const parts = system.parts();
  for (std::size_t i = 0; i < system.guards().size(); ++i) {
    if (part >= 0 && parts->of_guard[i] != part) {
      continue;
    }
    const bool may_change = system.guards()[i].kind == system::GuardInfo::Kind::relation &&
                            !system.guards()[i].is_scheduled && (is_settled.empty() || is_settled[i] == 0);
    const bool is_open = std::find(open.begin(), open.end(), static_cast<Index>(i)) != open.end();
    for (const double side : {-1.0, 1.0}) {
      if (may_change && base_.latched[i] != side) {
        consider({true, i, side}, is_open);
      }
    }
  }
  // A Boolean in a part without guards (a switch that time sets) has its value from outside.
  const bool has_guards =
      part < 0 || std::find(parts->of_guard.begin(), parts->of_guard.end(), part) != parts->of_guard.end();
  for (std::size_t i = 0; i < system.discrete().size() && has_guards; ++i) {
    const auto column = static_cast<std::size_t>(system.discrete()[i]);
    if (system.variables()[column].is_boolean && (part < 0 || parts->of_variable[column] == part)) {
      consider({false, i, base_.discrete[i] != 0.0 ? 0.0 : 1.0}, false);
    }
  }
}

void OtherStructures::copy_part(const system::HybridSystem& system, Index part,
                                const system::Configuration& from, system::Configuration& to) {
  const system::ModelParts& parts = *system.parts();
  for (std::size_t i = 0; i < to.latched.size(); ++i) {
    to.latched[i] = parts.of_guard[i] == part ? from.latched[i] : to.latched[i];
  }
  for (std::size_t i = 0; i < to.discrete.size(); ++i) {
    const auto column = static_cast<std::size_t>(system.discrete()[i]);
    to.discrete[i] = parts.of_variable[column] == part ? from.discrete[i] : to.discrete[i];
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
  while (advance()) {
    if (tried_.size() > kMostStructures || n_combinations_++ == kMostCombinations) {
      has_met_limit_ = true;
      chosen_.resize(choices_.size());  // the last combination
      std::iota(chosen_.begin(), chosen_.end(), std::size_t{0});
      break;
    }
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

OtherStructuresOfParts::OtherStructuresOfParts(const system::HybridSystem& system,
                                               const system::Configuration& base)
    : system_(system), base_(base) {
  const system::ModelParts* const parts = system.parts();
  if (parts == nullptr || parts->n_parts <= 1) {
    parts_.push_back({-1, OtherStructures(system, base, {})});
    return;
  }
  std::vector<std::uint8_t> has_choice(static_cast<std::size_t>(parts->n_parts), 0);
  const std::span<const Index> groups = system.structure_groups(base.mode);
  for (std::size_t guard = 0; guard < groups.size(); ++guard) {
    if (groups[guard] >= 0) {
      has_choice[static_cast<std::size_t>(parts->of_guard[guard])] = 1;
    }
  }
  for (const Index column : system.discrete()) {
    const auto place = static_cast<std::size_t>(column);
    if (system.variables()[place].is_boolean) {
      has_choice[static_cast<std::size_t>(parts->of_variable[place])] = 1;
    }
  }
  for (std::size_t part = 0; part < has_choice.size(); ++part) {
    if (has_choice[part] != 0) {
      const auto number = static_cast<Index>(part);
      parts_.push_back({number, OtherStructures(system, base, {}, {}, number)});
    }
  }
}

std::optional<system::Configuration> OtherStructuresOfParts::next() {
  std::optional<system::Configuration> result;
  for (OfPart& own : parts_) {
    std::optional<system::Configuration> other = own.others.next();
    if (!other) {
      continue;
    }
    if (own.part < 0) {
      return other;
    }
    result = result ? std::move(result) : std::optional(base_);
    OtherStructures::copy_part(system_, own.part, *other, *result);
  }
  return result;
}

bool OtherStructuresOfParts::has_met_limit() const {
  return std::any_of(parts_.begin(), parts_.end(),
                     [](const OfPart& own) { return own.others.has_met_limit(); });
}

std::vector<std::string> OtherStructuresOfParts::choices() const {
  std::vector<std::string> names;
  for (const OfPart& own : parts_) {
    for (std::string& name : own.others.choices()) {
      if (std::find(names.begin(), names.end(), name) == names.end()) {
        names.push_back(std::move(name));
      }
    }
  }
  return names;
}

}  // namespace saltus::settle
