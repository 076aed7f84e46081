// Forward sensitivities at the stop of a run: events so close to it that a small change of a parameter takes them to its other side.
#include <algorithm>
#include <cmath>
#include <vector>

#include "base/time_tolerance.hpp"
#include "sensitivity/forward_observer.hpp"

namespace saltus::sensitivity {
bool ForwardObserver::is_near_stop(double t) const {
  const hybrid::Options& options = source_.options;
  const double length = std::abs(options.stop - options.start);
  return std::abs(options.stop - t) <=
         std::max(kTolerancesOfReach * options.tolerances.rtol * kMostMotion * length,
                  time_tolerance(t, scale_));
}

// A small change of column k takes what happens at a time off the stop by `distance`, and moves by sigma, to the other side.
bool ForwardObserver::reaches_stop(double distance, double sigma, std::size_t k) const {
  if (sigma == 0.0) {
    return false;
  }
  const double rtol = source_.options.tolerances.rtol;
  const double length = std::abs(source_.options.stop - source_.options.start);
  const double motion = std::isfinite(sigma) ? std::abs(sigma) * source_.setup.columns[k].size : length;
  return std::abs(distance) <= std::max(kTolerancesOfReach * rtol * motion, time_tolerance(t_, scale_));
}

void ForwardObserver::note_near_stop(const settle::InstantMove& move) {
  if (has_unit_columns_ || !is_near_stop(move.t)) {
    return;
  }
  NearStop& near = near_stop_.emplace_back();
  near.t = move.t;
  near.sigma = sigma_;
  near.before = left_limit_;
  for (const settle::InstantMove::Crossing& crossing : move.crossings) {
    near.crossed.push_back(crossing.guard);
  }
}

void ForwardObserver::note_values_near_stop(double t, std::span<const double> values) {
  if (!near_stop_.empty() && near_stop_.back().t == t) {
    NearStop& near = near_stop_.back();
    (near.values_before.empty() ? near.values_before : near.values_after)
        .assign(values.begin(), values.end());
  }
}

// The final values to one side and to the other: where they differ there is no derivative of them, unless one side is asked for.
void ForwardObserver::tell_final_values() {
  // What terminal() asks for is an instant without rows.
  const bool ends_at_event = is_in_instant_ && has_rows_;
  if (has_unit_columns_ || field_ == nullptr || ends_at_event || !field_->failure().empty() ||
      !same_instant(t_, source_.options.stop, scale_)) {
    return;
  }
  std::vector<double> final_values;
  find_tangents(t_, x_, s_, final_values);
  std::vector<bool> is_told(n_columns(), false);
  for (std::size_t k = 0; k < n_columns(); ++k) {
    if (is_defined_[k]) {
      is_told[k] = take_sides_at_stop(k, final_values);
    }
  }
  const std::vector<bool> beyond = reach_beyond_stop();
  take_choices_at_stop(is_told, final_values);
  for (std::size_t k = 0; k < n_columns(); ++k) {
    if (is_defined_[k] && beyond[k]) {
      is_told[k] = true;
      for (std::size_t e = k; e < final_values.size(); e += n_columns()) {
        final_values[e] = std::nan("");
      }
    }
  }
  std::string names;
  for (std::size_t k = 0; k < n_columns(); ++k) {
    names += !is_told[k] ? "" : (names.empty() ? "'" : ", '") + source_.setup.columns[k].name + "'";
  }
  if (!names.empty()) {
    tell_undefined(t_, "an event lies at the end of the run, and for other values it may lie beyond it",
                   names);
  }
  listener_.final_values(final_values);
}

// An instant at the stop, or as good as there: the run beside it may end before it. Whether something became undefined.
bool ForwardObserver::take_sides_at_stop(std::size_t k, std::vector<double>& final_values) const {
  const std::size_t n = n_columns();
  const auto reached = [&](const NearStop& near) {
    return reaches_stop(source_.options.stop - near.t, near.sigma[k], k);
  };
  const auto first = std::find_if(near_stop_.begin(), near_stop_.end(), reached);
  if (first == near_stop_.end()) {
    return false;
  }
  const bool is_one = std::count_if(first, near_stop_.end(), reached) == 1;
  const double later = direction_ * first->sigma[k];  // > 0: larger values end before it
  const Side before = !is_one || !std::isfinite(later) ? Side::none : later > 0.0 ? Side::plus : Side::minus;
  bool is_any_undefined = false;
  for (std::size_t v = 0; v < source_.system.variables().size(); ++v) {
    double& value = final_values[v * n + k];
    const double old = first->before[v * n + k];
    const bool jumps = v >= first->values_before.size() || v >= first->values_after.size() ||
                       differ(first->values_before[v], first->values_after[v], 1.0);
    if (std::isnan(value) || (!jumps && !differ(old, value, 1.0 / source_.setup.columns[k].size))) {
      continue;
    }
    const bool takes_before = source_.setup.side != Side::none && source_.setup.side == before;
    const bool takes_after = source_.setup.side != Side::none && before != Side::none && !takes_before;
    value = takes_after ? value : takes_before && !jumps ? old : std::nan("");
    is_any_undefined = is_any_undefined || std::isnan(value);
  }
  return is_any_undefined;
}

bool ForwardObserver::differ(double a, double b, double size) const {
  const bool are_both_missing = std::isnan(a) && std::isnan(b);
  return !are_both_missing &&
         !(std::abs(a - b) <= agreement(*field_) * std::max({std::abs(a), std::abs(b), size}));
}

// Guards that have not crossed near the stop.
std::vector<GuardPlace> ForwardObserver::places_beyond_stop() {
  std::vector<Index> passed;
  for (const NearStop& near : near_stop_) {
    passed.insert(passed.end(), near.crossed.begin(), near.crossed.end());
  }
  return guard_places(source_, *field_, t_, x_, passed);
}

// Variables that are other numbers, or move otherwise, beyond a guard that a small change of a parameter leads over.
void ForwardObserver::take_choices_at_stop(std::vector<bool>& is_told, std::vector<double>& final_values) {
  const std::size_t n = n_columns();
  const std::size_t n_variables = source_.system.variables().size();
  const InstantPoint point{t_, x_, {}, s_, discrete_, step_size_ == 0.0 ? 1.0 : std::abs(step_size_)};
  const std::vector<double> own_tangents = final_values;
  std::vector<double> own_values(n_variables);
  const bool has_values = field_->evaluator().outputs(t_, x_, own_values).ok();
  for (const GuardPlace& place : places_beyond_stop()) {
    std::vector<bool> moves = moves_from_surface(source_, *field_, place.guard, point, source_.fixed_time);
    const std::vector<double> motion =
        tangents_of_guards(source_, *field_, point, source_.fixed_time, {&place.guard, 1});
    const double side = field_->facts().configuration.latched[static_cast<std::size_t>(place.guard)];
    for (std::size_t k = 0; k < moves.size(); ++k) {
      const double towards = source_.setup.side == Side::minus ? -motion[k] : motion[k];
      const bool keeps_side =
          source_.setup.side != Side::none && std::abs(side) == 1.0 && towards * side > 0.0;
      moves[k] = moves[k] && is_defined_[k] && !keeps_side;
    }
    if (!has_values || std::find(moves.begin(), moves.end(), true) == moves.end()) {
      continue;
    }
    for (const system::Configuration& configuration : other_sides(source_, *field_, place)) {
      std::vector<double> values(n_variables);
      std::vector<double> tangents;
      field_->set_configuration(configuration);
      const bool is_known = field_->evaluator().outputs(t_, x_, values).ok();
      find_tangents(t_, x_, s_, tangents);
      field_->set_configuration(field_->facts().configuration);
      for (std::size_t e = 0; e < n_variables * n; ++e) {
        const std::size_t k = e % n;
        const bool is_other = !is_known || differ(values[e / n], own_values[e / n], 1.0) ||
                              differ(tangents[e], own_tangents[e], 1.0 / source_.setup.columns[k].size);
        if (moves[k] && is_other && !std::isnan(final_values[e])) {
          final_values[e] = std::nan("");
          is_told[k] = true;
        }
      }
    }
  }
}

// By column: something that comes later may come before the stop.
std::vector<bool> ForwardObserver::reach_beyond_stop() {
  std::vector<bool> reached(n_columns(), false);
  const InstantPoint point{t_, x_, {}, s_, discrete_, step_size_ == 0.0 ? 1.0 : std::abs(step_size_)};
  for (const GuardPlace& place : places_beyond_stop()) {
    const SurfaceTouched touched = touch_surface(source_, *field_, place, point);
    std::transform(reached.begin(), reached.end(), touched.undefined.begin(), reached.begin(),
                   std::logical_or<>());
  }
  std::vector<double> sigma(n_columns());
  for (Index clock = 0; clock < source_.system.n_clocks(); ++clock) {
    const system::ClockTimes times = source_.system.clock_times(clock);
    const double due =
        times.start + std::max(0.0, std::round((t_ - times.start) / times.interval)) * times.interval;
    if (!is_near_stop(due) || direction_ * (due - t_) < time_tolerance(t_, scale_)) {
      continue;
    }
    clock_time(source_, clock, due, sigma);
    for (std::size_t k = 0; k < n_columns(); ++k) {
      reached[k] = reached[k] || reaches_stop(due - t_, sigma[k], k);
    }
  }
  return reached;
}

}  // namespace saltus::sensitivity
