// Instants of forward sensitivities, from the left limit to the stretch that follows.
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "sensitivity/field/value_tangents.hpp"
#include "sensitivity/forward_observer.hpp"
#include "sensitivity/instant/close_clocks.hpp"

namespace saltus::sensitivity {
namespace {

// Rates jump where they differ by more than this many tolerances of their size …
constexpr double kJumpOfRates = 100.0;
// … which are not smaller than this: solved variables are not more exact.
constexpr double kLeastJumpOfRates = 1e-10;

// A clause or a transition, beyond the initial problem.
bool has_acted(const settle::InstantMove& move) {
  return move.after.mode != move.configuration.mode ||
         std::any_of(move.steps.begin(), move.steps.end(), [](const settle::MoveStep& step) {
           return step.round && !step.round->is_initial &&
                  std::find(step.round->fired.begin(), step.round->fired.end(), 1) != step.round->fired.end();
         });
}

// In rounds.
std::vector<Index> clocks_of(const settle::InstantMove& move) {
  std::vector<Index> clocks;
  for (const settle::MoveStep& step : move.steps) {
    for (std::size_t c = 0; step.round && c < step.round->clocks.size(); ++c) {
      if (step.round->clocks[c] != 0) {
        clocks.push_back(static_cast<Index>(c));
      }
    }
  }
  return clocks;
}

}  // namespace

bool ForwardObserver::is_of(const hybrid::Event& event, Index guard) const {
  const auto& guards = source_.system.guards();
  const auto g = static_cast<std::size_t>(guard);
  return g < guards.size() && (event.guard == guards[g].text || event.guard == guards[g].condition);
}

std::vector<double> ForwardObserver::sigma_of(const hybrid::Event& event) const {
  const std::optional<TogetherCrossed>& together = instant_.together();
  if (!together) {
    std::vector<double> sigma = sigma_;
    for (std::size_t k = 0; k < instant_.undefined().size(); ++k) {
      sigma[k] = instant_.undefined()[k] ? std::nan("") : sigma[k];
    }
    for (std::size_t k = 0; k < before_.other_starts.size(); ++k) {
      sigma[k] = before_.other_starts[k] ? std::nan("") : sigma[k];
    }
    for (std::size_t k = 0; k < instant_.without_time().size(); ++k) {
      sigma[k] = instant_.without_time()[k] ? std::nan("") : sigma[k];
    }
    for (const auto& [guard, columns] : late_) {
      for (std::size_t k = 0; k < columns.size() && is_of(event, guard); ++k) {
        sigma[k] = columns[k] ? std::nan("") : sigma[k];
      }
    }
    return sigma;
  }
  for (std::size_t g = 0; g < instant_.parting().size(); ++g) {
    if (is_of(event, instant_.parting()[g])) {
      return together->sigma[g];
    }
  }
  return std::vector<double>(n_columns(), std::nan(""));
}

void ForwardObserver::moved(const settle::InstantMove& move) {
  (void)catch_up();
  was_defined_ = is_defined_;
  is_in_instant_ = true;
  has_rows_ = false;
  std::fill(sigma_.begin(), sigma_.end(), 0.0);
  late_.clear();
  before_.other_starts.clear();
  if (field_ == nullptr) {
    // The start: what is done there is done to the initial values.
    take_field({move.structure, move.configuration, {}, 0.0, 0, {}}, false);
    t_ = move.t;
    is_before_start_ = true;
    if (!field_->failure().empty()) {
      undefine(t_, field_->failure());
    }
    undefine_failed(t_);
  }
  x_.assign(move.x.begin(), move.x.end());
  find_tangents(t_, x_, s_, left_limit_);
  open_.reset();
  if (listener_.wants_instants()) {
    open_.emplace();
    open_->t = move.t;
    open_->before = left_limit_;
  }
  if (!is_any_defined()) {
    return;
  }
  if (s_.size() != x_.size() * n_columns()) {
    undefine(t_, "the states are others than those of the step before");
    return;
  }
  std::vector<double> rates(x_.size());
  if (!field_->evaluator().rhs(move.t, x_, rates).ok()) {
    std::fill(rates.begin(), rates.end(), std::nan(""));
  }
  const InstantPoint point{move.t, x_, rates, s_, discrete_, step_size_ == 0.0 ? 1.0 : std::abs(step_size_)};
  const bool is_passed = !move.is_at_rest && instant_.pass(*field_, point, move);
  sigma_ = move.is_at_rest ? std::vector<double>(n_columns(), std::nan("")) : instant_.sigma();
  if (open_) {
    open_->before_along = tangents_along(rates, was_defined_);
  }
  if (!is_passed) {
    undefine(move.t, move.is_at_rest ? "the solution leaves rest" : instant_.problem());
    return;
  }
  if (!instant_.undefined().empty()) {
    undefine(move.t, instant_.why_undefined(), instant_.undefined());
  }
  note_near_stop(move);
  before_.zeros = has_unit_columns_ ? find_known_zeros(source_, *field_, point) : KnownZeros{};
  if (!move.is_start) {
    approach_surfaces(move, point);
  }
  before_.rates = std::move(rates);
  before_.is_time_fixed = move.is_start || move.is_outside;
  before_.is_start = move.is_start;
  before_.other_starts = move.is_start && has_acted(move) ? find_other_starts(move) : std::vector<bool>();
  s_ = instant_.x();
  discrete_ = instant_.discrete();
  find_late(move);
}

// Guards and clocks that may come before the instant or after it, in the frame of the instant.
void ForwardObserver::approach_surfaces(const settle::InstantMove& move, const InstantPoint& point) {
  const std::size_t n = n_columns();
  std::vector<double> sigma(n, 0.0);
  for (std::size_t k = 0; k < n; ++k) {
    sigma[k] = is_defined_[k] && std::isfinite(sigma_[k]) ? sigma_[k] : 0.0;
  }
  std::vector<double> x(point.s.begin(), point.s.end());
  for (std::size_t e = 0; e < x.size(); ++e) {
    x[e] = !is_defined_[e % n] ? 0.0 : x[e] + (sigma[e % n] == 0.0 ? 0.0 : point.rates[e / n] * sigma[e % n]);
  }
  std::vector<Index> passed;
  for (const settle::InstantMove::Crossing& crossing : move.crossings) {
    passed.push_back(crossing.guard);
  }
  StretchStart end{point, sigma, passed, has_unit_columns_ ? &before_.zeros : nullptr, false};
  end.point.s = x;
  const SurfacesApproached approached = sensitivity::approach_surfaces(source_, *field_, end);
  undefine(move.t, approached.problem, approached.undefined);
  CloseClocks clocks = find_close_clocks(source_, move.t, sigma, move.clocks, has_unit_columns_);
  undefine(move.t, clocks.problem, clocks.undefined);
}

void ForwardObserver::find_late(const settle::InstantMove& move) {
  const std::vector<double>& x = move.steps.empty() ? move.x : move.steps.back().x;
  if (instant_.together() || instant_.structure() != field_->facts().structure ||
      s_.size() != x.size() * n_columns() || !field_->facts().surfaces.empty() ||
      move.after.latched.size() != move.configuration.latched.size()) {
    return;
  }
  std::vector<double> sigma = sigma_;
  std::replace_if(
      sigma.begin(), sigma.end(), [](double value) { return std::isnan(value); }, 0.0);
  field_->set_configuration(move.after);
  for (std::size_t g = 0; g < move.after.latched.size(); ++g) {
    const auto guard = static_cast<Index>(g);
    const bool has_crossed = std::any_of(move.crossings.begin(), move.crossings.end(),
                                         [guard](const auto& crossing) { return crossing.guard == guard; });
    if (has_crossed || move.after.latched[g] == move.configuration.latched[g] ||
        !field_->locked().watches(guard)) {
      continue;
    }
    late_.emplace_back(guard,
                       moves_from_surface(source_, *field_, guard,
                                          {move.t, x, {}, s_, discrete_, std::abs(step_size_)}, sigma));
  }
  field_->set_configuration(field_->facts().configuration);
}

void ForwardObserver::leave_instant(const hybrid::Stretch& stretch) {
  resting_.clear();
  if (!std::exchange(is_in_instant_, false) || !is_any_defined()) {
    return;
  }
  const std::size_t n = n_columns();
  if (!instant_.together() && !instant_.has_cause() && !before_.is_time_fixed &&
      jumps_without_cause(stretch.from)) {
    undefine(stretch.from,
             instant_.unknown_time().empty()
                 ? "the rates change, and nothing says how the time of that depends on parameters"
                 : instant_.unknown_time());
    return;
  }
  if (!instant_.without_time().empty() && jumps_without_cause(stretch.from)) {
    undefine(stretch.from, instant_.why_without_time(), instant_.without_time());
  }
  if (s_.size() != x_.size() * n) {
    return;
  }
  const bool moves_in_time = instant_.has_cause() && !instant_.together();
  std::vector<double> rates(x_.size());
  if (!field_->evaluator().rhs(stretch.from, x_, rates).ok() && moves_in_time) {
    undefine(stretch.from, "the equations after the instant have no rates");
    return;
  }
  std::vector<double> sigma(n, 0.0);
  for (std::size_t k = 0; k < n && moves_in_time; ++k) {
    sigma[k] = is_defined_[k] ? sigma_[k] : 0.0;
  }
  if (!before_.other_starts.empty()) {
    undefine(stretch.from, "beside this value what happens at the start happens later, or never",
             before_.other_starts);
  }
  leave_surfaces(stretch.from, sigma);
  for (std::size_t e = 0; e < s_.size(); ++e) {
    s_[e] -= sigma[e % n] == 0.0 ? 0.0 : rates[e / n] * sigma[e % n];
  }
}

// What fires where the run begins does so because a guard leaves zero, or a clock is due there. A run that begins beside the surface has no such event at
// its start, or another one.
std::vector<bool> ForwardObserver::find_other_starts(const settle::InstantMove& move) const {
  const std::vector<system::GuardInfo>& guards = source_.system.guards();
  std::vector<bool> undefined(n_columns(), false);
  std::vector<double> sigma(n_columns());
  for (const Index clock : clocks_of(move)) {
    clock_time(source_, clock, move.t, sigma);
    std::transform(sigma.begin(), sigma.end(), undefined.begin(), undefined.begin(),
                   [](double moves, bool is) { return is || moves != 0.0; });
  }
  for (std::size_t k = 0; k < n_columns(); ++k) {
    const std::vector<Index>& leaves = source_.setup.columns[k].leaves;
    undefined[k] =
        undefined[k] || sigma_[k] != 0.0 || std::any_of(leaves.begin(), leaves.end(), [&](Index guard) {
          return guards[static_cast<std::size_t>(guard)].in_rounds;
        });
  }
  return undefined;
}

void ForwardObserver::leave_surfaces(double t, std::span<const double> sigma) {
  for (std::size_t e = 0; e < s_.size(); ++e) {
    s_[e] = is_defined_[e % n_columns()] ? s_[e] : 0.0;
  }
  const std::vector<double> x = s_;
  StretchStart start{{t, x_, {}, x, discrete_, std::abs(step_size_)}, sigma, {}, nullptr, before_.is_start};
  if (instant_.together()) {
    start.passed = instant_.parting();
  }
  start.before = has_unit_columns_ ? &before_.zeros : nullptr;
  std::vector<double> reached = x;
  const SlidesReached slides = reach_slides(source_, *field_, start, reached);
  undefine(t, slides.problem, slides.undefined);
  SurfacesLeft left = sensitivity::leave_surfaces(source_, *field_, start, s_);
  undefine(t, left.problem, left.undefined);
  if (std::find(slides.moved.begin(), slides.moved.end(), true) != slides.moved.end()) {
    take_reached(start, x, reached, slides.moved);
  }
  resting_ = std::move(left.resting);
}

// Of columns that arrive on surfaces: nothing else may depend on them where the stretch begins, or where they have arrived.
void ForwardObserver::take_reached(StretchStart start, std::span<const double> x,
                                   const std::vector<double>& reached, const std::vector<bool>& moved) {
  const std::size_t n = n_columns();
  std::vector<double> beyond = reached;
  start.point.s = reached;
  const SurfacesLeft left = sensitivity::leave_surfaces(source_, *field_, start, beyond);
  std::vector<bool> undefined(n, false);
  for (std::size_t k = 0; k < n; ++k) {
    undefined[k] = moved[k] && left.undefined[k];
    for (std::size_t e = k; e < s_.size() && moved[k]; e += n) {
      undefined[k] = undefined[k] || s_[e] != x[e] || beyond[e] != reached[e];
    }
    for (std::size_t e = k; e < s_.size() && moved[k]; e += n) {
      s_[e] = reached[e];
    }
  }
  undefine(start.point.t, "on its way to a surface that is slid on it would meet another one", undefined);
}

bool ForwardObserver::jumps_without_cause(double t) {
  std::vector<double> rates(x_.size());
  if (rates.size() != before_.rates.size() || !field_->evaluator().rhs(t, x_, rates).ok()) {
    return true;
  }
  const double rtol = std::max(field_->tolerances().rtol, kLeastJumpOfRates);
  for (std::size_t i = 0; i < rates.size(); ++i) {
    const double size = std::max({std::abs(rates[i]), std::abs(before_.rates[i]), field_->nominal()[i]});
    if (!(std::abs(rates[i] - before_.rates[i]) <= kJumpOfRates * rtol * size)) {
      return true;
    }
  }
  return false;
}

void ForwardObserver::note_values(std::span<const double> values) {
  if (open_) {
    (open_->values_before.empty() ? open_->values_before : open_->values_after)
        .assign(values.begin(), values.end());
  }
}

std::vector<double> ForwardObserver::tangents_along(std::span<const double> rates,
                                                    const std::vector<bool>& counts) {
  const std::size_t n = n_columns();
  std::vector<double> sigma = sigma_;
  std::vector<double> along = s_;
  std::vector<bool> is_known(n);
  for (std::size_t k = 0; k < n; ++k) {
    const bool parts = !instant_.undefined().empty() && instant_.undefined()[k];
    is_known[k] = counts[k] && std::isfinite(sigma[k]) && !instant_.together() && !parts;
    sigma[k] = is_known[k] ? sigma[k] : 0.0;
    for (std::size_t i = 0; i < rates.size(); ++i) {
      along[i * n + k] += sigma[k] == 0.0 ? 0.0 : rates[i] * sigma[k];
    }
  }
  std::vector<double> tangents;
  find_value_tangents(source_, *field_, t_, x_, {sigma, along, discrete_}, is_known, tangents);
  return tangents;
}

// Events of one instant that do not move alike are several beside it.
void ForwardObserver::add_event(const std::vector<double>& sigma) {
  if (open_->n_events++ == 0) {
    open_->sigma = sigma;
    open_->parts.assign(n_columns(), false);
    return;
  }
  const double time_size = step_size_ == 0.0 ? 1.0 : std::abs(step_size_);
  for (std::size_t k = 0; k < n_columns(); ++k) {
    double& first = open_->sigma[k];
    if (!move_alike(source_, k, first, sigma[k], agreement(*field_), time_size)) {
      first = first_to_side(first, sigma[k], source_.setup.side, direction_);
      open_->parts[k] = true;
    }
  }
}

void ForwardObserver::close_instant() {
  if (!open_ || open_->n_events == 0) {
    open_.reset();
    return;
  }
  std::vector<double> rates(x_.size());
  if (is_any_defined() && field_->evaluator().rhs(t_, x_, rates).ok()) {
    open_->after_along = tangents_along(rates, is_defined_);
  }
  listener_.instant(*open_);
  open_.reset();
}

void ForwardObserver::restart(std::span<const double> s, std::span<const double> discrete, double step_size) {
  s_.assign(s.begin(), s.end());
  discrete_.assign(discrete.begin(), discrete.end());
  step_size_ = step_size;
  std::fill(is_defined_.begin(), is_defined_.end(), true);
  problem_.clear();
  has_unit_columns_ = true;
  is_in_instant_ = false;
  has_rows_ = false;
  open_.reset();
}

void ForwardObserver::finish() {
  (void)catch_up();
  tell_final_values();
  if (!is_in_instant_ || !has_rows_) {
    return;
  }
  const std::size_t n = n_columns();
  tangents_.assign(n_values() * n, std::nan(""));
  const std::size_t n_variables = source_.system.variables().size();
  for (std::size_t e = 0; e < n_variables * n && instant_.values().size() == n_variables * n; ++e) {
    tangents_[e] = is_defined_[e % n] ? instant_.values()[e] : std::nan("");
  }
  (void)give_row(t_, last_segment_, last_mode_, tangents_);
  if (open_ && open_->n_events > 0) {
    open_->after_along = tangents_;
    listener_.instant(*open_);
  }
}

}  // namespace saltus::sensitivity
