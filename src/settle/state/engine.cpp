#include "settle/state/engine.hpp"

#include <cmath>
#include <utility>

namespace saltus::settle {
namespace {

// Where values are all there is, what lies between the nine points of such a piece is shorter than about a hundredth of the run.
// More pieces would show more, but weights of sliding are sampled too, and each of their values costs two right-hand sides.
constexpr double kSampledPiecesOfRun = 32.0;

}  // namespace

Engine::Engine(const system::HybridSystem& system, const Options& options, ModeId mode,
               const system::LockedDae& locked, system::Evaluator& evaluator,
               integrate::Tolerances tolerances)
    : options_(options),
      tolerances_(std::move(tolerances)),
      first_evaluator_(&evaluator),
      search_(static_cast<Index>(locked.states().size()), options.detection),
      decider_(static_cast<Index>(locked.states().size()), system.guards()) {
  for (const system::StateInfo& state : locked.states()) {
    names_.push_back(state.name);
    quantities_.push_back(state.quantity);
    nominal_.push_back(state.nominal);
  }
  search_.set_longest_sampled_piece(std::abs(options.stop - options.start) / kSampledPiecesOfRun);
  enter(mode, evaluator, locked);
}

Drive& Engine::drive_for(const integrate::Method& method, const MethodChoice& choice,
                         system::Evaluator& evaluator, const system::LockedDae& locked) {
  for (const auto& drive : drives_) {
    if (drive->method == &method && drive->orders == choice.orders &&
        drive->largest_step == choice.largest_step) {
      return *drive;
    }
  }
  drives_.push_back(std::make_unique<Drive>(options_, method, choice.orders, choice.largest_step, &locked,
                                            evaluator, tolerances_));
  if (mode_ != nullptr) {
    drives_.back()->advance->set_next_step(mode_->drive->advance->next_step());
  }
  return *drives_.back();
}

void Engine::enter(ModeId mode, system::Evaluator& evaluator, const system::LockedDae& locked) {
  if (mode_ != nullptr && mode_->id == mode) {
    return;
  }
  if (mode.index() >= modes_.size()) {
    modes_.resize(mode.index() + 1);
  }
  std::unique_ptr<ModeChoice>& choice = modes_[mode.index()];
  if (!choice) {
    const MethodChoice& wanted = choice_in(options_, mode);
    Drive& drive = drive_for(*wanted.method, wanted, evaluator, locked);
    choice = std::make_unique<ModeChoice>(ModeChoice{mode, &drive, wanted.stiff_method, {}});
  }
  mode_ = choice.get();
}

const integrate::Method& Engine::method_of(ModeId mode) const {
  const bool is_known = mode.index() < modes_.size() && modes_[mode.index()];
  return is_known ? *modes_[mode.index()]->drive->method : *choice_in(options_, mode).method;
}

double Engine::looks_stiff() {
  return mode_->other_method != nullptr && mode_->stiffness.wants_sample() &&
                 mode_->stiffness.add(stepper().stiffness())
             ? mode_->stiffness.mean()
             : 0.0;
}

bool Engine::change_method(system::Evaluator& evaluator, const system::LockedDae& locked) {
  const integrate::Method& method = *std::exchange(mode_->other_method, nullptr);
  const integrate::Stepper& before = stepper();
  const std::size_t n_before = drives_.size();
  Drive& drive = drive_for(method, choice_in(options_, mode_->id), evaluator, locked);
  const bool was_at_work = drives_.size() == n_before;
  if (was_at_work) {
    drive.stepper->set_system(evaluator, locked);
  }
  if (!drive.stepper->restart(before.time(), before.state(), before.derivative()).ok()) {
    return false;
  }
  if (was_at_work) {
    drive.advance->restarted();
  }
  mode_->drive = &drive;
  return true;
}

integrate::Statistics Engine::statistics() const {
  integrate::Statistics sum;
  for (const auto& drive : drives_) {
    sum += drive->stepper->statistics();
  }
  return sum;
}

bool Engine::fits(const system::LockedDae& locked) const {
  const auto& states = locked.states();
  return std::equal(states.begin(), states.end(), quantities_.begin(), quantities_.end(),
                    [](const system::StateInfo& state, const system::Quantity& quantity) {
                      return state.quantity == quantity;
                    });
}

}  // namespace saltus::settle
