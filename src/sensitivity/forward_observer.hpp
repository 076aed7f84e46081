/// Forward sensitivities as an observer (forward.hpp): its state and its parts.
///
/// Contract     forward.cpp follows stretches, forward_instants.cpp goes through instants, forward_end.cpp is about the stop.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sensitivity/forward.hpp"
#include "sensitivity/instant/instant_variation.hpp"
#include "sensitivity/instant/slide_start.hpp"
#include "sensitivity/instant/stretch_start.hpp"
#include "sensitivity/instant/touches.hpp"
#include "sensitivity/stretch_variation.hpp"

namespace saltus::sensitivity {

class ForwardObserver final : public ForwardRun {
 public:
  ForwardObserver(const system::HybridSystem& system, const hybrid::Options& options,
                  std::span<const double> guess, const Setup& setup, hybrid::RunObserver& recorder,
                  Listener& listener)
      : source_{system, options, guess, setup, std::vector<double>(setup.columns.size(), 0.0)},
        recorder_(recorder),
        listener_(listener),
        instant_(source_),
        touch_search_(source_),
        direction_(options.stop >= options.start ? 1.0 : -1.0),
        scale_(std::max(std::abs(options.start), std::abs(options.stop))),
        s_(setup.x),
        discrete_(setup.discrete),
        sigma_(setup.columns.size(), 0.0),
        last_row_(std::nan("")) {
    for (const Column& column : setup.columns) {
      is_defined_.push_back(column.undefined.empty());
      if (!column.undefined.empty()) {
        tell_undefined(options.start, column.undefined, "'" + column.name + "'");
      }
    }
  }

  bool begin_stretch(const hybrid::Stretch& stretch) override {
    return recorder_.begin_stretch(stretch) && begin(stretch);
  }
  bool wants_segment(double t_end) override {
    (void)recorder_.wants_segment(t_end);
    return true;
  }
  bool step(const trajectory::SegmentView& segment, const hybrid::StepEnd& end) override {
    return recorder_.step(segment, end) && can_go_on_ && follow(segment, end);
  }
  bool instant(double t, std::int64_t segment, std::string_view mode,
               std::span<const double> values) override {
    if (!recorder_.instant(t, segment, mode, values) || !catch_up()) {
      return false;
    }
    const bool is_first = !std::exchange(has_rows_, true) && field_ != nullptr;
    last_segment_ = segment;
    last_mode_ = mode;
    note_values(values);
    note_values_near_stop(t, values);
    return !is_first || last_row_ == t ||
           give_row(t, field_->facts().segment, field_->facts().mode, left_limit_);
  }
  void finish() override;
  void restart(std::span<const double> s, std::span<const double> discrete, double step_size) override;
  [[nodiscard]] std::span<const double> states() const override { return s_; }
  [[nodiscard]] std::span<const double> discrete() const override { return discrete_; }
  [[nodiscard]] const std::string& problem() const override { return problem_; }
  [[nodiscard]] bool wants_moves() const override { return true; }
  void moved(const settle::InstantMove& move) override;
  bool between_steps() override { return recorder_.between_steps(); }
  void event(const hybrid::Event& event) override {
    recorder_.event(event);
    std::vector<double> sigma = sigma_of(event);
    for (std::size_t k = 0; k < sigma.size(); ++k) {
      sigma[k] = was_defined_[k] ? sigma[k] : std::nan("");
    }
    if (open_) {
      add_event(sigma);
    }
    listener_.event_time(sigma);
  }
  void warning(Diagnostic diagnostic) override { recorder_.warning(std::move(diagnostic)); }

