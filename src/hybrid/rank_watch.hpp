/// Changes of the characteristic values that last over a step, in modes reduced by ranks.
///
/// Problem      the ranks at the end of a step are others than those of the analysis: does another structure begin within the step,
///              and where, or was a point hit at which the equations are singular
/// Method       the characteristic values half a step beyond the end (on the continued polynomial) decide: the same as before, and
///              nothing has changed; others, and the change is located by bisection of the step, each probe a full
///              analysis. Where no step can be made at all, the straight line from the present point is looked at in the same way
///              (DESIGN 5, [Wun08] 7.1.1)
/// Contract     Looks at the open step of the stepper and changes neither it nor the state of the run; the evaluator goes on
///              from its kept solutions.
/// Choices      A strip of another structure that is shorter than half a step is a singular point (singular_watch.hpp). Not
///              looked for while sliding: there the weights belong to the equations.
/// Cost         nothing while ranks are the same; some 50 analyses for a change
/// Checked by   tests/unit/api/rank_change_test.cpp
#pragma once

#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/archive.hpp"
#include "reduce/ranks/characteristic_values.hpp"
#include "settle/state/run_state.hpp"
#include "trajectory/segment.hpp"

namespace saltus::hybrid {

struct RankChange {
  trajectory::SegmentView segment;  ///< up to the change and beyond
  double theta = 1.0;               ///< of the first point of the new structure
  std::string before;               ///< (μ, d, a, u, v)
  std::string after;
};

class RankWatch {
 public:
  explicit RankWatch(settle::RunState& state) : state_(state) {}

  /// Of the accepted step, which is kept up to θ = `until`.
  [[nodiscard]] std::optional<RankChange> look(double until);
  /// From the present point, where a step of no size can be made; ranks of before are those of the last analysis.
  [[nodiscard]] std::optional<RankChange> look_ahead();
  /// … along these rates.
  [[nodiscard]] std::optional<RankChange> look_along(std::span<const double> rates);
  /// The signed size of a step that is kept.
  void step_kept(double h) { step_ = std::abs(h) > kFading * std::abs(step_) ? h : kFading * step_; }

  void fields(Archive& a) { a(step_, probe_, line_); }

 private:
  [[nodiscard]] bool applies() const;
  [[nodiscard]] bool is_other(const trajectory::SegmentView& segment, double theta);
  [[nodiscard]] std::optional<reduce::CharacteristicValues> values_at(const trajectory::SegmentView& segment,
                                                                      double theta);
  [[nodiscard]] RankChange locate(const trajectory::SegmentView& segment, double until,
                                  const reduce::CharacteristicValues& after);

  settle::RunState& state_;
  // Steps before the point at which none can be made any more are short: what they were before counts.
  static constexpr double kFading = 0.995;
  double step_ = 0.0;
  std::vector<double> probe_;
  std::vector<double> line_;  // coefficients of a straight segment
};

}  // namespace saltus::hybrid
