#include "reduce/consistent/start_tiers.hpp"

#include <algorithm>
#include <unordered_map>

#include "reduce/nonlinear/tiered_step.hpp"
#include "saltus/contract.hpp"

namespace saltus::reduce {

StartTiers::StartTiers(const system::InitialProblem& problem) {
  const std::vector<system::SlotInfo>& slots = problem.equations->slots();
  SALTUS_EXPECT(problem.is_state.empty() || problem.is_state.size() == slots.size(),
                "one flag for each slot");
  SALTUS_EXPECT(problem.tier.size() == slots.size() && problem.guess.size() == slots.size(),
                "one tier and one guess for each slot");
  std::unordered_map<Index, int> highest;
  int most = 0;
  for (const system::SlotInfo& slot : slots) {
    int& order = highest[slot.variable];
    order = std::max(order, slot.order);
    most = std::max(most, slot.order);
  }
  last_ = kFirstFree + most + 1;
  for (std::size_t j = 0; j < slots.size(); ++j) {
    const bool is_state =
        problem.is_state.empty() ? slots[j].order < highest[slots[j].variable] : problem.is_state[j] != 0;
    const bool is_highest = !is_state;
    is_highest_.push_back(is_highest ? 1 : 0);
    int tier = is_highest ? last_ : kFirstFree + slots[j].order;
    switch (problem.tier[j]) {
      case system::StartTier::fixed: tier = kFixed; break;
      case system::StartTier::differential: tier = kDifferential; break;
      case system::StartTier::other: tier = kOther; break;
      case system::StartTier::free: break;
    }
    tier_.push_back(tier);
  }
}

bool StartTiers::has(int tier) const {
  return std::find(tier_.begin(), tier_.end(), tier) != tier_.end();
}

std::vector<int> StartTiers::released_from(int strongest) const {
  std::vector<int> result;
  for (const int tier : tier_) {
    result.push_back(tier < strongest ? kHeldLevel : tier - strongest);
  }
  return result;
}

std::vector<int> StartTiers::released_with(std::size_t slot) const {
  std::vector<int> result = tier_;
  for (std::size_t j = 0; j < result.size(); ++j) {
    result[j] = result[j] == kFixed && j != slot ? kHeldLevel : result[j];
  }
  return result;
}

}  // namespace saltus::reduce