 private:
  [[nodiscard]] bool begin(const hybrid::Stretch& stretch);
  [[nodiscard]] bool follow(const trajectory::SegmentView& segment, const hybrid::StepEnd& end);
  [[nodiscard]] bool catch_up();
  [[nodiscard]] bool go_along(bool to_end);
  void pass_touches(double to);
  [[nodiscard]] bool rows_within(double to);
  [[nodiscard]] bool rows_without_values();
  void find_tangents(double t, std::span<const double> x, std::span<const double> s,
                     std::vector<double>& tangents);
  [[nodiscard]] bool row(double t, std::span<const double> x, std::span<const double> s);
  [[nodiscard]] bool give_row(double t, std::int64_t segment, std::string_view mode,
                              std::span<const double> tangents);
  void leave_instant(const hybrid::Stretch& stretch);
  void leave_surfaces(double t, std::span<const double> sigma);
  [[nodiscard]] std::vector<bool> find_other_starts(const settle::InstantMove& move) const;
  void take_reached(StretchStart start, std::span<const double> x, const std::vector<double>& reached,
                    const std::vector<bool>& moved);
  [[nodiscard]] bool jumps_without_cause(double t);
  // Those of `which`, by column; empty: all.
  void undefine(double t, const std::string& why, const std::vector<bool>& which = {});
  void undefine_failed(double t);
  [[nodiscard]] std::vector<double> sigma_of(const hybrid::Event& event) const;
  [[nodiscard]] bool is_of(const hybrid::Event& event, Index guard) const;
  void approach_surfaces(const settle::InstantMove& move, const InstantPoint& point);
  void find_late(const settle::InstantMove& move);
  void tell_undefined(double t, const std::string& why, const std::string& names);
  [[nodiscard]] bool is_any_defined() const {
    return std::any_of(is_defined_.begin(), is_defined_.end(), [](bool is) { return is; });
  }
  [[nodiscard]] std::size_t n_columns() const { return source_.n_columns(); }
  // Of a row.
  [[nodiscard]] std::size_t n_values() const {
    return source_.system.variables().size() + source_.setup.guards.size();
  }
  void take_field(StretchFacts facts, bool is_new);
  void note_values(std::span<const double> values);
  [[nodiscard]] std::vector<double> tangents_along(std::span<const double> rates,
                                                   const std::vector<bool>& counts);
  void add_event(const std::vector<double>& sigma);
  void close_instant();
  // forward_end.cpp
  [[nodiscard]] bool is_near_stop(double t) const;
  [[nodiscard]] bool reaches_stop(double distance, double sigma, std::size_t k) const;
  void note_near_stop(const settle::InstantMove& move);
  void note_values_near_stop(double t, std::span<const double> values);
  void tell_final_values();
  [[nodiscard]] bool take_sides_at_stop(std::size_t k, std::vector<double>& final_values) const;
  [[nodiscard]] bool differ(double a, double b, double size) const;
  [[nodiscard]] std::vector<GuardPlace> places_beyond_stop();
  void take_choices_at_stop(std::vector<bool>& is_told, std::vector<double>& final_values);
  [[nodiscard]] std::vector<bool> reach_beyond_stop();
  void meet_constraints(double t, std::span<const double> x, std::span<double> s);

  FieldSource source_;
  hybrid::RunObserver& recorder_;
  Listener& listener_;
  InstantVariation instant_;
  TouchSearch touch_search_;
  std::vector<Touch> touches_;  // that S has not passed, in their order
  double direction_;
  double scale_;
  std::vector<double> s_;         // [state][column]
  std::vector<double> discrete_;  // [discrete variable][column]
  std::vector<double> sigma_;     // of the last instant
  std::vector<bool> is_defined_;
  std::vector<bool> was_defined_;  // before the last instant
  std::string problem_;            // why something is not defined

  std::vector<std::unique_ptr<StretchVariation>> plain_;  // by structure
  std::unique_ptr<StretchVariation> held_;                // of a stretch on surfaces
  StretchVariation* stretch_ = nullptr;
  StretchField* field_ = nullptr;  // of it
  double t_ = 0.0;                 // where the run stands
  std::vector<double> x_;
  std::vector<double> s_x_;      // x where S stands, or a row is
  double s_row_ = 0.0;           // up to where rows were asked for
  std::vector<double> between_;  // S within a step
  bool was_implicit_ = false;    // the step before
  bool can_go_on_ = true;        // no row was refused
  double step_size_ = 0.0;
  bool is_in_instant_ = false;      // between moved() and the stretch that follows
  bool has_rows_ = false;           // of the present instant
  std::vector<double> left_limit_;  // tangents before it
  std::int64_t last_segment_ = 0;
  std::string last_mode_;
  struct Before {
    std::vector<double> rates;
    KnownZeros zeros;  // where columns are unit changes
    bool is_time_fixed = false;
    bool is_start = false;
    std::vector<bool>
        other_starts;  // columns beside whose values something else happens at the start; or empty
  };
  Before before_;               // the instant
  std::vector<Index> resting_;  // guards of the present stretch
  std::vector<std::pair<Index, std::vector<bool>>>
      late_;  // guards of events whose time moves by itself, by column
  bool has_unit_columns_ = false;
  bool is_before_start_ = false;  // nothing but the instant of the start has been seen
  double last_row_;
  std::vector<double> tangents_;
  // An instant so close to the stop that parameters may take it there, before and after it.
  struct NearStop {
    double t = 0.0;
    std::vector<double> sigma;
    std::vector<double> before;  // tangents
    std::vector<double> values_before;
    std::vector<double> values_after;
    std::vector<Index> crossed;  // guards
  };
  std::vector<NearStop> near_stop_;
  std::optional<InstantTangents> open_;  // the present instant, where the listener wants it
};

}  // namespace saltus::sensitivity
