#include "settle/state/position.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace saltus::settle {

Position::Position(double start, std::size_t n_guards) {
  point_.t = trajectory::CompensatedTime(start);
  point_.slide.kinds.assign(n_guards, SlideKind::none);
}

void Position::begin(ModeData& mode, const system::Configuration& configuration, std::span<const double> x) {
  point_.mode = &mode;
  point_.configuration = configuration;
  point_.x.assign(x.begin(), x.end());
  use_field_of_mode();
}

void Position::use_field_of_mode() {
  field_ = point_.mode->evaluator.get();
  field_->set_configuration(point_.configuration);
}

void Position::step_to(const trajectory::CompensatedTime& t, std::span<const double> x) {
  point_.t = t;
  point_.x.assign(x.begin(), x.end());
}

void Position::flip(Index guard, double side) {
  set_latched(guard, side);
  field_->set_latched(guard, side);
}

void Position::move(Factor factor, std::span<const double> x) {
  const bool is_moved = !std::equal(x.begin(), x.end(), point_.x.begin(), point_.x.end());
  if (is_moved) {
    how_.push_back(factor);
    point_.x.assign(x.begin(), x.end());
  }
  if (keeps_steps_ && (is_moved || round_)) {
    keep_step(factor);
  }
}

void Position::keep_step(Factor factor) {
  steps_.push_back(
      {factor, point_.mode->structure, point_.x, point_.configuration, std::exchange(round_, std::nullopt)});
}

double Position::tolerance(std::size_t i) const {
  const integrate::Tolerances& tolerances = point_.mode->engine->stepper().tolerances();
  const double size = std::max(std::abs(point_.x[i]), point_.mode->engine->nominal()[i]);
  return tolerances.rtol * size + tolerances.atol[i];
}

double Position::distance_to(std::span<const double> x) const {
  double most = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    most = std::max(most, std::abs(x[i] - point_.x[i]) / tolerance(i));
  }
  return most;
}

void Position::enter(ModeData& mode, std::span<const double> x, Factor factor) {
  how_.push_back(factor);
  take_rests_into(mode);
  point_.mode = &mode;
  point_.configuration.mode = mode.id;
  point_.x.assign(x.begin(), x.end());
  use_field_of_mode();
  if (keeps_steps_) {
    keep_step(factor);
  }
}

// The force that holds a guard acts on the same quantities. Where one of them is no state of the structure entered, or is bound there, the
// impulse is empty: nothing can hold that guard.
void Position::take_rests_into(const ModeData& mode) {
  if (point_.rests.empty() || &mode == point_.mode) {
    return;
  }
  const std::vector<system::StateInfo>& from = point_.mode->locked->states();
  const std::vector<system::StateInfo>& to = mode.locked->states();
  for (slide::Contact& contact : point_.rests) {
    std::vector<double> impulse(to.size(), 0.0);
    for (std::size_t i = 0; i < contact.impulse.size(); ++i) {
      const auto place = std::find_if(to.begin(), to.end(), [&](const system::StateInfo& state) {
        return state.quantity == from[i].quantity;
      });
      if (place != to.end() && can_rest_in(mode)) {
        impulse[static_cast<std::size_t>(place - to.begin())] = contact.impulse[i];
      } else if (contact.impulse[i] != 0.0) {
        impulse.clear();
        break;
      }
    }
    contact.impulse = std::move(impulse);
  }
}

void Position::take_back(const Trial& trial) {
  point_ = trial.before;
  how_.resize(trial.n_factors);
  steps_.erase(steps_.begin() + static_cast<std::ptrdiff_t>(std::min(trial.n_steps, steps_.size())),
               steps_.end());
  use_field_of_mode();
}

void Position::set_discrete(std::span<const double> values) {
  std::copy(values.begin(), values.end(), point_.configuration.discrete.begin());
}

}  // namespace saltus::settle
