#include "reduce/consistent/start_search.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "linalg/rank_decision.hpp"
#include "nonlinear/scatter.hpp"

namespace saltus::reduce {
namespace {

// Distances of the other points from the guess.
constexpr std::array<double, 4> kSpreads{0.01, 0.1, 1.0, 10.0};
// Tries that are only made where they promise something.
constexpr int kMostPromising = 2;
// Values are nearest to their guess when a further step would move them by less than this.
constexpr double kNearest = 1e-8;
constexpr int kMostNearingSteps = 30;
constexpr double kSmallestNearing = 1.0 / 16.0;

}  // namespace

StartSearch::StartSearch(const system::InitialProblem& problem, double t, LeastChange::Algebra algebra)
    : problem_(problem), t_(t), algebra_(algebra), runner_(problem.equations->make_runner()) {
  runner_->set_configuration(problem.configuration);
  for (const system::SlotInfo& slot : problem.equations->slots()) {
    nominal_.push_back(slot.nominal);
  }
}

DampedGaussNewton StartSearch::iteration(std::span<const int> tier,
                                         std::span<const std::uint8_t> counts) const {
  return {*problem_.equations, *runner_, tier, nominal_, counts, algebra_};
}

bool StartSearch::is_hopeless(DampedGaussNewton& iteration, std::span<const int> tier,
                              std::span<const double> values) {
  std::vector<double> residual(static_cast<std::size_t>(problem_.equations->n_rows()));
  if (!runner_->residual(t_, values, residual).ok() || !iteration.prepare(t_, values)) {
    return false;
  }
  const system::RectangularPattern& pattern = problem_.equations->pattern();
  std::vector<std::uint8_t> can_change(residual.size(), 0);
  for (std::size_t j = 0; j < tier.size(); ++j) {
    for (Index e = pattern.column_starts[j]; tier[j] != kHeldLevel && e < pattern.column_starts[j + 1]; ++e) {
      can_change[static_cast<std::size_t>(pattern.rows[static_cast<std::size_t>(e)])] = 1;
    }
  }
  for (std::size_t i = 0; i < residual.size(); ++i) {
    if (can_change[i] == 0 && iteration.counts(i) &&
        std::abs(residual[i]) * iteration.step().row_scale()[i] > kConsistent) {
      return true;
    }
  }
  return false;
}

// Every part of the model begins the sequence anew: a copy has the points of the original.
std::vector<double> StartSearch::other_point(std::span<const int> tier, int attempt) const {
  std::vector<double> values = problem_.guess;
  const PatternParts parts = find_parts(problem_.equations->pattern());
  for (const PatternParts::Part& part : parts.parts) {
    nonlinear::Scatter scatter;
    for (const Index slot : part.columns) {
      const auto j = static_cast<std::size_t>(slot);
      const double number = scatter.next();
      if (tier[j] != kHeldLevel && problem_.tier[j] == system::StartTier::free) {
        const double size = std::max(std::abs(values[j]), nominal_[j]);
        values[j] += number * kSpreads[static_cast<std::size_t>(attempt)] * size;
      }
    }
  }
  return values;
}

void StartSearch::take(const DampedGaussNewton& iteration, StartFound& found) const {
  found.residual.assign(iteration.residual().begin(), iteration.residual().end());
  found.distance.resize(found.residual.size());
  for (std::size_t i = 0; i < found.distance.size(); ++i) {
    found.distance[i] = iteration.distance(i);
  }
}

Index StartSearch::rank_at(std::span<const int> tier, std::span<const double> values,
                           std::span<const std::uint8_t> counts) {
  if (!iteration(tier, counts).step().is_dense()) {
    return -1;
  }
  const system::RectangularPattern& pattern = problem_.equations->pattern();
  std::vector<double> entries(pattern.n_entries());
  if (!runner_->jacobian(t_, values, entries).ok()) {
    return -1;
  }
  std::vector<std::uint8_t> is_released(tier.size());
  std::transform(tier.begin(), tier.end(), is_released.begin(),
                 [](int of_slot) { return of_slot != kHeldLevel ? 1 : 0; });
  std::vector<Index> place(static_cast<std::size_t>(pattern.n_rows), -1);
  Index rank = 0;
  for (const PatternParts::Part& part : find_parts(pattern, is_released, counts).parts) {
    for (std::size_t i = 0; i < part.rows.size(); ++i) {
      place[static_cast<std::size_t>(part.rows[i])] = static_cast<Index>(i);
    }
    linalg::DenseMatrix matrix(std::ssize(part.rows), std::ssize(part.columns));
    for (std::size_t column = 0; column < part.columns.size(); ++column) {
      const auto j = static_cast<std::size_t>(part.columns[column]);
      for (Index e = pattern.column_starts[j]; e < pattern.column_starts[j + 1]; ++e) {
        const auto entry = static_cast<std::size_t>(e);
        const auto row = static_cast<std::size_t>(pattern.rows[entry]);
        if (counts.empty() || counts[row] != 0) {
          matrix(place[row], static_cast<Index>(column)) = entries[entry] * nominal_[j];
        }
      }
    }
    // Equilibrated: a coefficient may be small because of the units of its unknown alone (V/1e9*der(p)).
    rank += linalg::decide_rank(matrix, {.method = linalg::RankMethod::pivoted_qr}).rank;
  }
  return rank;
}

StartFound StartSearch::find(std::span<const int> tier, bool only_promising,
                             std::span<const std::uint8_t> counts) {
  StartFound found = find_together(tier, only_promising, counts);
  if (found.solved()) {
    return found;
  }
  std::vector<std::uint8_t> is_released(tier.size());
  std::transform(tier.begin(), tier.end(), is_released.begin(),
                 [](int of_slot) { return of_slot != kHeldLevel ? 1 : 0; });
  const PatternParts parts = find_parts(problem_.equations->pattern(), is_released, counts);
  return parts.parts.size() < 2 ? std::move(found)
                                : find_by_parts(tier, only_promising, counts, parts, std::move(found));
}

// What is found is put together; rows that nothing released is in are those of `first`.
StartFound StartSearch::find_by_parts(std::span<const int> tier, bool only_promising,
                                      std::span<const std::uint8_t> counts, const PatternParts& parts,
                                      StartFound first) {
  for (std::size_t i = 0; i < parts.of_row.size() && !first.distance.empty(); ++i) {
    if (parts.of_row[i] < 0 && (counts.empty() || counts[i] != 0) && !(first.distance[i] <= kConsistent)) {
      return first;
    }
  }
  StartFound whole;
  whole.values = problem_.guess;
  std::vector<int> own_tier(tier.size(), kHeldLevel);
  std::vector<std::uint8_t> own_counts(parts.of_row.size(), 0);
  for (const PatternParts::Part& part : parts.parts) {
    for (const Index slot : part.columns) {
      own_tier[static_cast<std::size_t>(slot)] = tier[static_cast<std::size_t>(slot)];
    }
    for (const Index row : part.rows) {
      own_counts[static_cast<std::size_t>(row)] = 1;
    }
    const StartFound found = find_together(own_tier, only_promising, own_counts);
    if (!found.solved()) {
      return first;
    }
    for (const Index slot : part.columns) {
      whole.values[static_cast<std::size_t>(slot)] = found.values[static_cast<std::size_t>(slot)];
      own_tier[static_cast<std::size_t>(slot)] = kHeldLevel;
    }
    for (const Index row : part.rows) {
      own_counts[static_cast<std::size_t>(row)] = 0;
    }
  }
  DampedGaussNewton gauss_newton = iteration(tier, counts);
  whole.outcome = gauss_newton.solve(t_, whole.values);
  take(gauss_newton, whole);
  return whole.solved() ? std::move(whole) : std::move(first);
}

StartFound StartSearch::find_together(std::span<const int> tier, bool only_promising,
                                      std::span<const std::uint8_t> counts) {
  DampedGaussNewton gauss_newton = iteration(tier, counts);
  StartFound first;
  first.values = problem_.guess;
  const bool is_hopeless_here = is_hopeless(gauss_newton, tier, first.values);
  if (is_hopeless_here && only_promising) {
    first.outcome.status = DampedGaussNewton::Status::stuck;
    return first;
  }
  first.outcome = gauss_newton.solve(t_, first.values);
  n_steps_ += first.outcome.n_steps;
  take(gauss_newton, first);
  if (first.solved() || is_hopeless_here || (only_promising && !gauss_newton.step().is_dense())) {
    return first;
  }
  const bool has_rank = gauss_newton.step().is_dense() && gauss_newton.prepare(t_, first.values);
  const Index rank = has_rank ? gauss_newton.step().rank() : -1;
  const int n_tries = only_promising ? kMostPromising : static_cast<int>(kSpreads.size());
  for (int attempt = 0; attempt < n_tries; ++attempt) {
    StartFound found;
    found.values = other_point(tier, attempt);
    if (only_promising && (!gauss_newton.prepare(t_, found.values) || gauss_newton.step().rank() <= rank)) {
      continue;
    }
    found.outcome = gauss_newton.solve(t_, found.values);
    n_steps_ += found.outcome.n_steps;
    if (found.solved()) {
      take(gauss_newton, found);
      return found;
    }
  }
  return first;
}

double StartSearch::moved(std::span<const int> tier, int which, std::span<const double> values) const {
  double sum = 0.0;
  for (std::size_t j = 0; j < values.size(); ++j) {
    if (tier[j] == which) {
      sum = std::hypot(sum, (values[j] - problem_.guess[j]) / nominal_[j]);
    }
  }
  return sum;
}

// Tier by tier, the strongest first.
bool StartSearch::is_nearer(std::span<const int> tier, int n_tiers, std::span<const double> one,
                            std::span<const double> other) const {
  for (int k = 0; k < n_tiers; ++k) {
    const double a = moved(tier, k, one);
    const double b = moved(tier, k, other);
    if (std::abs(a - b) > 1e-12 * (a + b)) {
      return a < b;
    }
  }
  return false;
}

void StartSearch::bring_nearest(std::span<const int> tier, int n_tiers, StartFound& found,
                                std::span<const std::uint8_t> counts) {
  DampedGaussNewton gauss_newton = iteration(tier, counts);
  if (!gauss_newton.step().is_dense()) {
    return;
  }
  std::vector<double> offset(found.values.size());
  std::vector<double> change(found.values.size());
  for (int n = 0; n < kMostNearingSteps; ++n) {
    if (!gauss_newton.prepare(t_, found.values)) {
      return;
    }
    double largest = 0.0;
    for (std::size_t j = 0; j < offset.size(); ++j) {
      offset[j] = found.values[j] - problem_.guess[j];
    }
    gauss_newton.step().toward(found.residual, offset, n_tiers, change);
    for (std::size_t j = 0; j < change.size(); ++j) {
      if (tier[j] != kHeldLevel && tier[j] < n_tiers) {
        largest = std::max(largest, std::abs(change[j]) / nominal_[j]);
      }
    }
    if (!(largest > kNearest)) {
      return;
    }
    bool has_moved = false;
    for (double part = 1.0; part >= kSmallestNearing && !has_moved; part *= 0.5) {
      StartFound trial = found;
      for (std::size_t j = 0; j < change.size(); ++j) {
        trial.values[j] += part * change[j];
      }
      trial.outcome = gauss_newton.solve(t_, trial.values);
      n_steps_ += trial.outcome.n_steps;
      if (trial.solved() && is_nearer(tier, n_tiers, trial.values, found.values)) {
        take(gauss_newton, trial);
        found = std::move(trial);
        has_moved = true;
      }
    }
    if (!has_moved) {
      return;
    }
  }
}

}  // namespace saltus::reduce
