// What follows an instant: the method that goes on, its restart, the stretch that is told.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "hybrid/run_loop.hpp"

namespace saltus::hybrid {
namespace {

// A step after an event is no longer than this many low flights (settle/sliding/rest_control.hpp): beside the errors of a longer one they are not seen.
constexpr double kFlights = 2.0;

}  // namespace

// Whose method goes on: between two modes that of the one after which the motion is named, unless only the other's is implicit
// (what is stiff in one mode is stiff between the two).
ModeId RunLoop::mode_of_method() const {
  const settle::ModeData* const partner = state_.at.partner();
  const settle::Engine& engine = *state_.at.mode().engine;
  const bool is_other_better = partner != nullptr && engine.method_of(partner->id).is_implicit() &&
                               !engine.method_of(state_.at.mode().id).is_implicit();
  return is_other_better ? partner->id : state_.at.mode().id;
}

void RunLoop::take_method() {
  settle::Engine& engine = *state_.at.mode().engine;
  const ModeId mode = mode_of_method();
  engine.enter(mode, state_.at.field(), *state_.at.mode().locked);
  if (engine_ != &engine) {
    const bool has_own_size =
        engine_ != nullptr && &engine_->method() != &engine.method() && engine.advance().next_step() > 0.0;
    if (engine_ != nullptr && !has_own_size) {
      engine.advance().set_next_step(engine_->advance().next_step());
    }
    engine_ = &engine;
  }
  use_of_mode_.resize(std::max(use_of_mode_.size(), mode.index() + 1));
  if (use_of_mode_[mode.index()] == 0) {
    state_.outcome.method_uses.push_back({mode, 0});
    use_of_mode_[mode.index()] = state_.outcome.method_uses.size();
  }
}

// True: rates end at a surface that was just left, here or just beyond it.
bool RunLoop::settle_next_to_surface() {
  probe_.assign(state_.at.x().begin(), state_.at.x().end());
  const bool is_singular = state_.at.mode().evaluator->settle(state_.at.time(), probe_);
  state_.at.move({settle::Factor::Kind::own_side}, probe_);
  return is_singular;
}

bool RunLoop::restart() {
  take_method();
  settle::Engine& engine = *state_.at.mode().engine;
  ++state_.counters.restarts;
  integrate::Stepper& stepper = engine.stepper();
  if (!engine.method().can_slide() && state_.at.field().projection() == system::Projection::stages) {
    state_.end(
        RunOutcome::Status::failed, "no_sliding_solution",
        fmt::format("at t = {:.9g} the solution is held on a surface (mode {}), where its equations are "
                    "others: the method '{}' cannot follow it; take another method",
                    state_.at.time(), state_.at.mode().info->name, engine.method().name));
    return false;
  }
  const bool is_by_structure = state_.at.mode().locked->reduction() == system::Reduction::structural;
  if (engine.method().is_of_motion() &&
      (!is_by_structure || std::ssize(stepper.tolerances().rate_of) != stepper.n_states())) {
    state_.end(
        RunOutcome::Status::failed, "no_projection",
        fmt::format("at t = {:.9g} the structure of mode {} does not tell positions from velocities, which "
                    "the method '{}' needs; take another method",
                    state_.at.time(), state_.at.mode().info->name, engine.method().name));
    return false;
  }
  stepper.set_system(state_.at.field(), *state_.at.mode().locked);
  // The first step away from a surface may try points a little beyond it.
  left_.clear();
  for (const Index guard : state_.at.mode().searched) {
    if (state_.roots.is_at(guard)) {
      left_.push_back(guard);
    }
  }
  state_.at.mode().evaluator->extend(left_);
  const bool is_singular = engine.method().is_implicit() && !left_.empty() && settle_next_to_surface();
  const std::span<const double> derivative = settler_.known_derivative();
  const system::Evaluation evaluation = derivative.empty()
                                            ? stepper.restart(state_.at.t(), state_.at.x())
                                            : stepper.restart(state_.at.t(), state_.at.x(), derivative);
  if (!evaluation.ok()) {
    return settler_.enter_by_ranks(evaluation) && restart();
  }
  if (is_singular) {
    stepper.start_is_singular();
  }
  if (!bounds_.holds_here()) {
    return false;
  }
  engine.advance().restarted();
  if (const double flight = state_.instant.flight; flight > 0.0) {
    const double size = engine.advance().next_step();
    engine.advance().set_next_step(size > 0.0 ? std::min(size, kFlights * flight) : kFlights * flight);
  }
  watch_list_.build(state_, settler_.monitor(), is_unilateral_);
  if (guard_error_) {
    guard_error_->watch(state_.at.field(), watch_list_.watches());
  }
  if (output_error_) {
    output_error_->restart(state_.at.field());
    if (state_.at.x().empty()) {
      const double size = engine.advance().next_step();
      engine.advance().set_next_step(size > 0.0 ? std::min(size, output_error_->longest_step())
                                                : output_error_->longest_step());
    }
  }
  is_fresh_ = true;
  singular_.restarted();
  values_.restarted();
  arm();
  if (has_schedule_) {
    state_.system().next_scheduled(state_.at.configuration(), state_.at.time(), state_.direction(),
                                   state_.time_scale(), false, schedule_);
  }
  return true;
}

bool RunLoop::begin_stretch() {
  if (!state_.report()) {
    return false;
  }
  state_.at.mode().has_run = true;
  const reduce::ArrayEvaluator* const by_ranks = state_.at.mode().by_ranks;
  const Stretch stretch{state_.segment,
                        state_.at.time(),
                        state_.at.x(),
                        state_.mode_text(),
                        state_.at.mode().locked.get(),
                        &state_.at.field(),
                        &state_.at.configuration(),
                        state_.at.surfaces(),
                        state_.at.level(),
                        state_.at.mode().structure,
                        std::exchange(has_new_ranks_, false),
                        by_ranks != nullptr ? by_ranks->values() : nullptr,
                        state_.at.surfaces().empty() && state_.at.is_at_rest()};
  return state_.go_on(state_.observer().begin_stretch(stretch));
}

}  // namespace saltus::hybrid
