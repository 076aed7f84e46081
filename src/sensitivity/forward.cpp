#include "sensitivity/forward.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/time_tolerance.hpp"
#include "sensitivity/diagnostic_codes.hpp"
#include "sensitivity/field/value_tangents.hpp"
#include "sensitivity/forward_observer.hpp"

namespace saltus::sensitivity {

void ForwardObserver::tell_undefined(double t, const std::string& why, const std::string& names) {
  Diagnostic diagnostic;
  diagnostic.code = kSensitivityUndefined.name;
  diagnostic.severity = Severity::warning;
  diagnostic.message = fmt::format("from t = {:.9g} on sensitivities to {} are undefined: {}", t, names, why);
  listener_.undefined(std::move(diagnostic));
}

void ForwardObserver::undefine(double t, const std::string& why, const std::vector<bool>& which) {
  std::string names;
  for (std::size_t k = 0; k < is_defined_.size(); ++k) {
    if (is_defined_[k] && (which.empty() || which[k])) {
      names += (names.empty() ? "'" : ", '") + source_.setup.columns[k].name + "'";
      is_defined_[k] = false;
    }
  }
  if (!names.empty()) {
    problem_ = why;
    tell_undefined(t, why, names);
  }
}

void ForwardObserver::undefine_failed(double t) {
  if (!field_->failed().empty()) {
    undefine(t, "beside its value the equations have another structure", field_->failed());
  }
}

void ForwardObserver::take_field(StretchFacts facts, bool is_new) {
  if (!facts.surfaces.empty()) {
    held_ = std::make_unique<StretchVariation>(source_, std::move(facts));
    stretch_ = held_.get();
  } else {
    const auto known = std::find_if(plain_.begin(), plain_.end(), [&](const auto& plain) {
      return plain->field.facts().structure == facts.structure;
    });
    // One that could not be made is tried again: there is nothing in it that could go on.
    if (known != plain_.end() && !is_new && (*known)->field.failure().empty()) {
      (*known)->take(std::move(facts));
      stretch_ = known->get();
    } else {
      if (known != plain_.end()) {
        plain_.erase(known);
      }
      stretch_ = plain_.emplace_back(std::make_unique<StretchVariation>(source_, std::move(facts))).get();
    }
  }
  field_ = &stretch_->field;
}

void ForwardObserver::meet_constraints(double t, std::span<const double> x, std::span<double> s) {
  if (!is_any_defined() || stretch_->constraints->is_empty()) {
    return;
  }
  if (!stretch_->constraints->meet(t, x, discrete_, s).ok()) {
    undefine(t, "constraints have no derivatives");
  }
  stretch_->flow->moved();
}

void ForwardObserver::find_tangents(double t, std::span<const double> x, std::span<const double> s,
                                    std::vector<double>& tangents) {
  find_value_tangents(source_, *field_, t, x, {source_.fixed_time, s, discrete_}, is_defined_, tangents);
}

bool ForwardObserver::row(double t, std::span<const double> x, std::span<const double> s) {
  find_tangents(t, x, s, tangents_);
  return give_row(t, field_->facts().segment, field_->facts().mode, tangents_);
}

bool ForwardObserver::give_row(double t, std::int64_t segment, std::string_view mode,
                               std::span<const double> tangents) {
  last_row_ = t;
  return listener_.row(t, segment, mode, tangents);
}

bool ForwardObserver::begin(const hybrid::Stretch& stretch) {
  if (!catch_up()) {
    return false;
  }
  StretchFacts facts{
      stretch.structure, *stretch.configuration, {stretch.surfaces.begin(), stretch.surfaces.end()},
      stretch.level,     stretch.segment,        std::string(stretch.mode)};
  const bool is_first = field_ == nullptr || std::exchange(is_before_start_, false);
  take_field(std::move(facts), stretch.has_new_ranks);
  t_ = stretch.from;
  x_.assign(stretch.x.begin(), stretch.x.end());
  if (stretch.is_at_rest) {
    undefine(t_, "the solution rests where events accumulate");
  }
  if (!field_->failure().empty()) {
    undefine(t_, field_->failure());
  }
  undefine_failed(t_);
  if (step_size_ != 0.0) {
    field_->set_time_size(std::abs(step_size_));
  }
  leave_instant(stretch);
  if (s_.size() != x_.size() * n_columns()) {
    undefine(t_, "the states are others than before");
    s_.assign(x_.size() * n_columns(), 0.0);
  }
  meet_constraints(t_, x_, s_);
  close_instant();
  touches_.clear();
  if (field_->failure().empty()) {
    touch_search_.begin(*field_);
  }
  s_x_.resize(x_.size());
  between_.resize(s_.size());
  s_row_ = t_;
  const bool wants_row = std::exchange(has_rows_, false) || is_first;
  return !wants_row || row(t_, x_, s_);
}

bool ForwardObserver::follow(const trajectory::SegmentView& segment, const hybrid::StepEnd& end) {
  // Another method than the one whose steps S follows.
  if (was_implicit_ != end.is_implicit && !catch_up()) {
    return false;
  }
  was_implicit_ = end.is_implicit;
  t_ = end.t;
  x_.assign(end.x.begin(), end.x.end());
  step_size_ = segment.step();
  field_->set_time_size(std::abs(step_size_));
  if (is_any_defined()) {
    stretch_->flow->follow(segment, end.is_implicit);
    const std::vector<Touch> found = touch_search_.find(*field_, segment);
    touches_.insert(touches_.end(), found.begin(), found.end());
  }
  const bool may_stay_behind = end.is_multistep && !listener_.wants_rows_at_steps();
  return go_along(!may_stay_behind);
}

bool ForwardObserver::catch_up() {
  const bool is_there = stretch_ == nullptr || is_in_instant_ || !is_any_defined();
  can_go_on_ = can_go_on_ && (is_there || go_along(true));
  return can_go_on_;
}

bool ForwardObserver::go_along(bool to_end) {
  while (is_any_defined() && stretch_->flow->can_step(to_end)) {
    LinearFlow& flow = *stretch_->flow;
    if (!flow.step(to_end, listener_.next_row(s_row_), discrete_, s_).ok()) {
      undefine(flow.time(), "the equations have no derivatives on the step that begins there");
      break;
    }
    undefine_failed(flow.time());
    if (!is_any_defined()) {
      break;
    }
    const double to = flow.end_time();
    pass_touches(to);
    if (!rows_within(to)) {
      return false;
    }
    flow.accept(s_, s_x_);
    if (flow.is_at_end()) {
      std::copy(x_.begin(), x_.end(), s_x_.begin());  // to the last bit
    }
    meet_constraints(to, s_x_, s_);
    if (!resting_.empty()) {
      undefine(
          to, "the solution rests on a surface that this parameter moves it from",
          moves_resting(source_, *field_, resting_, {to, s_x_, {}, s_, discrete_, std::abs(step_size_)}));
    }
    const bool is_due =
        same_instant(listener_.next_row(s_row_), to, scale_) || listener_.wants_rows_at_steps();
    s_row_ = to;
    if (is_due && !row(to, s_x_, s_)) {
      return false;
    }
  }
  return is_any_defined() || rows_without_values();
}

// Of the step of S, up to its end.
void ForwardObserver::pass_touches(double to) {
  std::size_t n_passed = 0;
  for (; n_passed < touches_.size() && direction_ * touches_[n_passed].t <= direction_ * to; ++n_passed) {
    const Touch& touch = touches_[n_passed];
    stretch_->flow->interpolate(touch.t, s_, s_x_, between_);
    const SurfaceTouched touched = touch_surface(
        source_, *field_, touch.place, {touch.t, s_x_, {}, between_, discrete_, std::abs(step_size_)});
    undefine(touch.t, touched.problem, touched.undefined);
  }
  touches_.erase(touches_.begin(), touches_.begin() + static_cast<std::ptrdiff_t>(n_passed));
}

bool ForwardObserver::rows_within(double to) {
  for (;;) {
    const double next = listener_.next_row(s_row_);
    if (!(direction_ * next < direction_ * to) || same_instant(next, to, scale_)) {
      return true;
    }
    s_row_ = next;
    if (same_instant(next, last_row_, scale_)) {
      continue;
    }
    stretch_->flow->interpolate(next, s_, s_x_, between_);
    meet_constraints(next, s_x_, between_);
    if (!row(next, s_x_, between_)) {
      return false;
    }
  }
}

bool ForwardObserver::rows_without_values() {
  double next = listener_.next_row(s_row_);
  while (direction_ * next < direction_ * t_ && !same_instant(next, t_, scale_)) {
    s_row_ = next;
    if (!same_instant(next, last_row_, scale_) && !row(next, x_, s_)) {
      return false;
    }
    next = listener_.next_row(s_row_);
  }
  s_row_ = t_;
  const bool is_due = same_instant(next, t_, scale_) || listener_.wants_rows_at_steps();
  return !is_due || row(t_, x_, s_);
}

std::unique_ptr<ForwardRun> observe_forward(const system::HybridSystem& system,
                                            const hybrid::Options& options, std::span<const double> guess,
                                            const Setup& setup, hybrid::RunObserver& recorder,
                                            Listener& listener) {
  return std::make_unique<ForwardObserver>(system, options, guess, setup, recorder, listener);
}

}  // namespace saltus::sensitivity
