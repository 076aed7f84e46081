#include "api/results/row_producer.hpp"

#include <algorithm>
#include <limits>

#include "base/time_tolerance.hpp"

namespace saltus::api {
namespace {

// Blocks filled to less than this part are evaluated point by point: a block costs as much as all its points.
constexpr std::size_t kBlockPart = 4;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

}  // namespace

RowProducer::RowProducer(const record::OutputGrid& grid, const Columns& columns, double scale,
                         Consumer consumer)
    : grid_(grid),
      n_variables_(columns.n_variables),
      extra_(columns),
      n_values_(columns.n_computed()),
      scale_(scale),
      consumer_(std::move(consumer)),
      end_extra_(extra_.size(), kNone),
      row_(n_values_) {}

void RowProducer::fields(Archive& a, TextTable& modes) {
  // Not saved: of the run grid_, n_variables_, n_values_, scale_, consumer_; what is made for a moment x_, row_, failed_point_, failure_,
  // failure_time_; extra_, which is bound anew.
  std::uint32_t mode = stretch_.locked == nullptr ? 0 : modes.place_of(stretch_.mode);
  bool has_configuration = stretch_.configuration != nullptr;
  a(stretch_.segment, mode, has_configuration, configuration_);
  a.pointer(stretch_.locked);
  a.pointer(stretch_.evaluator);
  a.pointer(stretch_.extra);
  if (a.is_loading() && a.ok()) {
    if (stretch_.locked == nullptr || stretch_.evaluator == nullptr || mode >= modes.size()) {
      a.refuse("the stretch of a run does not fit");
      return;
    }
    stretch_.mode = modes.text(mode);
    stretch_.configuration = has_configuration ? &configuration_ : nullptr;
    follows_ = stretch_.locked->iterates_for_outputs();
    width_ = static_cast<std::size_t>(stretch_.locked->block_width());
    n_states_ = stretch_.locked->states().size();
    x_.resize(n_states_);
    if (extra_.size() > 0) {
      extra_.bind(*stretch_.locked);
    }
  }
  a(is_configured_, next_, filled_, has_waiting_, waiting_time_, waiting_state_, has_waiting_values_,
    waiting_values_, end_extra_, end_time_, held_.is_there, held_.t, held_.segment, held_.mode, held_.values,
    last_time_, times_, states_, values_, n_rows_);
  const bool fits = next_ >= 0 && filled_ <= width_ && times_.size() == width_ &&
                    states_.size() == n_states_ * width_ && values_.size() == n_values_ * width_ &&
                    (!has_waiting_ || has_waiting_values_ || waiting_state_.size() == n_states_) &&
                    (!has_waiting_values_ || waiting_values_.size() == n_values_) &&
                    (!held_.is_there || held_.values.size() == n_values_) && n_rows_ >= 0;
  if (a.is_loading() && a.ok() && !fits) {
    a.refuse("rows that wait do not fit");
  }
}

RowProducer::Outcome RowProducer::begin_stretch(const RowStretch& stretch) {
  Outcome outcome = put_waiting();
  if (outcome == Outcome::ok && filled_ > 0) {
    outcome = flush();
  }
  if (outcome != Outcome::ok) {
    return outcome;
  }
  const bool same_system = stretch.locked == stretch_.locked;
  stretch_ = stretch;
  is_configured_ = is_borrowed();
  if (stretch.configuration != nullptr) {
    configuration_ = *stretch.configuration;
    stretch_.configuration = &configuration_;
  }
  if (!same_system) {
    follows_ = stretch.locked->iterates_for_outputs();
    width_ = static_cast<std::size_t>(stretch.locked->block_width());
    n_states_ = stretch.locked->states().size();
    times_.resize(width_);
    states_.resize(n_states_ * width_);
    values_.resize(n_values_ * width_);
    x_.resize(n_states_);
  }
  if (extra_.size() == 0) {
    return Outcome::ok;
  }
  extra_.bind(*stretch.locked);
  for (system::Evaluator* const own : {stretch.extra, stretch.extra_at_begin}) {
    if (own != nullptr && !is_borrowed()) {
      own->set_configuration(configuration_);
    }
  }
  std::swap(stretch_.extra, stretch_.extra_at_begin);
  outcome = keep_end(stretch.from, stretch.x);
  stretch_.extra = stretch.extra;
  stretch_.extra_at_begin = nullptr;
  if (held_.is_there && held_.segment == stretch.segment) {
    std::copy(end_extra_.begin(), end_extra_.end(),
              held_.values.begin() + static_cast<std::ptrdiff_t>(n_variables_));
  }
  return outcome == Outcome::ok ? put_held() : outcome;
}

void RowProducer::fill_extra(double t, std::span<const double> x, std::span<double> values) {
  if (extra_.size() == 0) {
    return;
  }
  if (stretch_.extra != nullptr) {
    extra_.evaluate(*stretch_.extra, t, x, values.subspan(n_variables_));
    return;
  }
  configure();
  extra_.evaluate(*stretch_.evaluator, t, x, values.subspan(n_variables_));
  if (is_borrowed()) {
    stretch_.evaluator->restore_solutions();
  }
}

RowProducer::Outcome RowProducer::keep_end(double t, std::span<const double> x) {
  if (extra_.size() == 0) {
    return Outcome::ok;
  }
  const Outcome outcome = filled_ > 0 ? flush() : Outcome::ok;
  fill_extra(t, x, row_);
  std::copy(row_.begin() + static_cast<std::ptrdiff_t>(n_variables_), row_.end(), end_extra_.begin());
  end_time_ = t;
  return outcome;
}

RowProducer::Outcome RowProducer::start(std::span<const double> x) {
  if (next_ > 0) {
    return Outcome::ok;
  }
  next_ = 1;
  return put_point(grid_.time(0), x);
}

bool RowProducer::wants(double t_end) const {
  if (next_ >= grid_.size()) {
    return false;
  }
  const double t = grid_.time(next_);
  return grid_.time(0) <= grid_.time(grid_.size() - 1) ? t <= t_end : t >= t_end;
}

RowProducer::Outcome RowProducer::add(const trajectory::SegmentView& segment, std::span<const double> x_end) {
  Outcome outcome = put_waiting();
  const double end = segment.end_time();
  const bool backward = segment.step() < 0.0;
  for (; next_ < grid_.size() && outcome == Outcome::ok; ++next_) {
    const double t = grid_.time(next_);
    if (backward ? t < end : t > end) {
      break;
    }
    if (same_instant(t, end, scale_)) {
      has_waiting_ = true;
      has_waiting_values_ = false;
      waiting_time_ = t;
      waiting_state_.resize(x_end.size());
      if (t == end) {
        std::copy(x_end.begin(), x_end.end(), waiting_state_.begin());
      } else {
        segment.evaluate(segment.theta(t), waiting_state_);
      }
      ++next_;
      break;
    }
    segment.evaluate(segment.theta(t), x_);
    outcome = put_point(t, x_);
  }
  return outcome;
}

RowProducer::Outcome RowProducer::add_end(double t, std::span<const double> x_end) {
  if (t == last_time_ || (has_waiting_ && waiting_time_ == t)) {
    return Outcome::ok;
  }
  const Outcome outcome = put_waiting();
  has_waiting_ = true;
  has_waiting_values_ = false;
  waiting_time_ = t;
  waiting_state_.assign(x_end.begin(), x_end.end());
  return outcome;
}

RowProducer::Outcome RowProducer::put_waiting() {
  if (!has_waiting_) {
    return Outcome::ok;
  }
  has_waiting_ = false;
  return has_waiting_values_ ? put_values(waiting_time_, waiting_values_)
                             : put_point(waiting_time_, waiting_state_);
}

RowProducer::Outcome RowProducer::put_values(double t, std::span<const double> values) {
  const Outcome outcome = filled_ > 0 ? flush() : Outcome::ok;
  if (outcome != Outcome::ok) {
    return outcome;
  }
  last_time_ = t;
  ++n_rows_;
  return consumer_({std::span(&t, 1), values, 1, stretch_.segment, stretch_.mode}) ? Outcome::ok
                                                                                   : Outcome::refused;
}

// Without a stretch that begins there, or that ended there, it has none.
RowProducer::Outcome RowProducer::put_held() {
  if (!held_.is_there) {
    return Outcome::ok;
  }
  held_.is_there = false;
  ++n_rows_;
  return consumer_({std::span(&held_.t, 1), held_.values, 1, held_.segment, held_.mode}) ? Outcome::ok
                                                                                         : Outcome::refused;
}

RowProducer::Outcome RowProducer::flush_now() {
  const Outcome outcome = filled_ > 0 ? flush() : Outcome::ok;
  if (outcome != Outcome::ok || !has_waiting_) {
    return outcome;
  }
  waiting_values_.resize(n_values_);
  has_waiting_values_ = true;
  failure_ = evaluate(waiting_time_, waiting_state_, waiting_values_);
  failure_time_ = waiting_time_;
  return failure_.ok() ? Outcome::ok : Outcome::evaluation_failed;
}

RowProducer::Outcome RowProducer::follow(const hybrid::StepEnd& end) {
  if (!follows_) {
    return Outcome::ok;
  }
  const Outcome outcome = filled_ > 0 ? flush() : Outcome::ok;
  configure();
  if (!stretch_.evaluator->begin_at(end.point)) {
    // Where the outputs do not exist they are not followed; a row there would say so.
    (void)stretch_.evaluator->outputs(end.t, end.x, std::span(row_).first(n_variables_));
  }
  return outcome;
}

void RowProducer::skip_grid_times(double t) {
  while (next_ < grid_.size() && same_instant(grid_.time(next_), t, scale_)) {
    ++next_;
  }
}

RowProducer::Outcome RowProducer::instant(double t, std::int64_t segment, std::string_view mode,
                                          std::span<const double> values) {
  has_waiting_ = has_waiting_ && !same_instant(waiting_time_, t, scale_);
  Outcome outcome = put_waiting();
  if (outcome == Outcome::ok && filled_ > 0) {
    outcome = flush();
  }
  if (outcome != Outcome::ok) {
    return outcome;
  }
  skip_grid_times(t);
  last_time_ = t;
  if (extra_.size() > 0) {
    return hold(t, segment, mode, values);
  }
  ++n_rows_;
  return consumer_({std::span(&t, 1), values, 1, segment, mode}) ? Outcome::ok : Outcome::refused;
}

// The values just before belong to the stretch that ends.
RowProducer::Outcome RowProducer::hold(double t, std::int64_t segment, std::string_view mode,
                                       std::span<const double> values) {
  const Outcome outcome = put_held();
  if (outcome != Outcome::ok) {
    return outcome;
  }
  held_.is_there = true;
  held_.t = t;
  held_.segment = segment;
  held_.mode = mode;
  held_.values.assign(values.begin(), values.end());
  held_.values.resize(n_values_, kNone);
  if (stretch_.evaluator == nullptr || segment != stretch_.segment || !same_instant(t, end_time_, scale_)) {
    return Outcome::ok;
  }
  std::copy(end_extra_.begin(), end_extra_.end(),
            held_.values.begin() + static_cast<std::ptrdiff_t>(n_variables_));
  return put_held();
}

RowProducer::Outcome RowProducer::finish(double t_end, std::span<const double> x_end,
                                         std::span<const double> values) {
  Outcome outcome = put_waiting();
  if (outcome == Outcome::ok) {
    outcome = put_held();
  }
  if (outcome == Outcome::ok && last_time_ != t_end && is_borrowed()) {
    row_.assign(values.begin(), values.end());
    row_.insert(row_.end(), end_extra_.begin(), end_extra_.end());
    outcome = put_values(t_end, row_);
  } else if (outcome == Outcome::ok && last_time_ != t_end) {
    outcome = put_point(t_end, x_end);
  }
  return outcome == Outcome::ok && filled_ > 0 ? flush() : outcome;
}

RowProducer::Outcome RowProducer::put_point(double t, std::span<const double> x) {
  times_[filled_] = t;
  for (std::size_t i = 0; i < x.size(); ++i) {
    states_[i * width_ + filled_] = x[i];
  }
  last_time_ = t;
  ++filled_;
  return filled_ == width_ ? flush() : Outcome::ok;
}

bool RowProducer::consume(std::size_t n) {
  n_rows_ += static_cast<std::int64_t>(n);
  return consumer_({std::span(times_).first(n), values_, width_, stretch_.segment, stretch_.mode});
}

void RowProducer::configure() {
  if (!is_configured_) {
    stretch_.evaluator->set_configuration(configuration_);
    is_configured_ = true;
  }
}

system::Evaluation RowProducer::evaluate(double t, std::span<const double> x, std::span<double> values) {
  configure();
  if (!projects()) {
    return evaluate_row(t, x, values);
  }
  x_.assign(x.begin(), x.end());
  const system::Evaluation projection = stretch_.evaluator->project(t, x_);
  return projection.ok() ? evaluate_row(t, x_, values) : projection;
}

system::Evaluation RowProducer::evaluate_row(double t, std::span<const double> x, std::span<double> values) {
  const system::Evaluation evaluation = stretch_.evaluator->outputs(t, x, values.first(n_variables_));
  if (evaluation.ok()) {
    fill_extra(t, x, values);
  }
  return evaluation;
}

bool RowProducer::projects() const {
  return stretch_.evaluator->projection() == system::Projection::results;
}

void RowProducer::copy_point(std::size_t k) {
  for (std::size_t i = 0; i < n_states_; ++i) {
    x_[i] = states_[i * width_ + k];
  }
}

bool RowProducer::project_points() {
  for (std::size_t k = 0; k < filled_; ++k) {
    copy_point(k);
    failure_ = stretch_.evaluator->project(times_[k], x_);
    if (!failure_.ok()) {
      failed_point_ = k;
      failure_time_ = times_[k];
      return false;
    }
    for (std::size_t i = 0; i < n_states_; ++i) {
      states_[i * width_ + k] = x_[i];
    }
  }
  return true;
}

RowProducer::Outcome RowProducer::flush() {
  configure();
  if (projects() && !project_points()) {
    // The rows before it are still good.
    filled_ = failed_point_;
    const Outcome outcome = filled_ > 0 ? flush_one_by_one() : Outcome::ok;
    return outcome == Outcome::ok ? Outcome::evaluation_failed : outcome;
  }
  return !follows_ && filled_ * kBlockPart <= width_ ? flush_one_by_one() : flush_block();
}

RowProducer::Outcome RowProducer::flush_block() {
  const std::size_t n = filled_;
  // A block is always full: what is missing repeats the last point.
  for (std::size_t k = n; k < width_; ++k) {
    times_[k] = times_[n - 1];
    for (std::size_t i = 0; i < n_states_; ++i) {
      states_[i * width_ + k] = states_[i * width_ + n - 1];
    }
  }
  if (!stretch_.evaluator->outputs_block(times_, states_, std::span(values_).first(n_variables_ * width_))
           .ok()) {
    return flush_one_by_one();
  }
  for (std::size_t k = 0; extra_.size() > 0 && k < n; ++k) {
    copy_point(k);
    fill_extra(times_[k], x_, row_);
    for (std::size_t v = n_variables_; v < n_values_; ++v) {
      values_[v * width_ + k] = row_[v];
    }
  }
  filled_ = 0;
  return consume(n) ? Outcome::ok : Outcome::refused;
}

// Where some point of the block cannot be evaluated the rows before it are still good.
RowProducer::Outcome RowProducer::flush_one_by_one() {
  const std::size_t n = filled_;
  for (std::size_t k = 0; k < n; ++k) {
    copy_point(k);
    const system::Evaluation evaluation = evaluate_row(times_[k], x_, row_);
    for (std::size_t v = 0; v < n_values_; ++v) {
      values_[v * width_ + k] = row_[v];
    }
    if (!evaluation.ok()) {
      failure_ = evaluation;
      failure_time_ = times_[k];
      filled_ = 0;
      const bool taken = k == 0 || consume(k);
      return taken ? Outcome::evaluation_failed : Outcome::refused;
    }
  }
  filled_ = 0;
  return consume(n) ? Outcome::ok : Outcome::refused;
}

void RowProducer::give_up() {
  if (filled_ > 0 && !is_borrowed()) {
    (void)flush();
  }
}

}  // namespace saltus::api
