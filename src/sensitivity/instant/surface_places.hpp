/// Guards that are zero at a point, and what moves them from there.
///
/// Contract   guards whose sides may matter: none that is smooth across its surface, set from outside or slid on.
///            A guard counts as zero within rounding errors, or, for a column, where a change of it by kTolerancesOfReach tolerances of its size reaches the surface.
/// Checked by tests/sensitivity/surface_start_test.cpp
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sensitivity/instant/event_time.hpp"

namespace saltus::sensitivity {

/// A guard at a point.
struct GuardPlace {
  Index guard = -1;
  double level = 0.0;     ///< the nearest one at which its side changes
  double distance = 0.0;  ///< from it
};

/// Guards but `passed` whose sides may matter.
[[nodiscard]] std::vector<Index> deciding_guards(const FieldSource& source, const StretchField& field,
                                                 std::span<const Index> passed);
/// Of these.
[[nodiscard]] std::vector<GuardPlace> guard_places(const FieldSource& source, StretchField& field, double t,
                                                   std::span<const double> x, std::span<const Index> passed);
/// Of the field with the guard on each of the sides next to the level that it does not have.
[[nodiscard]] std::vector<system::Configuration> other_sides(const FieldSource& source,
                                                             const StretchField& field,
                                                             const GuardPlace& place);
[[nodiscard]] bool is_zero(StretchField& field, const GuardPlace& place, double t, std::span<const double> x);
/// Changes of parameters by this many relative tolerances count as small: what they reach the run does not tell apart.
inline constexpr double kTolerancesOfReach = 10.0;
/// Parameters that move times by more lengths of the run for a change by their own size are not reckoned with.
inline constexpr double kMostMotion = 1e3;
/// A small change of column k, which moves the guard by `tangent`, leads to the surface.
[[nodiscard]] bool reaches(const FieldSource& source, const StretchField& field, const GuardPlace& place,
                           double tangent, std::size_t k);
/// Small changes of all columns together do: of unit changes, whatever the run may be mistaken in.
[[nodiscard]] bool all_reach(const FieldSource& source, const StretchField& field, const GuardPlace& place,
                             std::span<const double> tangents);

/// dg/dp, [guard][column], where time moves by `sigma`; NaN where there is none.
[[nodiscard]] std::vector<double> tangents_of_guards(const FieldSource& source, StretchField& field,
                                                     const InstantPoint& point, std::span<const double> sigma,
                                                     std::span<const Index> guards);

/// As the user wrote it.
[[nodiscard]] std::string condition_of(const FieldSource& source, Index guard);

/// By column: whether it moves the guard, which is zero at `point`, from its surface. Empty: the guard has no value.
[[nodiscard]] std::vector<bool> moves_from_surface(const FieldSource& source, StretchField& field,
                                                   Index guard, const InstantPoint& point,
                                                   std::span<const double> sigma);
/// … one of the guards on whose surfaces the run rests.
[[nodiscard]] std::vector<bool> moves_resting(const FieldSource& source, StretchField& field,
                                              std::span<const Index> resting, const InstantPoint& point);

/// Whether a guard, other than `passed`, whose sides may matter is so close to its surface that small changes of states and of the time, by `time_change`
/// for a relative tolerance, lead to it. `point`: rates and tangents are not read.
[[nodiscard]] bool is_near_surface(const FieldSource& source, StretchField& field, const InstantPoint& point,
                                   double time_change, std::span<const Index> passed);

/// What is zero for all parameters of a run while it rests on surfaces or slides on them: G of their guards, and its derivatives.
class KnownZeros {
 public:
  /// Sums over columns, [column], each as far as the others do not say it.
  void add(std::span<const Column> columns, std::vector<double> row, double tolerance);
  /// Takes multiples of them from `row`.
  void take_from(std::span<double> row) const;

 private:
  struct Row {
    std::size_t pivot = 0;
    std::vector<double> values;
  };
  std::vector<Row> rows_;
};

/// Of the run at `point`.
[[nodiscard]] KnownZeros find_known_zeros(const FieldSource& source, StretchField& field,
                                          const InstantPoint& point);

}  // namespace saltus::sensitivity
