/// Singular points that a run passes: reported, because solutions may branch there and nobody would know.
///
/// Problem      at isolated points of a solution the equations may lose rank (t·x' = x at t = 0), with the same structure before
///              and after; steps go over them
/// Method       what evaluators divide by (Evaluator::divisors) is compared at the ends of every step that is kept; where one has
///              changed its sign its root on the step is found by bisection. Counted as singular only where it tends to zero
///              there (not to a pole), and in modes reduced by ranks only where the ranks or the condition of the array say so.
///              A determinant that leaps from one sign to the other, or changes its sign where equations are not linear in the
///              rates (ẋ² = 1 - x), belongs to another solution of them: the one that is followed has ended in a fold. So has one
///              along which it stays zero, with different signs for larger and smaller rates.
/// Contract     tells each point once, at most kMostTold in a run; changes nothing. Not while sliding. A step to another solution
///              (Verdict::fold) is not to be kept: smaller ones lead up to the fold, and from there nothing is determined.
/// Cost         one evaluation of the divisors for every step, of modes that have some
/// Checked by   tests/unit/api/rank_change_test.cpp, tests/events/fold_test.cpp
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/archive.hpp"
#include "settle/state/run_state.hpp"
#include "trajectory/segment.hpp"

namespace saltus::hybrid {

class SingularWatch {
 public:
  static constexpr int kMostTold = 5;
  enum class Verdict : std::uint8_t { keep, fold, singular };

  explicit SingularWatch(settle::RunState& state) : state_(state) {}

  /// A stretch begins at the present point.
  void restarted();
  /// The open step of the stepper is to be kept up to θ = `until`.
  [[nodiscard]] Verdict look(double until);
  /// Whether a point that must not be passed has been seen and the run has come up to it.
  [[nodiscard]] bool has_arrived() const;
  /// Whether something vanishes at the start of the step, where it has not before.
  [[nodiscard]] bool lies_on_singular_point();
  /// What vanishes at the point that the step must not pass.
  [[nodiscard]] std::string fold_text() const;

  void fields(Archive& a) {
    a(before_, after_, between_, probe_, largest_, n_told_, t_end_, fold_, is_ahead_);
  }

 private:
  // Divisors at the end of the open step, or at θ of it. False: they cannot be had.
  [[nodiscard]] bool find_after(double until);
  [[nodiscard]] bool meets_fold(double until);
  [[nodiscard]] bool lies_on_fold(const system::EquationSet& form);
  [[nodiscard]] std::optional<std::pair<double, std::size_t>> passed(double until);
  void step_kept(double until);
  [[nodiscard]] bool evaluate(double t, std::span<const double> x, std::vector<double>& values);
  [[nodiscard]] double find_root(std::size_t divisor, const trajectory::SegmentView& segment, double until);
  [[nodiscard]] bool is_singular(const trajectory::SegmentView& segment, double theta);
  void tell(double t, Index divisor);

  settle::RunState& state_;
  std::vector<double> before_;  // divisors at the start of the step; empty: not watched
  std::vector<double> after_;
  std::vector<double> between_;
  std::vector<double> probe_;
  std::vector<double> largest_;  // size of each divisor since the stretch began
  int n_told_ = 0;
  double t_end_ = 0.0;  // of what is to be kept
  std::size_t fold_ = 0;
  bool is_ahead_ = false;  // a singular point that must not be passed
};

}  // namespace saltus::hybrid
