/// Problem      variables that must not become negative (--nonnegative): steps that make them so are to be refused
/// Method       A step after which a variable is below -tolerance is taken back and repeated with half its size, as after an
///              error test that fails. Where that goes down to the smallest step the solution itself leaves the bound, and the
///              run ends with the reason bound_left.
///              A value between -tolerance and 0 may stand for 0: the error of a step has no known sign. It is kept and
///              counted. But beyond zero a solution may run away from the true one (Robertson's reaction), so a step that
///              crosses zero is halved a few times first; if that does not help, the variable really comes to zero, and crossings
///              within the tolerance are kept at once until it has been above its tolerance again.
/// Contract     Values are never changed. Looked at: the end of the step (or the event that ends it), kInnerPoints points within
///              it, and every time of the output grid in it, so no row shows a value below -tolerance. Also the point at
///              which a stretch begins: what the start or an event has set cannot be repaired by steps.
///              A value that is no number or cannot be computed leaves no bound: that is told where it matters.
/// Cost         where all bounded variables are states: a polynomial each per point; otherwise one evaluation of all outputs
/// Checked by   tests/unit/api/nonnegative_test.cpp
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/archive.hpp"
#include "hybrid/run.hpp"
#include "settle/state/run_state.hpp"
#include "trajectory/segment.hpp"

namespace saltus::hybrid {

class BoundWatch {
 public:
  explicit BoundWatch(settle::RunState& state);

  [[nodiscard]] bool is_empty() const { return state_.options().bounds.empty(); }
  /// Variables have other places among the states now.
  void bind();
  /// False: a bound is left at the present point, and the run has ended.
  [[nodiscard]] bool holds_here();
  /// What becomes of a step.
  enum class Verdict : std::uint8_t {
    keep,
    try_smaller,  ///< zero is crossed within the tolerance: a smaller step may do better; it may be kept too
    refuse,       ///< a bound is left
  };
  /// Of the part [0, until] of the step. Nothing is counted before keep().
  [[nodiscard]] Verdict look_at(const trajectory::SegmentView& segment, double until);
  /// The step that was looked at last is kept.
  void keep();
  /// Ends the run: the step that was looked at last cannot be made smaller.
  void give_up(double step);
  /// Tells of values that were kept although they were negative.
  void tell() const;

  void fields(Archive& a) {
    a.pointer(engine_);
    a(place_, needs_outputs_, x_, values_, followed_, n_tries_, left_, left_value_);
  }

 private:
  struct Low {
    double value = 0.0;  ///< the lowest, 0 or less
    double time = 0.0;
  };

  // Of one bound.
  struct Follow {
    Low in_step = {};             // of the step looked at
    Low lowest = {};              // of the run
    std::int64_t n_negative = 0;  // steps kept with negative values
    double before = 0.0;          // at the accepted point
    double end = 0.0;             // at the last point looked at
    double largest = 0.0;         // |value| at accepted points
    bool comes_to_zero = false;   // smaller steps did not keep it from crossing zero

    void fields(Archive& a) {
      a(in_step.value, in_step.time, lowest.value, lowest.time, n_negative, before, end, largest,
        comes_to_zero);
    }
  };

  [[nodiscard]] bool crosses(std::size_t k) const;
  [[nodiscard]] bool look(double t, std::span<const double> x);
  [[nodiscard]] bool holds_on(const trajectory::SegmentView& segment, double until);
  [[nodiscard]] bool take(std::size_t k, double value, double t);
  [[nodiscard]] bool look_within(const trajectory::SegmentView& segment, double theta);
  [[nodiscard]] const Bound& bound(std::size_t k) const { return state_.options().bounds[k]; }

  settle::RunState& state_;
  settle::Engine* engine_ = nullptr;
  std::vector<Index> place_;  // by bound: among the states, -1: elsewhere
  bool needs_outputs_ = false;
  std::vector<double> x_;
  std::vector<double> values_;
  std::vector<Follow> followed_;  // by bound
  int n_tries_ = 0;               // smaller steps tried in place of one that crosses zero
  std::size_t left_ = 0;          // the bound that was left
  double left_value_ = 0.0;
};

}  // namespace saltus::hybrid
