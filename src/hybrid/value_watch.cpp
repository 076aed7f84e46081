#include "hybrid/value_watch.hpp"

#include <algorithm>
#include <cmath>

namespace saltus::hybrid {
namespace {

// The middle of a curve that is followed is nearer to the mean of its ends than this part of their distance: of a parabola without a
// turning point in between it is at most 1/4 off; of a jump 1/2.
constexpr double kMostBend = 0.375;

}  // namespace

void ValueWatch::restarted() {
  is_asked_ = state_.at.mode().locked->outputs_may_be_missing();
  follows_ = is_asked_ && state_.at.mode().locked->iterates_for_outputs() &&
             evaluate(state_.at.time(), state_.at.x(), before_);
  guess_.resize(n_guess_);
  state_.at.field().copy_output_solutions(guess_);
}

bool ValueWatch::evaluate(double t, std::span<const double> x, std::vector<double>& values) {
  values.resize(state_.values.size());
  why_ = state_.at.field().outputs(t, x, values);
  return why_.ok();
}

bool ValueWatch::evaluate(const trajectory::SegmentView& segment, double theta, std::vector<double>& values) {
  x_.resize(state_.at.x().size());
  segment.evaluate(theta, x_);
  return evaluate(segment.start_time() + theta * segment.step(), x_, values);
}

Index ValueWatch::find_bend(std::span<const double> begin, std::span<const double> middle,
                            std::span<const double> end) const {
  const double rtol = state_.at.mode().engine->stepper().tolerances().rtol;
  for (std::size_t i = 0; i < middle.size(); ++i) {
    const double size = std::max({std::abs(begin[i]), std::abs(end[i]), 1.0});
    if (std::abs(middle[i] - 0.5 * (begin[i] + end[i])) >
        kMostBend * std::abs(end[i] - begin[i]) + rtol * size) {
      return static_cast<Index>(i);
    }
  }
  return -1;
}

// From the start of the step on, part after part: iterations begin at the solution before.
ValueWatch::Verdict ValueWatch::follow(const trajectory::SegmentView& segment, double until) {
  begin_ = before_;
  begin_guess_ = guess_;
  double theta = 0.0;
  thetas_.assign(1, until);
  ends_.resize(std::max<std::size_t>(ends_.size(), 1));
  for (std::size_t n = 1; n > 0;) {
    const double end = thetas_[n - 1];
    const double middle = 0.5 * (theta + end);
    state_.at.field().set_output_solutions(begin_guess_);
    if (!evaluate(segment, middle, middle_) || !evaluate(segment, end, ends_[n - 1])) {
      return Verdict::missing;
    }
    const Index bend = find_bend(begin_, middle_, ends_[n - 1]);
    if (bend < 0) {
      begin_ = ends_[n - 1];
      state_.at.field().copy_output_solutions(begin_guess_);
      theta = end;
      --n;
      thetas_.resize(n);
      continue;
    }
    if (n > kMostHalvings) {
      jumping_ = bend;
      return Verdict::jumps;
    }
    thetas_.push_back(middle);
    ++n;
    ends_.resize(std::max(ends_.size(), n));
  }
  return Verdict::keep;
}

ValueWatch::Verdict ValueWatch::look(double until) {
  jumping_ = -1;
  if (!is_asked_) {
    return Verdict::keep;
  }
  const integrate::Stepper& stepper = state_.at.mode().engine->stepper();
  if (!follows_ && until == 1.0) {
    return evaluate(stepper.time().value(), stepper.state(), begin_) ? Verdict::keep : Verdict::missing;
  }
  const trajectory::SegmentView segment = state_.open_segment();
  if (!follows_) {
    return evaluate(segment, until, begin_) ? Verdict::keep : Verdict::missing;
  }
  const Verdict verdict = follow(segment, until);
  if (verdict != Verdict::keep) {
    state_.at.field().set_output_solutions(guess_);
    why_ = why_.ok() ? system::Evaluation{system::Evaluation::Status::no_convergence, -1} : why_;
  }
  return verdict;
}

void ValueWatch::step_kept() {
  if (follows_) {
    before_ = begin_;
    guess_ = begin_guess_;
  }
}

}  // namespace saltus::hybrid
