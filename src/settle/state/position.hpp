/// The point at which a run stands, the field that can be evaluated there, and what moved it in the present instant.
///
/// Problem      states, structure, configuration and the evaluator that belongs to them must change together, or something is evaluated
///              that holds nowhere; and what moves x within an instant must be known afterwards
/// Method       one owner. A step moves the point by step_to(); within an instant there are exactly two ways to change its states:
///              move() within the structure, and enter(), the only way into a structure. Both record a Factor (move.hpp).
/// Contract     field() belongs to the structure of the point: enter() makes it that of the structure entered, with the configuration of
///              the point. Sides and what is slid on may change after that; then SlidingControl::install() gives the field anew.
///              Trials are copies: begin_trial(), take_back().
/// Checked by   tests/unit/settle/position_test.cpp
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/archive.hpp"
#include "settle/state/move.hpp"
#include "settle/state/point.hpp"

namespace saltus::settle {

class Position {
 public:
  struct Trial {
    Point before;
    std::size_t n_factors = 0;
    std::size_t n_steps = 0;
  };

  Position(double start, std::size_t n_guards);

  [[nodiscard]] const Point& point() const { return point_; }
  [[nodiscard]] const trajectory::CompensatedTime& t() const { return point_.t; }
  [[nodiscard]] double time() const { return point_.t.value(); }
  [[nodiscard]] const std::vector<double>& x() const { return point_.x; }
  [[nodiscard]] bool has_mode() const { return point_.mode != nullptr; }
  [[nodiscard]] ModeData& mode() const { return *point_.mode; }
  [[nodiscard]] const system::Configuration& configuration() const { return point_.configuration; }
  [[nodiscard]] double latched(Index guard) const {
    return point_.configuration.latched[static_cast<std::size_t>(guard)];
  }
  [[nodiscard]] const std::vector<Index>& surfaces() const { return point_.slide.surfaces; }
  [[nodiscard]] bool is_sliding() const { return !point_.slide.surfaces.empty(); }
  [[nodiscard]] SlideKind slide_kind(Index guard) const {
    return point_.slide.kinds[static_cast<std::size_t>(guard)];
  }
  [[nodiscard]] bool is_slid_on(Index guard) const { return slide_kind(guard) != SlideKind::none; }
  [[nodiscard]] ModeData* partner() const { return point_.slide.partner; }
  [[nodiscard]] double level() const { return point_.slide.level; }
  [[nodiscard]] const std::vector<slide::Contact>& rests() const { return point_.rests; }
  [[nodiscard]] bool is_at_rest() const { return !point_.rests.empty(); }
  [[nodiscard]] bool rests_on(Index guard) const {
    return std::any_of(point_.rests.begin(), point_.rests.end(),
                       [guard](const slide::Contact& contact) { return contact.guard == guard; });
  }
  /// The equations of the point, with what is slid on or held at rest.
  [[nodiscard]] system::Evaluator& field() const { return *field_; }

  // Between instants.
  void step_to(const trajectory::CompensatedTime& t, std::span<const double> x);
  /// A kink without an instant (docs/semantics.md 8.2).
  void flip(Index guard, double side);

  // Within an instant.
  void begin_instant() {
    how_.clear();
    steps_.clear();
  }
  /// What was done since then, in order.
  [[nodiscard]] std::span<const Factor> how() const { return how_; }
  /// From now on the same with the values and rounds, in steps().
  void keep_steps() { keeps_steps_ = true; }
  [[nodiscard]] bool keeps_steps() const { return keeps_steps_; }
  [[nodiscard]] const std::vector<MoveStep>& steps() const { return steps_; }
  /// What is done next is what this round gives, be it nothing but discrete values.
  void note_round(RoundRecord round) { round_ = std::move(round); }
  void move(Factor factor, std::span<const double> x);
  /// Of a state: what an error of one tolerance is.
  [[nodiscard]] double tolerance(std::size_t i) const;
  /// How far these states are from the present ones: the largest difference, in tolerances of its state.
  [[nodiscard]] double distance_to(std::span<const double> x) const;
  void enter(ModeData& mode, std::span<const double> x, Factor factor);
  /// What may have to be taken back is begun here …
  [[nodiscard]] Trial begin_trial() const { return {point_, how_.size(), steps_.size()}; }
  /// … and is taken back whole.
  void take_back(const Trial& trial);
  void set_mode_of_configuration(ModeId mode) { point_.configuration.mode = mode; }
  void set_latched(Index guard, double value) {
    point_.configuration.latched[static_cast<std::size_t>(guard)] = value;
  }
  void set_discrete(std::span<const double> values);

  void slide_on(Index guard, SlideKind kind) { point_.slide.add(guard, kind); }
  void leave_surface(Index guard) { point_.slide.remove(guard); }
  void stop_sliding() { point_.slide.clear(); }
  void slide_between(ModeData& partner) { point_.slide.partner = &partner; }
  void slide_at_level(double level) { point_.slide.level = level; }
  /// Whether a force can hold a guard there: with constraints on states their multipliers would not know of it.
  [[nodiscard]] static bool can_rest_in(const ModeData& mode) {
    return mode.locked->reduction() == system::Reduction::structural && mode.locked->constraints() == nullptr;
  }
  void rest_on(slide::Contact contact) { point_.rests.push_back(std::move(contact)); }
  void let_go(Index guard) {
    std::erase_if(point_.rests, [guard](const slide::Contact& contact) { return contact.guard == guard; });
  }
  void set_field(system::Evaluator& field) { field_ = &field; }
  /// Once all that may be the field is known.
  void field_fields(Archive& a) { a.pointer(field_); }

  /// The start: a point without a past.
  void begin(ModeData& mode, const system::Configuration& configuration, std::span<const double> x);

  void fields(Archive& a) {
    // Not saved: of an instant how_, steps_, round_; keeps_steps_, an option; field_, by field_fields().
    a(point_);
  }

 private:
  void use_field_of_mode();
  void keep_step(Factor factor);
  void take_rests_into(const ModeData& mode);

  Point point_;
  system::Evaluator* field_ = nullptr;
  std::vector<Factor> how_;
  bool keeps_steps_ = false;
  std::vector<MoveStep> steps_;
  std::optional<RoundRecord> round_;  // of the next step
};

}  // namespace saltus::settle
