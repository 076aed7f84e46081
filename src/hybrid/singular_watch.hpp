/// Singular points that a run passes: reported, because solutions may branch there and nobody would know.
///
/// Problem      at isolated points of a solution the equations may lose rank (t·x' = x at t = 0), with the same structure before
///              and after; steps go over them
/// Method       what evaluators divide by (Evaluator::divisors) is compared at the ends of every step that is kept; where one has
///              changed its sign its root on the step is found by bisection. Counted as singular only where it tends to zero
///              there (not to a pole), and in modes reduced by ranks only where the ranks or the condition of the array say so
/// Contract     tells each point once, at most kMostTold in a run; changes nothing. Not while sliding.
/// Cost         one evaluation of the divisors for every step, of modes that have some
/// Checked by   tests/unit/api/rank_change_test.cpp
#pragma once

#include <vector>

#include "hybrid/run_state.hpp"
#include "trajectory/segment.hpp"

namespace saltus::hybrid {

class SingularWatch {
 public:
  static constexpr int kMostTold = 5;

  explicit SingularWatch(RunState& state) : state_(state) {}

  /// A stretch begins at the present point.
  void restarted();
  /// The open step of the stepper is kept up to θ = `until`.
  void step_kept(double until);

 private:
  [[nodiscard]] bool evaluate(double t, std::span<const double> x, std::vector<double>& values);
  [[nodiscard]] double find_root(std::size_t divisor, const trajectory::SegmentView& segment, double until);
  [[nodiscard]] bool is_singular(const trajectory::SegmentView& segment, double theta);
  void tell(double t, Index divisor);

  RunState& state_;
  std::vector<double> before_;  // divisors at the start of the step; empty: not watched
  std::vector<double> after_;
  std::vector<double> between_;
  std::vector<double> probe_;
  int n_told_ = 0;
};

}  // namespace saltus::hybrid
