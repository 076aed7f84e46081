#include "sensitivity/instant/instant_replay.hpp"

#include "sensitivity/field/silent_observer.hpp"

#include <algorithm>
#include <cmath>

#include "sensitivity/field/structure_beside.hpp"
#include "settle/enter/mode_entry.hpp"
#include "settle/enter/transfer.hpp"
#include "settle/state/run_state.hpp"

namespace saltus::sensitivity {
namespace {

using settle::Factor;

// What is computed again agrees with the run to this part: transfers are iterated, from other places.
constexpr double kSameAgain = 1e-7;
// A guard counts as zero within this many times its noise, and as moved from there by a change of as many.
constexpr double kNoisesOfZero = 100.0;

// After the step a mode is left again in the same instant.
bool passes_through(const settle::InstantMove& move, std::size_t step) {
  const ModeId mode = move.steps[step].structure.mode;
  return mode != move.structure.mode &&
         std::any_of(move.steps.begin() + static_cast<std::ptrdiff_t>(step) + 1, move.steps.end(),
                     [mode](const settle::MoveStep& later) { return later.structure.mode != mode; });
}

void move_along(std::span<double> values, std::span<const double> tangents, std::size_t n, std::size_t column,
                double offset) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] += offset * tangents[i * n + column];
  }
}

// What does not move is zero exactly.
void add_difference(std::span<const double> beside, std::span<const double> here, double weight,
                    std::size_t n, std::size_t column, std::vector<double>& tangents) {
  for (std::size_t i = 0; i < here.size(); ++i) {
    const double difference = beside[i] - here[i];
    tangents[i * n + column] += std::isnan(difference) ? 0.0 : weight * difference;
  }
}

}  // namespace

struct InstantReplay::Shadow {
  Shadow(const system::HybridSystem& of, const hybrid::Options& options)
      : system(of), state(of, options, observer), entry(state), transfer(state) {}

  const system::HybridSystem& system;
  SilentObserver observer;
  settle::RunState state;
  settle::ModeEntry entry;
  settle::Transfer transfer;
};

// Where the replayed instant stands; structures are numbered as in the run.
struct InstantReplay::Values {
  double t = 0.0;
  system::StructureId structure;
  system::Configuration configuration;
  std::vector<double> x;
  std::vector<double> values;
  std::vector<double> reinits;
  std::vector<double> guards;  // of modes that were passed through, in their order
  std::vector<double> noise;   // of these
};

InstantReplay::InstantReplay(const FieldSource& source) : source_(source) {}
InstantReplay::~InstantReplay() = default;

InstantReplay::Shadow& InstantReplay::shadow_of(const system::HybridSystem& system) {
  for (const auto& shadow : shadows_) {
    if (&shadow->system == &system) {
      return *shadow;
    }
  }
  return *shadows_.emplace_back(std::make_unique<Shadow>(system, source_.options));
}

// Consistent values before the instant.
bool InstantReplay::begin(Shadow& shadow, const settle::InstantMove& move, const Motion& motion,
                          std::size_t column, double offset, Values& values) const {
  const std::size_t n = source_.n_columns();
  values = {move.t + offset * motion.sigma[column],
            move.structure,
            move.configuration,
            move.x,
            move.values,
            {},
            {},
            {}};
  move_along(values.x, motion.x, n, column, offset);
  move_along(values.configuration.discrete, motion.discrete, n, column, offset);
  if (motion.is_held) {
    move_along(values.values, motion.values, n, column, offset);
    return true;
  }
  const auto structure = structure_beside(source_.system, shadow.system, move.structure);
  if (!structure) {
    return false;
  }
  const auto mode = shadow.state.modes.mode(*structure);
  if (!mode || (*mode)->locked->states().size() != values.x.size()) {
    return false;
  }
  system::Evaluator& field = *(*mode)->evaluator;
  field.set_configuration(values.configuration);
  return (field.projection() == system::Projection::none || field.project_instant(values.t, values.x).ok()) &&
         field.outputs(values.t, values.x, values.values).ok();
}

bool InstantReplay::apply(Shadow& shadow, const settle::MoveStep& step, Values& values) const {
  settle::RunState& state = shadow.state;
  const auto from = structure_beside(source_.system, shadow.system, values.structure);
  const auto to = structure_beside(source_.system, shadow.system, step.structure);
  if (!from || !to) {
    return false;
  }
  const auto before = state.modes.mode(*from);
  const auto target = state.modes.mode(*to);
  const auto own_target = source_.system.lock(step.structure);
  if (!before || !target || !own_target || (*before)->locked->states().size() != values.x.size() ||
      !have_same_states(*(*target)->locked, **own_target)) {
    return false;
  }
  state.at.begin(**before, values.configuration, values.x);
  state.at.step_to(trajectory::CompensatedTime(values.t), values.x);
  state.values = values.values;
  std::vector<double> x;
  shadow.entry.states_for(**target, x);
  shadow.transfer.set_rates(shadow.entry.rates());
  const std::vector<double> discrete = values.configuration.discrete;
  values.structure = step.structure;
  values.configuration = step.configuration;
  if (!step.round) {
    values.configuration.discrete = discrete;
    if (!shadow.transfer.onto_constraints(**target, values.configuration, x)) {
      return false;
    }
    values.x = std::move(x);
    (*target)->evaluator->set_configuration(values.configuration);
    return (*target)->evaluator->outputs(values.t, values.x, values.values).ok();
  }
  const settle::RoundRecord& record = *step.round;
  system::RoundInputs inputs = record.inputs(values.t);
  inputs.previous = values.values;
  inputs.x_previous = x;
  inputs.reinits =
      record.reinits.empty() ? std::span<const double>() : std::span<const double>(values.reinits);
  system::RoundSolution& solution = (*target)->solution;
  const bool is_solved = record.by_transfer ? shadow.transfer.solve(**target, inputs, solution)
                                            : (*target)->rounds->solve(inputs, solution).ok();
  if (!is_solved) {
    return false;
  }
  values.x = solution.x;
  values.values = solution.values;
  values.configuration.discrete = solution.discrete;
  values.reinits = solution.reinits;
  return true;
}

