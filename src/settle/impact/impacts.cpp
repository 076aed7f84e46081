#include "settle/impact/impacts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/time_tolerance.hpp"
#include "reduce/nonlinear/consistency.hpp"
#include "settle/state/rebound.hpp"

namespace saltus::settle {
namespace {

// A gap of no more than this part of the states that make it up is zero: an impact is early by as little.
constexpr double kRoundingsOfGap = 16.0 * std::numeric_limits<double>::epsilon();

}  // namespace

Impacts::Impacts(RunState& state, GuardSurvey& survey)
    : state_(state), survey_(survey), entry_(state), transfer_(state) {
  for (std::size_t i = 0; i < state.guards().size(); ++i) {
    if (state.guards()[i].kind == system::GuardInfo::Kind::gap) {
      gaps_.push_back(static_cast<Index>(i));
    }
  }
}

const std::string& Impacts::name_of(const Meeting& meeting) const {
  return state_.guard(meeting.gap).text;
}

std::string Impacts::names() const {
  std::string names;
  for (const Meeting& meeting : meetings_) {
    names += (names.empty() ? "" : ", ") + name_of(meeting);
  }
  return names;
}

void Impacts::end_at_limit() {
  state_.end(
      RunOutcome::Status::stopped, "round_limit",
      fmt::format("{} impacts at t = {:.9g} without an end", state_.options().max_rounds, state_.at.time()));
}

bool Impacts::fail(const system::Evaluation& evaluation) {
  state_.fail(*open_->evaluator, evaluation);
  return false;
}

bool Impacts::fail(const std::string& message) {
  state_.end(RunOutcome::Status::failed, "impact_not_decided",
             fmt::format("at t = {:.9g} {}", state_.at.time(), message));
  return false;
}

// The contacts whose gaps are zero. False: there are none.
bool Impacts::gather() {
  ModeData& mode = state_.at.mode();
  for (const Index gap : gaps_) {
    const system::GuardInfo& info = state_.guard(gap);
    if (!mode.locked->watches(info.closing)) {
      continue;  // it belongs to another mode
    }
    double value = 0.0;
    const bool is_open = state_.at.latched(info.closing) == info.open_side;
    if (is_open &&
        !mode.evaluator->guards({&info.closing, 1}, state_.at.time(), state_.at.x(), {&value, 1}).ok()) {
      continue;
    }
    // Beyond zero by errors of the trajectory it is zero too, and so is what closes within roundings.
    if (is_open && value * info.open_side > survey_.left_by_projection(info.closing, kRoundingsOfGap) &&
        !survey_.is_zero(mode, state_.at.x(), info.closing, value)) {
      continue;
    }
    meetings_.push_back({.gap = gap});
  }
  return !meetings_.empty();
}

// The structure without them.
bool Impacts::open() {
  configuration_ = state_.at.configuration();
  for (const Meeting& meeting : meetings_) {
    const system::GuardInfo& info = state_.guard(meeting.gap);
    configuration_.latched[static_cast<std::size_t>(info.closing)] = info.open_side;
  }
  const auto found = state_.modes.mode(state_.system().structure_of(configuration_));
  if (!found) {
    state_.end(RunOutcome::Status::failed, "mode_failed", found.error().items()[0].message);
    return false;
  }
  open_ = *found;
  follows_ = Transfer::algebraic_states(*open_);
  if (open_ == &state_.at.mode()) {
    x_.assign(state_.at.x().begin(), state_.at.x().end());
  } else {
    entry_.states_for(*open_, x_);
    transfer_.set_rates(entry_.rates());
    if (!transfer_.onto_constraints(*open_, configuration_, x_)) {
      state_.fail(transfer_.failure());
      return false;
    }
  }
  open_->evaluator->set_configuration(configuration_);
  return true;
}

bool Impacts::rate_of(Index gap, std::span<const double> x, double& rate, double* noise) {
  system::GuardDerivatives derivatives;
  if (const system::Evaluation evaluation =
          open_->evaluator->guard_derivatives(gap, state_.at.time(), x, derivatives);
      !evaluation.ok()) {
    return fail(evaluation);
  }
  rate = derivatives.value[0];
  if (noise != nullptr) {
    *noise = derivatives.noise[0];
  }
  return true;
}

bool Impacts::find_rates() {
  for (Meeting& meeting : meetings_) {
    const Index restitution = state_.guard(meeting.gap).restitution;
    const system::Evaluation evaluation =
        open_->evaluator->guards({&restitution, 1}, state_.at.time(), x_, {&meeting.restitution, 1});
    if (!evaluation.ok()) {
      return fail(evaluation);
    }
    if (!(meeting.restitution >= 0.0 && meeting.restitution <= 1.0)) {
      return fail(fmt::format("the restitution of {} is {:.9g}; it must lie between 0 and 1",
                              name_of(meeting), meeting.restitution));
    }
    if (!rate_of(meeting.gap, x_, meeting.rate)) {
      return false;
    }
  }
  return true;
}

// Whether what takes the velocity of a gap away would be a jump at all.
bool Impacts::moves(const Meeting& meeting) {
  const std::vector<double>& nominal = open_->engine->nominal();
  const std::span<const double> b = response(static_cast<std::size_t>(&meeting - meetings_.data()));
  for (std::size_t i = 0; i < b.size(); ++i) {
    const double change = meeting.rate * b[i] / meeting.lift;
    if (meeting.lift == 0.0 || reduce::has_moved(x_[i], x_[i] + change, nominal[i])) {
      return true;
    }
  }
  return false;
}

bool Impacts::closes(const Meeting& meeting) {
  return state_.direction() * meeting.rate < 0.0 && moves(meeting);
}

bool Impacts::opens(const Meeting& meeting) {
  return state_.direction() * meeting.rate > 0.0 && moves(meeting);
}

bool Impacts::fail_pressed(const Meeting& meeting) {
  state_.end(
      RunOutcome::Status::failed, "painleve",
      fmt::format("at t = {:.9g} the force of {} closes its own gap, by its sign or by the friction that it "
                  "makes (a case of Painlevé): no force, or more than one, is possible",
                  state_.at.time(), name_of(meeting)));
  return false;
}

// The rate with which a contact leaves: its own rebound, or where impulses of others throw it. 0: it stays.
double Impacts::rebound_of(const Meeting& meeting) {
  if (meeting.impulse > 0.0) {
    return meeting.rate < 0.0 ? -meeting.restitution * meeting.rate : 0.0;
  }
  return meeting.is_held ? 0.0 : std::max(meeting.rate_after, 0.0);
}

// Flights within errors: docs/semantics.md 7.11.
bool Impacts::is_no_rebound(std::size_t k) {
  const Meeting& meeting = meetings_[k];
  const double rebound = rebound_of(meeting);
  if (rebound == 0.0) {
    return false;
  }
  system::GuardDerivatives derivatives;
  if (!open_->evaluator->guard_derivatives(meeting.gap, state_.at.time(), x_, derivatives).ok()) {
    return false;
  }
  if (const double fall = -derivatives.value[1]; derivatives.n_known > 1 && fall > derivatives.noise[1]) {
    const double height = 0.5 * rebound * rebound / fall;
    const double noise = open_->evaluator->guard_noise(meeting.gap, state_.at.time(), x_);
    double gap = 0.0;
    if (!open_->evaluator->guards({&meeting.gap, 1}, state_.at.time(), x_, {&gap, 1}).ok() ||
        height <= kNoisesOfRebound * (noise + std::abs(gap)) ||
        2.0 * rebound / fall <= kInstantsOfRebound * time_tolerance(state_.at.time(), state_.time_scale())) {
      return true;
    }
  }
  const integrate::Tolerances& tolerances = open_->engine->stepper().tolerances();
  const std::vector<double>& nominal = open_->engine->nominal();
  const std::span<const double> b = response(k);
  for (std::size_t i = 0; i < b.size(); ++i) {
    const double allowed = tolerances.rtol * std::max(std::abs(x_[i]), nominal[i]) + tolerances.atol[i];
    if (rebound * std::abs(b[i]) > allowed * std::abs(meeting.lift)) {
      return false;
    }
  }
  return true;
}

bool Impacts::leave_out_rebounds() {
  for (bool has_changed = true; has_changed;) {
    has_changed = false;
    for (std::size_t k = 0; k < meetings_.size(); ++k) {
      if (is_no_rebound(k)) {
        meetings_[k].restitution = 0.0;
        meetings_[k].is_held = meetings_[k].impulse == 0.0;
        has_changed = true;
      }
    }
    if (has_changed && !solve()) {
      return false;
    }
  }
  return true;
}

// A contact that rests, and whose friction presses it together: not decided by what is near it.
bool Impacts::is_any_pressed() {
  const auto pressed = std::find_if(meetings_.begin(), meetings_.end(), [this](const Meeting& meeting) {
    return meeting.is_pressed && !closes(meeting) && !opens(meeting);
  });
  return pressed != meetings_.end() && !fail_pressed(*pressed);
}

Impacts::Answer Impacts::find() {
  meetings_.clear();
  norms_.clear();
  weights_.clear();
  if (gaps_.empty() || !gather()) {
    return Answer::none;
  }
  if (!open() || !find_rates() || !find_units()) {
    return Answer::ended;
  }
  const bool have_met = std::any_of(meetings_.begin(), meetings_.end(),
                                    [this](const Meeting& meeting) { return closes(meeting); });
  bool goes_on = true;
  if (have_met && state_.direction() < 0.0) {
    goes_on = fail(
        fmt::format("{} would have an impact, which has no past: runs with contacts go forwards", names()));
  } else if (have_met) {
    goes_on = find_weights() && solve() && leave_out_rebounds() && is_independent();
  } else {
    goes_on = !is_any_pressed();
  }
  if (open_ == &state_.at.mode()) {
    open_->evaluator->set_configuration(state_.at.configuration());
  }
  return !goes_on ? Answer::ended : have_met ? Answer::some : Answer::none;
}

void Impacts::take() {
  for (const Meeting& meeting : meetings_) {
    const system::GuardInfo& info = state_.guard(meeting.gap);
    state_.set_latched(info.closing, info.open_side);
  }
  const Factor factor{Factor::Kind::impact, meetings_.front().gap};
  if (open_ == &state_.at.mode()) {
    state_.at.move(factor, x_after_);
    open_->evaluator->set_configuration(state_.at.configuration());
  } else {
    state_.at.enter(*open_, x_after_, factor);
  }
  rest_what_sticks();
}

// What friction has brought to zero is zero, whatever rounding leaves of it.
void Impacts::rest_what_sticks() {
  std::size_t n_balls = 0;
  for (const slide::BallProblem::Set& set : sets_) {
    const std::span<const double> weights = std::span<const double>(unknowns_).subspan(set.first, set.size);
    if (set.kind == slide::BallProblem::Kind::half_line) {
      continue;
    }
    const bool is_ball = set.kind == slide::BallProblem::Kind::ball;
    const Index norm = is_ball ? norms_[n_balls++] : -1;
    if (!(std::inner_product(weights.begin(), weights.end(), weights.begin(), 0.0) < 1.0)) {
      continue;
    }
    if (is_ball) {
      state_.set_latched(norm, system::direction_state::kNearZero);
    }
    for (std::size_t i = set.first; i < set.first + set.size; ++i) {
      const Index guard = weights_[i - meetings_.size()];
      if (is_ball) {
        state_.at.set_latched(guard, 0.0);
      } else {
        state_.roots.put(guard, 0.0);
      }
      state_.move_onto(guard);
    }
  }
  state_.at.field().set_configuration(state_.at.configuration());
}

void Impacts::log(EventLog& log) const {
  for (const Meeting& meeting : meetings_) {
    if (meeting.impulse > 0.0) {
      log.impact(meeting.gap, meeting.rate, meeting.rate_after, meeting.impulse);
    }
  }
}

}  // namespace saltus::settle
