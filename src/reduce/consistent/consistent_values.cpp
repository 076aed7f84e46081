#include "reduce/consistent/consistent_values.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "reduce/consistent/consistent_report.hpp"
#include "reduce/consistent/guess_from_rows.hpp"
#include "reduce/consistent/start_search.hpp"
#include "reduce/consistent/start_tiers.hpp"
#include "reduce/nonlinear/consistency.hpp"
#include "reduce/nonlinear/diagnostic_codes.hpp"

namespace saltus::reduce {
namespace {

std::vector<MovedStart> moved_starts(const StartSearch& search, const StartTiers& tiers,
                                     std::span<const double> values) {
  std::vector<MovedStart> moved;
  const std::vector<double>& guess = search.problem().guess;
  for (std::size_t j = 0; j < values.size(); ++j) {
    const double size = std::max(std::abs(guess[j]), search.nominal()[j]);
    if (tiers.of(j) < StartTiers::kFirstFree && !(std::abs(values[j] - guess[j]) <= kMoved * size)) {
      moved.push_back({static_cast<Index>(j), guess[j], values[j]});
    }
  }
  return moved;
}

// A fixed slot is given twice where releasing it adds to what the others can do.
std::vector<Index> fixed_twice(StartSearch& search, const StartTiers& tiers, std::span<const double> values) {
  std::vector<Index> twice;
  const std::vector<int> held = tiers.released_from(StartTiers::kDifferential);
  const Index rank = tiers.has(StartTiers::kFixed) ? search.rank_at(held, values) : -1;
  if (rank < 0 || rank == search.problem().equations->n_rows()) {
    return twice;
  }
  for (std::size_t j = 0; j < values.size(); ++j) {
    if (tiers.of(j) == StartTiers::kFixed && search.rank_at(tiers.released_with(j), values) > rank) {
      twice.push_back(static_cast<Index>(j));
    }
  }
  return twice;
}

// States that nothing determines when all that is given is held. Where states are not known (by ranks) nothing is said.
std::vector<Index> chosen_states(StartSearch& search, const StartTiers& tiers,
                                 std::span<const double> values) {
  std::vector<Index> chosen;
  Index n_free = 0;
  for (std::size_t j = 0; j < values.size(); ++j) {
    n_free += tiers.of(j) >= StartTiers::kFirstFree ? 1 : 0;
    if (tiers.of(j) >= StartTiers::kFirstFree && !tiers.is_highest(j)) {
      chosen.push_back(static_cast<Index>(j));
    }
  }
  if (search.problem().is_state.empty() || chosen.empty()) {
    return {};
  }
  const Index rank = search.rank_at(tiers.released_from(StartTiers::kFirstFree), values);
  return rank >= 0 && rank < n_free ? chosen : std::vector<Index>();
}

ConsistentValues finish(StartSearch& search, const StartTiers& tiers, StartFound found) {
  ConsistentValues result;
  result.moved = moved_starts(search, tiers, found.values);
  result.fixed_twice = fixed_twice(search, tiers, found.values);
  result.chosen = chosen_states(search, tiers, found.values);
  result.slots = std::move(found.values);
  result.warnings = start_warnings(*search.problem().equations, result);
  result.n_steps = search.n_steps();
  return result;
}

}  // namespace

Result<ConsistentValues> find_consistent_values(const system::InitialProblem& given, double t,
                                                const ConsistentOptions& options) {
  std::optional<system::InitialProblem> with_values;
  if (auto guess = guess_from_rows(given, t)) {
    with_values = given;
    with_values->guess = *std::move(guess);
  }
  const system::InitialProblem& problem = with_values ? *with_values : given;
  const StartTiers tiers(problem);
  StartSearch search(problem, t, options.algebra);
  StartFound found;
  for (const int strongest :
       {tiers.last(), StartTiers::kFirstFree, StartTiers::kOther, StartTiers::kDifferential}) {
    const bool is_last = strongest == StartTiers::kDifferential;
    if (strongest == StartTiers::kOther && !tiers.has(strongest)) {
      continue;
    }
    const std::vector<int> released = tiers.released_from(strongest);
    found = search.find(released, !is_last);
    if (found.solved()) {
      if (strongest < StartTiers::kFirstFree) {
        search.bring_nearest(released, StartTiers::kFirstFree - strongest, found);
      }
      return finish(search, tiers, std::move(found));
    }
  }
  Diagnostics problems = explain_contradiction(search, tiers, found);
  if (options.takes_least_squares && problems.items()[0].code == kEquationsContradict.name &&
      found.outcome.status == DampedGaussNewton::Status::stuck) {
    ConsistentValues nearest;
    nearest.slots = std::move(found.values);
    nearest.is_least_squares = true;
    nearest.n_steps = search.n_steps();
    return nearest;
  }
  return Unexpected(std::move(problems));
}

}  // namespace saltus::reduce
