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
  values = {
      move.t + offset * motion.sigma[column], move.structure, move.configuration, move.x, move.values, {}};
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
  for (const settle::MoveStep& step : move.steps) {
    const Factor::Kind kind = step.factor.kind;
    const bool rests = !step.round && step.structure == values.structure &&
                       (kind == Factor::Kind::onto_root || kind == Factor::Kind::projection ||
                        kind == Factor::Kind::own_side);
    if (!rests && !apply(shadow, step, values)) {
      return false;
    }
  }
  return true;
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
      if (!begin(shadow, move, motion, k, twin.offset, beside) || !apply_all(shadow, move, beside)) {
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
