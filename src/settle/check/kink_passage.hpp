/// Problem      kinks (abs, min, max, a continuous `if`) that equations cross while they give a variable implicitly: on which sides does
///              the solution go on? y + 2|y| = 1 - t reaches y = 0 at t = 1; with the other side y rises again: it goes on nowhere
/// Method       with sides s of the kinks crossed, s_i·ġ_i(s) ≥ 0 for each of them in the direction of time (the mixed
///              complementarity problem of the rates, [FP03] 1.1). From the sides behind the surfaces on, kinks that would return take
///              their old sides back, until all agree or a set of sides comes again
/// Contract     Guards whose value depends on no side have one rate on both and are not asked. Only rates beyond their noise
///              count: a tangency passes. The evaluator has the sides of passes(), or those behind the surfaces where nothing does.
/// Fails when   no set of sides that is met on the way agrees: the solution ends here (an impasse)
/// Cost         one evaluation of each guard's rate on each set of sides; nothing where no kink depends on sides
/// Checked by   tests/events/fold_test.cpp
#pragma once

#include <span>
#include <vector>

#include "system/locked_dae.hpp"

namespace saltus::settle {

class KinkPassage {
 public:
  /// A kink with its sides before and behind its surface, ±1.
  struct Kink {
    Index guard = -1;
    double before = 0.0;
    double behind = 0.0;
  };

  void clear() { kinks_.clear(); }
  /// Adds a kink, unless its guard depends on no side.
  void add(const system::Evaluator& evaluator, const Kink& kink);
  [[nodiscard]] bool is_empty() const { return kinks_.empty(); }

  /// Whether the solution goes on; `direction` of time.
  [[nodiscard]] bool passes(system::Evaluator& evaluator, double t, std::span<const double> x,
                            double direction);
  /// By kink: where it goes on.
  [[nodiscard]] std::span<const double> sides() const { return sides_; }
  [[nodiscard]] std::span<const Kink> kinks() const { return kinks_; }
  /// The kink that has no side left, after passes() was false.
  [[nodiscard]] Index culprit() const { return culprit_; }

 private:
  [[nodiscard]] int rate_sign(system::Evaluator& evaluator, double t, std::span<const double> x, Index guard,
                              double direction);
  void prefer_behind(system::Evaluator& evaluator, double t, std::span<const double> x, double direction);

  std::vector<Kink> kinks_;
  std::vector<double> sides_;
  std::vector<double> next_;
  std::vector<std::vector<double>> seen_;
  Index culprit_ = -1;
};

}  // namespace saltus::settle
