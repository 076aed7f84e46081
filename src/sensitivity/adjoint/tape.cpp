#include "sensitivity/adjoint/tape.hpp"

#include <algorithm>

namespace saltus::sensitivity {

void Tape::begin_at(const TapeCut& cut) {
  n_told_ = cut.n_told;
  n_instants_ = cut.n_instants;
  last_event_time_ = cut.last_event_time;
  stretches_ = {cut.stretch};
  most_states_ = cut.stretch.x.size();
}

TapeCut Tape::cut() const {
  TapeCut cut{n_told_, {}, n_instants_, last_event_time_};
  const TapeStretch& last = stretches_.back();
  cut.stretch.facts = last.facts;
  cut.stretch.from = last.t_end;
  cut.stretch.x = last.x_end;
  cut.stretch.is_at_rest = last.is_at_rest;
  cut.stretch.last_step = last.last_step;
  cut.stretch.t_end = last.t_end;
  cut.stretch.x_end = last.x_end;
  return cut;
}

bool Tape::between_steps() {
  if (!recorder_.between_steps() || n_told_ == n_told_at_end_) {
    return false;
  }
  if (save_ && size_ > most_numbers_ && !instant_ && !stretches_.empty()) {
    TapeCut here = cut();
    if (save_(here)) {
      stretches_ = {std::move(here.stretch)};
      size_ = 0;
    } else {
      save_ = nullptr;
    }
  }
  return true;
}

bool Tape::begin_stretch(const hybrid::Stretch& stretch) {
  if (!recorder_.begin_stretch(stretch)) {
    return false;
  }
  ++n_told_;
  size_ += stretch.x.size();
  most_states_ = std::max(most_states_, stretch.x.size());
  TapeStretch& next = stretches_.emplace_back();
  next.instant = std::exchange(instant_, std::nullopt);
  next.facts = {stretch.structure, *stretch.configuration, {stretch.surfaces.begin(), stretch.surfaces.end()},
                stretch.level,     stretch.segment,        std::string(stretch.mode)};
  next.from = stretch.from;
  next.x.assign(stretch.x.begin(), stretch.x.end());
  next.t_end = next.from;
  next.x_end = next.x;
  next.has_new_ranks = stretch.has_new_ranks;
  next.is_at_rest = stretch.is_at_rest;
  return true;
}

bool Tape::step(const trajectory::SegmentView& segment, const hybrid::StepEnd& end) {
  if (!recorder_.step(segment, end)) {
    return false;
  }
  stretches_.back().t_end = end.t;
  stretches_.back().x_end.assign(end.x.begin(), end.x.end());
  ++n_told_;
  if (segment.step() != 0.0) {
    stretches_.back().last_step = segment.step();
    const std::span<const double> coefficients = segment.coefficients();
    stretches_.back().steps.push_back({segment.start(),
                                       segment.step(),
                                       segment.end_time(),
                                       segment.degree(),
                                       end.is_implicit,
                                       {coefficients.begin(), coefficients.end()}});
    size_ += coefficients.size();
  }
  return true;
}

void Tape::moved(const settle::InstantMove& move) {
  recorder_.moved(move);
  is_whole_ = is_whole_ && !instant_;
  instant_.emplace();
  instant_->move = move;
  ++n_told_;
  most_states_ = std::max(most_states_, move.x.size());
  size_ += move.steps.size() * (2 * move.x.size() + move.values.size()) + 2 * move.values.size();
}

bool Tape::instant(double t, std::int64_t segment, std::string_view mode, std::span<const double> values) {
  if (!recorder_.instant(t, segment, mode, values)) {
    return false;
  }
  if (instant_) {
    std::vector<double>& place =
        instant_->values_before.empty() ? instant_->values_before : instant_->values_after;
    place.assign(values.begin(), values.end());
    if (instant_->number > 0 && instant_->number <= last_kept_) {
      numbered_.back().values_after = instant_->values_after;
    }
  }
  return true;
}

void Tape::event(const hybrid::Event& event) {
  recorder_.event(event);
  if (!instant_) {
    return;
  }
  instant_->events.push_back(event);
  if (instant_->number == 0) {
    const bool is_same = n_instants_ > 0 && last_event_time_ == instant_->move.t;
    n_instants_ += is_same ? 0 : 1;
    last_event_time_ = instant_->move.t;
    instant_->number = n_instants_;
    if (n_instants_ <= last_kept_) {
      if (is_same) {
        numbered_.back().is_single = false;
      } else {
        numbered_.push_back({instant_->move.t, instant_->values_before, {}});
      }
      numbered_.back().values_after = instant_->values_after;
    }
  }
}

}  // namespace saltus::sensitivity
