#include "api/row_producer.hpp"

#include <algorithm>

namespace saltus::api {

RowProducer::RowProducer(const record::OutputGrid& grid, const system::LockedDae& locked,
                         std::size_t n_variables, Consumer consumer, std::span<const double> guess)
    : grid_(grid),
      evaluator_(locked.make_evaluator(guess)),
      follows_(locked.iterates_for_outputs()),
      width_(static_cast<std::size_t>(locked.block_width())),
      n_variables_(n_variables),
      consumer_(std::move(consumer)),
      last_state_(locked.states().size()),
      times_(width_),
      states_(locked.states().size() * width_),
      values_(n_variables * width_),
      x_(locked.states().size()),
      row_(n_variables) {}

RowProducer::Outcome RowProducer::start(std::span<const double> x) {
  put_point(grid_.time(0), x);
  next_ = 1;
  return filled_ == width_ ? flush() : Outcome::ok;
}

bool RowProducer::wants(double t_end) const {
  if (next_ >= grid_.size()) {
    return false;
  }
  const double t = grid_.time(next_);
  return grid_.time(0) <= grid_.time(grid_.size() - 1) ? t <= t_end : t >= t_end;
}

RowProducer::Outcome RowProducer::add(const trajectory::SegmentView& segment, std::span<const double> x_end) {
  const double end = segment.end_time();
  const bool backward = segment.step() < 0.0;
  for (; next_ < grid_.size(); ++next_) {
    const double t = grid_.time(next_);
    if (backward ? t < end : t > end) {
      break;
    }
    if (t == end) {
      put_point(t, x_end);
    } else {
      segment.evaluate(segment.theta(t), x_);
      put_point(t, x_);
    }
    if (filled_ == width_) {
      const Outcome outcome = flush();
      if (outcome != Outcome::ok) {
        return outcome;
      }
    }
  }
  return Outcome::ok;
}

RowProducer::Outcome RowProducer::follow(double t, std::span<const double> x) {
  if (!follows_) {
    return Outcome::ok;
  }
  const Outcome outcome = filled_ > 0 ? flush() : Outcome::ok;
  // Where the outputs do not exist they are not followed; a row there would say so.
  (void)evaluator_->outputs(t, x, row_);
  return outcome;
}

RowProducer::Outcome RowProducer::finish(double t_end, std::span<const double> x_end) {
  if (last_time_ != t_end) {
    put_point(t_end, x_end);
  }
  return filled_ > 0 ? flush() : Outcome::ok;
}

void RowProducer::put_point(double t, std::span<const double> x) {
  times_[filled_] = t;
  for (std::size_t i = 0; i < x.size(); ++i) {
    states_[i * width_ + filled_] = x[i];
  }
  last_time_ = t;
  std::copy(x.begin(), x.end(), last_state_.begin());
  ++filled_;
}

bool RowProducer::consume(std::size_t n) {
  n_rows_ += static_cast<std::int64_t>(n);
  return consumer_({std::span(times_).first(n), values_, width_, 0, "main"});
}

RowProducer::Outcome RowProducer::flush() {
  const std::size_t n = filled_;
  // A block is always full: what is missing repeats the last point.
  for (std::size_t k = n; k < width_; ++k) {
    times_[k] = times_[n - 1];
    for (std::size_t i = 0; i < x_.size(); ++i) {
      states_[i * width_ + k] = states_[i * width_ + n - 1];
    }
  }
  if (!evaluator_->outputs_block(times_, states_, values_).ok()) {
    return flush_one_by_one();
  }
  filled_ = 0;
  return consume(n) ? Outcome::ok : Outcome::refused;
}

// Some point of the block cannot be evaluated: the rows before it are still good.
RowProducer::Outcome RowProducer::flush_one_by_one() {
  const std::size_t n = filled_;
  filled_ = 0;
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t i = 0; i < x_.size(); ++i) {
      x_[i] = states_[i * width_ + k];
    }
    const system::Evaluation evaluation = evaluator_->outputs(times_[k], x_, row_);
    for (std::size_t v = 0; v < n_variables_; ++v) {
      values_[v * width_ + k] = row_[v];
    }
    if (!evaluation.ok()) {
      failure_ = evaluation;
      failure_time_ = times_[k];
      const bool taken = k == 0 || consume(k);
      return taken ? Outcome::evaluation_failed : Outcome::refused;
    }
  }
  return consume(n) ? Outcome::ok : Outcome::refused;
}

}  // namespace saltus::api
