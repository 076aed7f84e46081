/// Variables that no rate needs: whether they still have values at the end of a step, and are the same solution of their equations.
///
/// Problem      such variables are solved for where rows are asked for. Where their equations have no solution any more the steps would go
///              on; and beyond a fold an iteration that begins at the last value may end at another solution, with nobody to notice
/// Method       values at the end of every step; where they are iterated for, also in the middle, beginning at those before: a curve is
///              followed if each middle is near the mean of its ends, else both halves are looked at, down to kMostHalvings. What
///              jumps in so short a part of a step is another solution.
/// Contract     nothing is asked of models whose values exist wherever their rates do (LockedDae::outputs_may_be_missing). A verdict
///              against the step asks for a smaller one: the run ends where none is small enough.
/// Fails when   two solutions are nearer to each other than the tolerance
/// Cost         one evaluation of the outputs for a step, two where they are iterated for
/// Checked by   tests/events/missing_values_test.cpp
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/archive.hpp"
#include "settle/state/run_state.hpp"
#include "trajectory/segment.hpp"

namespace saltus::hybrid {

class ValueWatch {
 public:
  enum class Verdict : std::uint8_t { keep, missing, jumps };

  explicit ValueWatch(settle::RunState& state) : state_(state) {}

  /// As for Evaluator::copy_output_solutions.
  void set_guess_size(std::size_t n_guess) { n_guess_ = n_guess; }
  /// A stretch begins at the present point.
  void restarted();
  /// The open step is to be kept up to θ = `until`.
  [[nodiscard]] Verdict look(double until);
  /// The step that was looked at last is kept.
  void step_kept();
  /// The variable that jumps, after that verdict; -1 after others.
  [[nodiscard]] Index jumping() const { return jumping_; }
  /// Of the last verdict against a step.
  [[nodiscard]] const system::Evaluation& why() const { return why_; }

  void fields(Archive& a) {
    // Not saved: n_guess_.
    a(is_asked_, follows_, jumping_, why_, before_, begin_, ends_, thetas_, middle_, guess_, begin_guess_,
      x_);
  }

 private:
  static constexpr int kMostHalvings =
      24;  // of a step: a part of 6e-8, in which no solution that is followed moves far

  [[nodiscard]] Verdict follow(const trajectory::SegmentView& segment, double until);
  [[nodiscard]] bool evaluate(double t, std::span<const double> x, std::vector<double>& values);
  [[nodiscard]] bool evaluate(const trajectory::SegmentView& segment, double theta,
                              std::vector<double>& values);
  // The first variable whose middle is not near the mean of its ends; -1: none.
  [[nodiscard]] Index find_bend(std::span<const double> begin, std::span<const double> middle,
                                std::span<const double> end) const;

  settle::RunState& state_;
  bool is_asked_ = false;
  bool follows_ = false;
  Index jumping_ = -1;
  system::Evaluation why_;
  std::vector<double> before_;             // at the start of the step
  std::vector<double> begin_;              // of the part that is looked at
  std::vector<std::vector<double>> ends_;  // of it, and of those that enclose it
  std::vector<double> thetas_;             // of ends_
  std::vector<double> middle_;
  std::size_t n_guess_ = 0;
  std::vector<double> guess_;        // where iterations begin at the start of the step …
  std::vector<double> begin_guess_;  // … and of the part
  std::vector<double> x_;
};

}  // namespace saltus::hybrid
