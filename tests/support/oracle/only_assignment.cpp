#include "support/oracle/only_assignment.hpp"

#include <cmath>
#include <optional>

namespace saltus::test::oracle {
namespace {

constexpr Real kNearOne = 1e-9L;  // a weight this near to ±1 decides nothing

/// Writes `failure` where a weight or a direction decides nothing.
bool is_consistent(const SwitchedSystem& system, std::size_t mode, const Vector& x,
                   const std::vector<Side>& trial, const std::vector<std::size_t>& zero,
                   std::string& failure) {
  const std::optional<Flow> flow = flow_of(system, mode, trial);
  if (!flow) {
    return false;
  }
  for (std::size_t k = 0; k < flow->sliding.size(); ++k) {
    const Real weight = dot(flow->w[k], x) + flow->w0[k];
    if (std::abs(std::abs(weight) - 1) < kNearOne) {
      failure = "a weight of one at a decision";
    }
    if (std::abs(weight) >= 1) {
      return false;
    }
  }
  for (const std::size_t j : zero) {
    if (trial[j] == Side::sliding) {
      continue;
    }
    const int moves = direction(system.surfaces[j].g, *flow, x);
    if (moves == 0) {
      failure = "a direction of zero at a decision";
    }
    if (moves != static_cast<int>(trial[j])) {
      return false;
    }
  }
  return true;
}

}  // namespace

Assignment only_assignment(const SwitchedSystem& system, std::size_t mode, const Vector& x,
                           const std::vector<Side>& sides, const std::vector<std::size_t>& zero) {
  std::size_t n_candidates = 1;
  for (std::size_t k = 0; k < zero.size(); ++k) {
    n_candidates *= 3;
  }
  Assignment result{sides, {}};
  std::size_t n_consistent = 0;
  for (std::size_t code = 0; code < n_candidates; ++code) {
    std::vector<Side> trial = sides;
    std::size_t rest = code;
    for (const std::size_t j : zero) {
      trial[j] = static_cast<Side>(static_cast<int>(rest % 3) - 1);
      rest /= 3;
    }
    if (is_consistent(system, mode, x, trial, zero, result.failure)) {
      ++n_consistent;
      result.sides = trial;
    }
  }
  if (n_consistent != 1) {
    result = {sides, std::to_string(n_consistent) + " consistent decisions"};
  }
  return result;
}

}  // namespace saltus::test::oracle
