/// How strongly each value at the start is kept: the tiers of an initial problem with what is not given put in order.
///
/// Choices      Of slots without a start the lower derivatives are kept before the higher ones, and the highest derivative of each
///              variable (with every variable that occurs without derivatives) comes last, unless it is a state: it follows from
///              the others and must not pull at them. x' = 1000 x keeps x, whatever x' becomes, and a multiplier does not move velocities.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "system/initial_problem.hpp"

namespace saltus::reduce {

class StartTiers {
 public:
  static constexpr int kFixed = 0;
  static constexpr int kDifferential = 1;
  static constexpr int kOther = 2;
  static constexpr int kFirstFree = 3;

  explicit StartTiers(const system::InitialProblem& problem);

  [[nodiscard]] int of(std::size_t slot) const { return tier_[slot]; }
  /// Whether it follows from the others: no higher derivative of its variable is among the slots, and it is no state.
  [[nodiscard]] bool is_highest(std::size_t slot) const { return is_highest_[slot] != 0; }
  [[nodiscard]] bool has(int tier) const;
  /// Tier of the highest derivatives that have no start.
  [[nodiscard]] int last() const { return last_; }

  /// Tiers for TieredStep when everything stronger than `strongest` is held.
  [[nodiscard]] std::vector<int> released_from(int strongest) const;
  /// … and of the fixed ones only `slot` is not.
  [[nodiscard]] std::vector<int> released_with(std::size_t slot) const;

 private:
  std::vector<int> tier_;
  int last_ = kFirstFree;
  std::vector<std::uint8_t> is_highest_;
};

}  // namespace saltus::reduce
