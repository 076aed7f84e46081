/// How the time of an instant moves with the parameters: σ = ∂t*/∂p.
///
/// Problem    g(t*, x(t*, p), d, p) = 0 for what crossed, or t* = start + k·interval for what was due
/// Method     σ = -(∂g/∂x·S + ∂g/∂d·D + ∂g/∂p)/ġ with ġ of the field before, never of the extension. Clocks: over the
///            twins. What crosses together must move together: guards whose σ differ have an order that depends on the parameters.
///            A guard whose ġ vanishes beside another that crosses transversally and keeps it at zero (x³ beside x) counts as implied.
/// Contract   grazing: the guard would not reach its surface for a change of the states by a tolerance, ġ² ≤ 2·|g̈|·δg with
///            δg = Σ |∂g/∂xᵢ|·(rtol·|xᵢ| + atolᵢ), or ġ is within its noise. Then σ is undefined for columns that move the guard: those for which G and its
///            derivatives along the field (contact.hpp) are not zero.
/// Fails when guards or their derivatives have no value: `problem` says so
/// Checked by tests/sensitivity/closed_forms_test.cpp, tests/sensitivity/undefined_test.cpp
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sensitivity/field/stretch_field.hpp"
#include "settle/state/move.hpp"

namespace saltus::sensitivity {

/// Where an instant takes place, with what moves there.
struct InstantPoint {
  double t = 0.0;
  std::span<const double> x;
  std::span<const double> rates;     ///< f⁻
  std::span<const double> s;         ///< S⁻, [state][column]
  std::span<const double> discrete;  ///< D
  double time_size = 1.0;            ///< a step of the run
};

struct EventTime {
  std::vector<double> sigma;  ///< by column
  std::string problem;        ///< why it is undefined; empty: it is not
  /// Guards (-1: a clock) that cross at times that differ when some parameters move; empty: all move together.
  std::vector<Index> parting;
  std::vector<bool> parts;  ///< by column: whether they differ for it; empty where nothing parts
  /// By column: whether a guard that grazes moves with it; then σ is undefined for it. Empty: none.
  std::vector<bool> unknown;
  std::string unknown_problem;
};

[[nodiscard]] EventTime find_event_time(const FieldSource& source, StretchField& field,
                                        const InstantPoint& point, const settle::InstantMove& move);

/// How fast a guard moves along the field before the instant.
struct GuardRate {
  double value = 0.0;   ///< ġ
  double error = 0.0;   ///< what a tolerance in the states is in the guard
  double change = 0.0;  ///< … in states and in time
  bool grazes = false;
};
[[nodiscard]] GuardRate rate_of_guard(const FieldSource& source, StretchField& field, Index guard,
                                      const InstantPoint& point);
/// Of a clock that was due at t, by column.
void clock_time(const FieldSource& source, Index clock, double t, std::vector<double>& sigma);

/// How a guard moves at a point, in the present configuration of the field.
struct GuardMotion {
  std::vector<double> tangents;  ///< by column, at fixed time
  double rate = 0.0;             ///< ġ
  double error = 0.0;            ///< what a tolerance in the states is in the guard
  bool grazes = false;
  std::string problem;  ///< why there are no tangents
};

/// Beyond the guards of the system: of weights of sliding.
[[nodiscard]] GuardMotion motion_of(const FieldSource& source, StretchField& field, Index guard,
                                    const InstantPoint& point);

/// To this part times and derivatives agree that are the same.
[[nodiscard]] double agreement(double rtol);
[[nodiscard]] inline double agreement(const StretchField& field) {
  return agreement(field.tolerances().rtol);
}
/// Whether two numbers for each state do, against its nominal value over `size`: of the column that they belong to; of rates 1.
[[nodiscard]] bool agree_by_state(const StretchField& field, std::span<const double> a,
                                  std::span<const double> b, double size = 1.0);

/// How far a guard may be from its surface for a move of column k, per its size, and count as on it: `terms` is the size of what adds up to that.
[[nodiscard]] double slack_of(const FieldSource& source, const StretchField& field, double terms,
                              double guard_error, std::size_t k);

/// Whether two times move alike with column k.
[[nodiscard]] bool move_alike(const FieldSource& source, std::size_t k, double a, double b, double tolerance,
                              double time_size);

}  // namespace saltus::sensitivity
