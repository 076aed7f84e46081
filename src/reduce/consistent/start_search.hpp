/// Values that satisfy the equations of an initial problem when some slots are held: several tries of one iteration.
///
/// Method       damped Gauss-Newton (damped_gauss_newton.hpp) from the guess; where it comes to rest with equations that are not
///              met, again from points near the guess: there unknowns may act that do not at the guess itself (y at y = 0 in
///              x² + y² = 1)
/// Contract     The same problem gives the same values: the other points come from a fixed sequence.
/// Choices      Other points differ from the guess by kSpreads of max(|guess|, nominal) in slots that are not held and have no
///              explicit start. With only_promising (the dense path) a try is made only where the equations have a higher
///              rank than where the one before came to rest. Where all rows together come to nothing, each part
///              (pattern_parts.hpp) is looked for by itself: what stands beside it in the model changes nothing.
/// Checked by   tests/unit/reduce/consistent_values_test.cpp
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "reduce/consistent/start_tiers.hpp"
#include "reduce/nonlinear/damped_gauss_newton.hpp"
#include "reduce/nonlinear/pattern_parts.hpp"
#include "system/initial_problem.hpp"

namespace saltus::reduce {

/// Where a search ended.
struct StartFound {
  DampedGaussNewton::Outcome outcome;
  std::vector<double> values;    ///< by slot
  std::vector<double> residual;  ///< by row
  std::vector<double> distance;  ///< |row| in units of its length

  [[nodiscard]] bool solved() const { return outcome.solved(); }
};

class StartSearch {
 public:
  StartSearch(const system::InitialProblem& problem, double t, LeastChange::Algebra algebra);

  /// `tier`: as for TieredStep; `counts`: rows that do, empty: all.
  [[nodiscard]] StartFound find(std::span<const int> tier, bool only_promising,
                                std::span<const std::uint8_t> counts = {});
  /// Of what was found with `tier` and `counts`, the values nearest to the guess in the tiers below `n_tiers`.
  void bring_nearest(std::span<const int> tier, int n_tiers, StartFound& found,
                     std::span<const std::uint8_t> counts = {});
  /// Rank over the slots that are not held at a point; -1 where it is not known.
  [[nodiscard]] Index rank_at(std::span<const int> tier, std::span<const double> values,
                              std::span<const std::uint8_t> counts = {});

  [[nodiscard]] const system::InitialProblem& problem() const { return problem_; }
  [[nodiscard]] std::span<const double> nominal() const { return nominal_; }
  [[nodiscard]] int n_steps() const { return n_steps_; }

 private:
  [[nodiscard]] DampedGaussNewton iteration(std::span<const int> tier,
                                            std::span<const std::uint8_t> counts) const;
  // Whether a row that is not met depends on held slots alone.
  [[nodiscard]] bool is_hopeless(DampedGaussNewton& iteration, std::span<const int> tier,
                                 std::span<const double> values);
  [[nodiscard]] std::vector<double> other_point(std::span<const int> tier, int attempt) const;
  [[nodiscard]] StartFound find_together(std::span<const int> tier, bool only_promising,
                                         std::span<const std::uint8_t> counts);
  [[nodiscard]] StartFound find_by_parts(std::span<const int> tier, bool only_promising,
                                         std::span<const std::uint8_t> counts, const PatternParts& parts,
                                         StartFound first);
  void take(const DampedGaussNewton& iteration, StartFound& found) const;
  [[nodiscard]] double moved(std::span<const int> tier, int which, std::span<const double> values) const;
  [[nodiscard]] bool is_nearer(std::span<const int> tier, int n_tiers, std::span<const double> one,
                               std::span<const double> other) const;

  const system::InitialProblem& problem_;
  double t_;
  LeastChange::Algebra algebra_;
  std::unique_ptr<system::EquationRunner> runner_;
  std::vector<double> nominal_;
  int n_steps_ = 0;
};

}  // namespace saltus::reduce