bool InstantReplay::apply_all(Shadow& shadow, const settle::InstantMove& move, Values& values) const {
  for (std::size_t i = 0; i < move.steps.size(); ++i) {
    const settle::MoveStep& step = move.steps[i];
    const Factor::Kind kind = step.factor.kind;
    const bool rests = !step.round && step.structure == values.structure &&
                       (kind == Factor::Kind::onto_root || kind == Factor::Kind::projection ||
                        kind == Factor::Kind::own_side);
    if (!rests && !apply(shadow, step, values)) {
      return false;
    }
    if (passes_through(move, i) && !note_guards(shadow, values)) {
      return false;
    }
  }
  return true;
}

// Of the mode that is left again.
bool InstantReplay::note_guards(Shadow& shadow, Values& values) const {
  const auto structure = structure_beside(source_.system, shadow.system, values.structure);
  const auto mode = structure ? shadow.state.modes.mode(*structure) : Result<settle::ModeData*>(nullptr);
  if (!mode || *mode == nullptr) {
    return false;
  }
  system::Evaluator& field = *(*mode)->evaluator;
  field.set_configuration(values.configuration);
  for (const Index guard : (*mode)->guards) {
    double value = 0.0;
    if (!field.guards({&guard, 1}, values.t, values.x, {&value, 1}).ok()) {
      value = std::nan("");
    }
    values.guards.push_back(value);
    values.noise.push_back(std::isnan(value) ? 0.0 : field.guard_noise(guard, values.t, values.x));
  }
  return true;
}

// A guard that is zero in a mode that was passed through is not beside the run: it decides whether that mode lasts.
bool InstantReplay::leaves_zero(const Values& here, const Values& beside) {
  if (here.guards.size() != beside.guards.size()) {
    return true;
  }
  for (std::size_t i = 0; i < here.guards.size(); ++i) {
    const double zero = kNoisesOfZero * here.noise[i];
    if (std::abs(here.guards[i]) <= zero && !(std::abs(beside.guards[i] - here.guards[i]) <= zero)) {
      return true;
    }
  }
  return false;
}

bool InstantReplay::differentiate(const settle::InstantMove& move, const Motion& motion,
                                  system::RoundTangentsFound& found, std::vector<bool>& undefined) {
  const std::size_t n = source_.n_columns();
  const std::vector<double>& x_after = move.steps.back().x;
  Values here;
  Shadow& own = shadow_of(source_.system);
  if (!begin(own, move, motion, 0, 0.0, here) || !apply_all(own, move, here) ||
      here.x.size() != x_after.size()) {
    return false;
  }
  for (std::size_t i = 0; i < x_after.size(); ++i) {
    const double size = std::max({std::abs(x_after[i]), std::abs(here.x[i]), 1.0});
    if (!(std::abs(x_after[i] - here.x[i]) <= kSameAgain * size)) {
      return false;
    }
  }
  found.x.assign(here.x.size() * n, 0.0);
  found.values.assign(here.values.size() * n, 0.0);
  found.discrete.assign(here.configuration.discrete.size() * n, 0.0);
  undefined.resize(n, false);
  for (std::size_t k = 0; k < n; ++k) {
    for (const Twin& twin : source_.setup.columns[k].twins) {
      if (undefined[k]) {
        break;
      }
      Values beside;
      Shadow& shadow = shadow_of(*twin.system);
      if (!begin(shadow, move, motion, k, twin.offset, beside) || !apply_all(shadow, move, beside) ||
          leaves_zero(here, beside)) {
        undefined[k] = true;
        break;
      }
      add_difference(beside.x, here.x, twin.weight, n, k, found.x);
      add_difference(beside.values, here.values, twin.weight, n, k, found.values);
      add_difference(beside.configuration.discrete, here.configuration.discrete, twin.weight, n, k,
                     found.discrete);
    }
    for (std::vector<double>* tangents : {&found.x, &found.values, &found.discrete}) {
      for (std::size_t e = k; e < tangents->size() && undefined[k]; e += n) {
        (*tangents)[e] = 0.0;
      }
    }
  }
  return true;
}

}  // namespace saltus::sensitivity
