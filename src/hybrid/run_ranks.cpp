// An instant at which the structure of the equations changes (docs/semantics.md 4.3).
#include <algorithm>

#include "hybrid/run_loop.hpp"

namespace saltus::hybrid {

// The part of the step before the change: its polynomial in the local time of the shorter step. Where the structure of before has
// no values any more, those of the polynomial are as near.
bool RunLoop::keep_step_to_change(const RankChange& change) {
  const trajectory::SegmentView& whole = change.segment;
  state_.t = whole.start();
  state_.t.advance(change.theta * whole.step());
  whole.evaluate(change.theta, state_.x);
  probe_.assign(state_.x.begin(), state_.x.end());
  if (state_.evaluator->project(state_.time(), probe_).ok()) {
    std::swap(state_.x, probe_);
  }
  const std::span<const double> all = whole.coefficients();
  const auto n = static_cast<std::size_t>(whole.n_states());
  coefficients_.assign(all.begin(), all.end());
  double power = 1.0;
  for (std::size_t row = n; row + n <= coefficients_.size() && n > 0; row += n) {
    power *= change.theta;
    for (std::size_t i = 0; i < n; ++i) {
      coefficients_[row + i] *= power;
    }
  }
  const trajectory::SegmentView segment(whole.start(), change.theta * whole.step(), state_.time(),
                                        whole.n_states(), whole.degree(), coefficients_);
  has_told_values_ = false;
  return state_.go_on(state_.observer.step(segment, state_.time(), state_.x));
}

// The equations are analysed anew at the first point of the new structure; states move onto its constraints by the least change. What
// has jumped then changes sides and fires clauses as after any jump.
bool RunLoop::change_ranks(const RankChange& change) {
  if (!keep_step_to_change(change)) {
    return false;
  }
  ++state_.counters.instants;
  state_.begin_instant();
  sliding_.begin_instant();
  survey_.begin_instant();
  structures_.begin_instant();
  crossed_.clear();
  surface_ends_ = false;
  std::fill(state_.at_root.begin(), state_.at_root.end(), std::uint8_t{0});
  has_told_values_ = true;
  if (!record_.begin()) {
    return false;
  }
  state_.mode->by_ranks->analyse_again();
  if (const system::Evaluation evaluation = state_.evaluator->project(state_.time(), state_.x);
      !evaluation.ok()) {
    state_.fail(*state_.evaluator, evaluation);
    return false;
  }
  if (!state_.evaluate_outputs(state_.values) || !record_.open_segment(false)) {
    return false;
  }
  log_.structure(change.before, change.after);
  if (!record_.row() || !settle_sides()) {
    return false;
  }
  note_switches();
  return !state_.has_ended && restart() && begin_stretch();
}

bool RunLoop::settle_sides() {
  if (!survey_.look() || !sliding_.decide(survey_.jumping()) || !sliding_.install()) {
    return false;
  }
  for (const Index guard : survey_.others()) {
    if (!sliding_.decide_by_motion(guard)) {
      return false;
    }
  }
  if (!sliding_.install() || !forget_changes_without_effect()) {
    return false;
  }
  if (needs_rounds({}) && (!survey_.note_residuals() || !rounds_.settle({}) || !sliding_.install())) {
    return false;
  }
  return !record_.has_news() ||
         (state_.evaluate_outputs(state_.values) && record_.open_segment(false) && record_.row());
}

}  // namespace saltus::hybrid
