// EventSearch: guards that leave their surface, and the errors beside which that is seen (event_search.hpp, Choices).
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/machine.hpp"
#include "locate/event_search.hpp"

namespace saltus::locate {
namespace {

// Of a state on an extension, as in the noise of affine guards (affine_exclusion.cpp).
constexpr double kValueRoundings = 4.0;
// A guard reads the constraints when what the error test allows makes this many times more of it than what is left of that on them: then the
// extension, which meets them to the accuracy of the method, says nothing of it. Not measured: of most guards it is 1 to 3, of a multiplier
// beside a rate of 1e4 it is 1e4.
constexpr double kAcross = 16.0;
// Where a curve is looked at between the surface that it leaves and a root, or the end.
constexpr std::array<double, 4> kWay{0.25, 0.5, 0.75, 0.9};

}  // namespace

// Of the step that was searched last, found when they are first asked for.
const EventSearch::GuardErrors& EventSearch::errors(std::size_t index) {
  GuardErrors& errors = errors_[index];
  if (errors.search != n_searches_) {
    find_errors(index, errors);
    errors.search = n_searches_;
  }
  return errors;
}

void EventSearch::find_errors(std::size_t index, GuardErrors& errors) {
  errors = {};
  const std::span<const double> x = step_->step_start_state();
  const std::span<const double> end = step_->step_end_state();
  const double t = step_->step_start_time().value();
  double time_derivative = 0.0;
  gradient_.resize(x.size());
  const bool is_known =
      evaluator_->guard_gradient(watches_[index].guard, t, x, gradient_, time_derivative).ok();
  if (!is_known ||
      !std::all_of(gradient_.begin(), gradient_.end(), [](double slope) { return std::isfinite(slope); })) {
    return;
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    errors.roundings +=
        kValueRoundings * kEpsilon * std::abs(gradient_[i]) * std::max(std::abs(x[i]), std::abs(end[i]));
  }
  errors.allowed = locate::allowed_error(step_->tolerances(), gradient_, x, end);
  errors.estimated = estimated_error(gradient_);
  if (!projects()) {
    return;
  }
  // Sums over all states bound what errors do as they are, and what is left of them on the constraints: the smaller one holds.
  evaluator_->keep_along(t, x, gradient_);
  const double along = locate::allowed_error(step_->tolerances(), gradient_, x, end);
  errors.reads_constraints = errors.allowed > kAcross * along;
  errors.allowed = std::min(errors.allowed, along);
  errors.estimated = std::min(errors.estimated, estimated_error(gradient_));
}

// What the method estimates of this step.
double EventSearch::estimated_error(std::span<const double> slopes) const {
  const std::span<const double> error = step_->error_estimate();
  double sum = 0.0;
  if (error.size() == slopes.size()) {
    for (std::size_t i = 0; i < error.size(); ++i) {
      sum += std::abs(slopes[i] * error[i]);
    }
  }
  return kBeyondEstimate * sum;
}

// A guard that is leaving its surface and has not been clear of it up to θ, by what is known of the errors since then.
bool EventSearch::has_not_departed(std::size_t index, double theta) {
  const Departure& departure = watches_[index].departure;
  if (detection_.rule != Detection::Rule::bound || std::isnan(theta) || departure.is_thrown) {
    return false;
  }
  const GuardErrors& errors = this->errors(index);
  const GuardCurve curve = this->curve(index);
  const double error = std::max({noise(curve, reach_) + errors.roundings, departure.error, errors.estimated});
  return departure.peak <= error && (theta == 0.0 || std::none_of(kWay.begin(), kWay.end(), [&](double part) {
                                       return curve(part * theta) > error;
                                     }));
}

// A guard beside its surface that the equations do not move along the step: what it does there is error, and is no event. Errors of many
// steps may have led it further away than one of them could.
bool EventSearch::is_held_by_equations(std::size_t index, double end) {
  // Where states are projected, what holds a guard leaves no more than rounding of it.
  if (detection_.rule != Detection::Rule::bound || evaluator_->projection() != system::Projection::none) {
    return false;
  }
  make_segment();
  const double error = errors(index).allowed;
  const GuardCurve curve = this->curve(index);
  const double begin = curve(0.0);
  std::array<double, kWay.size() + 1> places{};
  std::transform(kWay.begin(), kWay.end(), places.begin(), [end](double part) { return part * end; });
  places.back() = end;
  return std::all_of(places.begin(), places.end(), [&](double theta) {
    system::GuardDerivatives derivatives;
    if (!(std::abs(curve(theta) - begin) <= error)) {
      return false;
    }
    segment_.evaluate(theta, x_);
    const double t = segment_.start_time() + theta * segment_.step();
    return evaluator_->guard_derivatives(watches_[index].guard, t, x_, derivatives).ok() &&
           derivatives.n_known > 0 && std::abs(derivatives.value[0]) <= derivatives.noise[0];
  });
}

// Of a guard that has not departed before its first root: that of a passage beyond what the error test allows. Not a number: there is none.
double EventSearch::clear_root(std::size_t index, double theta, double end, double slack,
                               Isolation& isolation) {
  const double error = errors(index).allowed;
  if (!(error > 0.0)) {
    return theta;
  }
  const Passage clear = passage(index, end, error);
  if (clear.kind == Passage::Kind::bracket && clear.a > theta) {
    return root(index, clear, slack);
  }
  if (clear.kind != Passage::Kind::none) {
    return theta;
  }
  // Back on its surface at the end, but for less than the error, after it has been clear of it: shorter steps are to show one after the other.
  const GuardCurve curve = this->curve(index);
  if (curve(end) <= 0.0 &&
      std::any_of(kWay.begin(), kWay.end(), [&](double part) { return curve(part * end) > error; })) {
    isolation.undecided = 0.0;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

void EventSearch::step_kept(double theta) {
  n_leaving_ = 0;
  for (std::size_t index = 0; index < watches_.size(); ++index) {
    if (!is_leaving(index)) {
      continue;
    }
    make_segment();
    const double value = curve(index)(theta);
    Departure& departure = watches_[index].departure;
    departure.error = std::max(departure.error, errors(index).estimated);
    departure.peak = std::max(departure.peak, value);
    departure.is_leaving = !(value > errors(index).allowed);
    n_leaving_ += departure.is_leaving ? 1 : 0;
  }
}

}  // namespace saltus::locate
