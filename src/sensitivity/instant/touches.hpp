/// Guards that touch their surfaces within a step and turn back: beside the run they cross, and no derivative says so.
///
/// Problem    where a guard comes so close to its surface that a small change of a parameter leads over it, for a time O(√δ)
/// Method     values at the ends and in the middle of the step; where one of them is not far from zero against its changes, at kParts more points, and least
///            distances by golden sections. Whether a parameter reaches the surface from there, and whether sides matter, as where a stretch begins
///            (stretch_start.hpp).
/// Contract   steps of one stretch in their order. Guards that rest at zero are no touches; those at the start of a stretch belong to its start, and at its
///            end to the instant that follows.
/// Choices    a guard is near its surface where a change of the states by kTolerancesOfTouch tolerances, or rounding, leads to it: who asks knows its parameters.
/// Fails when guards have no values on the step: then there is none
/// Cost       two evaluations of all guards for a step
/// Checked by tests/sensitivity/touches_test.cpp
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sensitivity/instant/surface_places.hpp"
#include "trajectory/segment.hpp"

namespace saltus::sensitivity {

struct Touch {
  GuardPlace place;
  double t = 0.0;
  double resolution = 0.0;  ///< of the guard: kTolerancesOfReach tolerances in the states, or rounding errors

  /// The run itself does not tell whether the surface is crossed.
  [[nodiscard]] bool is_within_error() const { return place.distance <= resolution; }
};

class TouchSearch {
 public:
  explicit TouchSearch(const FieldSource& source) : source_(source) {}

  /// A stretch of this field begins.
  void begin(const StretchField& field);
  /// In the order of time.
  [[nodiscard]] std::vector<Touch> find(StretchField& field, const trajectory::SegmentView& step);

 private:
  // A guard and a level that it has not crossed.
  struct Watched {
    Index guard = -1;
    double level = 0.0;
  };
  [[nodiscard]] bool values_at(StretchField& field, const trajectory::SegmentView& step, double theta,
                               std::vector<double>& values);
  [[nodiscard]] double distance_at(StretchField& field, const trajectory::SegmentView& step,
                                   const Watched& watched, double theta);
  void look_closer(StretchField& field, const trajectory::SegmentView& step, const Watched& watched,
                   bool approached, double far, std::vector<Touch>& touches);
  [[nodiscard]] double least_within(StretchField& field, const trajectory::SegmentView& step,
                                    const Watched& watched, double from, double to);
  [[nodiscard]] std::optional<Touch> touch_at(StretchField& field, const trajectory::SegmentView& step,
                                              const Watched& watched, double theta, double far);

  const FieldSource& source_;
  std::vector<Watched> watched_;
  std::vector<Index> guards_;
  std::vector<double> x_;
  std::vector<double> at_start_;
  std::vector<double> in_middle_;
  std::vector<double> at_end_;
  std::vector<double> far_;       // the greatest distance in this stretch, by watched
  std::vector<bool> approaches_;  // at the end of the step before, by watched
};

}  // namespace saltus::sensitivity
