/// What an instant does to S: every factor of its move, differentiated, in order.
///
/// Problem    X = ∂x(t*(p), p)/∂p before the instant becomes that after it: X ← M_x·X + M_t·σ + M_p for each factor M
/// Method     X⁻ = S⁻ + f⁻·σ (event_time.hpp). Rounds by their tangents (round_variation.hpp); what enters another structure or
///            is solved with constraints is done again beside the run (instant_replay.hpp). What only takes rounding away, or chooses a side,
///            moves nothing. After the instant S⁺ = X⁺ - f⁺·σ.
///            Guards that cross together and do not move together are followed one after the other, where nothing jumps (crossing_orders.hpp).
/// Contract   Undefined, with a reason, where a factor has no derivative or none is known: grazing, orders that disagree, rest after
///            an accumulation, the middle of a band.
/// Checked by tests/sensitivity/forward_test.cpp
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sensitivity/field/stretch_field.hpp"
#include "sensitivity/instant/crossing_orders.hpp"
#include "sensitivity/instant/event_time.hpp"
#include "sensitivity/instant/instant_replay.hpp"
#include "sensitivity/instant/round_variation.hpp"

namespace saltus::sensitivity {

/// Whether a factor stays in this structure and is a round by its own equations, or moves nothing.
[[nodiscard]] bool stays(const settle::MoveStep& step, const system::StructureId& structure);

class InstantVariation {
 public:
  explicit InstantVariation(const FieldSource& source) : source_(source), rounds_(source), replay_(source) {}

  /// From the left limit; `discrete` is D. False: undefined, problem() says why.
  [[nodiscard]] bool pass(StretchField& before, const InstantPoint& point, const settle::InstantMove& move);
  [[nodiscard]] const std::string& problem() const { return problem_; }

  /// After it: X⁺ by state of structure(), D⁺, σ, and tangents of all variables where a round gave them (else empty).
  [[nodiscard]] const system::StructureId& structure() const { return structure_; }
  [[nodiscard]] const std::vector<double>& x() const { return x_; }
  [[nodiscard]] const std::vector<double>& discrete() const { return discrete_; }
  [[nodiscard]] const std::vector<double>& sigma() const { return sigma_; }
  [[nodiscard]] const std::vector<double>& values() const { return values_; }
  /// Something says when the instant is.
  [[nodiscard]] bool has_cause() const { return has_cause_ && unknown_time_.empty(); }
  /// Why σ is undefined where X is that of S⁻: it is right if the rates do not jump. Empty: σ is known.
  [[nodiscard]] const std::string& unknown_time() const { return unknown_time_; }
  /// Guards that crossed together and do not move together; empty: none.
  [[nodiscard]] const std::vector<Index>& parting() const { return parting_; }
  /// They have been followed one after the other: x() is S⁺ itself, and this is σ of each of them. Else columns for which they part are undefined.
  [[nodiscard]] const std::optional<TogetherCrossed>& together() const { return together_; }
  /// Columns that are undefined though pass() has succeeded, and why; by column, or empty.
  [[nodiscard]] const std::vector<bool>& undefined() const { return undefined_; }
  [[nodiscard]] const std::string& why_undefined() const { return why_undefined_; }
  /// Columns for which σ is not known though it is for others, and why: as unknown_time(). By column, or empty.
  [[nodiscard]] const std::vector<bool>& without_time() const { return without_time_; }
  [[nodiscard]] const std::string& why_without_time() const { return unknown_time_of_columns_; }

 private:
  [[nodiscard]] bool has_tangents(const settle::MoveStep& step);
  [[nodiscard]] bool apply_round(StretchField& before, const InstantPoint& point,
                                 const settle::MoveStep& step);
  [[nodiscard]] bool replay(StretchField& before, const InstantPoint& point, const settle::InstantMove& move);
  [[nodiscard]] bool need_values(StretchField& before, const InstantPoint& point);
  [[nodiscard]] bool is_near(std::span<const double> a, std::span<const double> b) const;
  [[nodiscard]] bool changes_only_sides(const settle::InstantMove& move) const;
  [[nodiscard]] bool take_together(StretchField& before, const InstantPoint& point,
                                   const settle::InstantMove& move, const std::vector<bool>& parts);
  [[nodiscard]] bool changes_nothing_else(const settle::InstantMove& move);
  void restore(const InstantPoint& point, const std::vector<bool>& which);
  void add_undefined(const std::vector<bool>& which, const std::string& why);
  void rest_undefined();
  bool fail(std::string problem);

  const FieldSource& source_;
  RoundVariation rounds_;
  InstantReplay replay_;
  std::string problem_;
  std::string unknown_time_;
  system::StructureId structure_;
  std::vector<double> x_;
  std::vector<double> values_;  // [variable][column]; empty: not known yet
  std::vector<double> discrete_;
  std::vector<double> sigma_;
  std::vector<double> reinits_;  // of the last round
  std::vector<Index> parting_;
  std::optional<TogetherCrossed> together_;
  std::vector<bool> undefined_;
  std::string why_undefined_;
  std::vector<bool> without_time_;
  std::string unknown_time_of_columns_;
  bool has_cause_ = false;
};

}  // namespace saltus::sensitivity
