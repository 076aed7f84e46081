/// Problem      variables that must not become negative (--nonnegative): steps that make them so are to be refused
/// Method       The error of a step is unknown in sign, so a value between -tolerance and 0 may stand for 0: it is kept and
///              counted. A value below -tolerance is more than the tolerance allows for: the step is taken back and repeated
///              with half its size, as after an error test that fails. Where that goes down to the smallest step the
///              solution itself leaves the bound, and the run ends with the reason bound_left.
/// Contract     Values are never changed. Looked at: the end of the step (or the event that ends it), kInnerPoints points within
///              it, and every time of the output grid in it, so no row shows a value below -tolerance. Also the point at
///              which a stretch begins: what the start or an event has set cannot be repaired by steps.
///              A value that is no number or cannot be computed leaves no bound: that is told where it matters.
/// Cost         where all bounded variables are states: a polynomial each per point; otherwise one evaluation of all outputs
/// Checked by   tests/unit/hybrid/bound_watch_test.cpp, tests/unit/api/nonnegative_test.cpp
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hybrid/run_state.hpp"
#include "trajectory/segment.hpp"

namespace saltus::hybrid {

class BoundWatch {
 public:
  explicit BoundWatch(RunState& state);

  [[nodiscard]] bool is_empty() const { return state_.options.bounds.empty(); }
  /// Variables have other places among the states now.
  void bind();
  /// False: a bound is left at the present point, and the run has ended.
  [[nodiscard]] bool holds_here();
  /// Whether all bounds hold on [0, until] of the step. Nothing is counted before keep().
  [[nodiscard]] bool holds_on(const trajectory::SegmentView& segment, double until);
  /// The step that was looked at last is kept.
  void keep();
  /// Ends the run: the step that was looked at last cannot be made smaller.
  void give_up(double step);
  /// Tells of values that were kept although they were negative.
  void tell() const;

 private:
  struct Low {
    double value = 0.0;  ///< the lowest, 0 or less
    double time = 0.0;
  };

  [[nodiscard]] bool look(double t, std::span<const double> x);
  [[nodiscard]] bool take(std::size_t k, double value, double t);
  [[nodiscard]] bool look_within(const trajectory::SegmentView& segment, double theta);
  [[nodiscard]] const Bound& bound(std::size_t k) const { return state_.options.bounds[k]; }

  RunState& state_;
  const Engine* engine_ = nullptr;
  std::vector<Index> place_;  // by bound: among the states, -1: elsewhere
  bool needs_outputs_ = false;
  std::vector<double> x_;
  std::vector<double> values_;
  std::vector<Low> in_step_;         // by bound
  std::vector<Low> kept_;            // … over the run
  std::vector<std::int64_t> count_;  // … steps in which it was negative
  std::size_t left_ = 0;             // the bound that was left
  double left_value_ = 0.0;
};

}  // namespace saltus::hybrid
