#include "sensitivity/step_replay.hpp"

#include <algorithm>
#include <cmath>

#include "sensitivity/stencil.hpp"
#include "sensitivity/structure_beside.hpp"
#include "settle/enter/mode_entry.hpp"
#include "settle/enter/transfer.hpp"
#include "settle/state/run_state.hpp"

namespace saltus::sensitivity {
namespace {

// What is computed again agrees with the run to this part: transfers are iterated, from other places.
constexpr double kSameAgain = 1e-7;

class NoObserver final : public hybrid::RunObserver {
 public:
  bool begin_stretch(const hybrid::Stretch& /*stretch*/) override { return true; }
  bool step(const trajectory::SegmentView& /*segment*/, const hybrid::StepEnd& /*end*/) override {
    return true;
  }
  bool instant(double /*t*/, std::int64_t /*segment*/, std::string_view /*mode*/,
               std::span<const double> /*values*/) override {
    return true;
  }
  void event(const hybrid::Event& /*event*/) override {}
  void warning(Diagnostic /*diagnostic*/) override {}
};

std::vector<double> moved(std::span<const double> values, std::span<const double> seeds, std::size_t n,
                          std::size_t column, double eta) {
  std::vector<double> result(values.begin(), values.end());
  for (std::size_t i = 0; i < result.size() && !seeds.empty(); ++i) {
    result[i] += eta * seeds[i * n + column];
  }
  return result;
}

double largest_part(std::span<const double> values, std::span<const double> seeds, std::size_t n,
                    std::size_t column) {
  double most = 0.0;
  for (std::size_t i = 0; i < values.size() && !seeds.empty(); ++i) {
    const double size = std::isnan(values[i]) ? 1.0 : std::max(std::abs(values[i]), 1.0);
    most = std::max(most, std::abs(seeds[i * n + column]) / size);
  }
  return most;
}

void add(std::span<const double> values, double weight, std::size_t n, std::size_t column,
         std::vector<double>& tangents) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    tangents[i * n + column] += std::isnan(values[i]) ? 0.0 : weight * values[i];
  }
}

}  // namespace

struct StepReplay::Shadow {
  Shadow(const system::HybridSystem& of, const hybrid::Options& options)
      : system(of), state(of, options, observer), entry(state), transfer(state) {}

  const system::HybridSystem& system;
  NoObserver observer;
  settle::RunState state;
  settle::ModeEntry entry;
  settle::Transfer transfer;
};

struct StepReplay::Values {
  std::vector<double> x;
  std::vector<double> values;
  std::vector<double> discrete;
  std::vector<double> reinits;
};

StepReplay::StepReplay(const FieldSource& source) : source_(source) {}
StepReplay::~StepReplay() = default;

StepReplay::Shadow& StepReplay::shadow_of(const system::HybridSystem& system) {
  for (const auto& shadow : shadows_) {
    if (&shadow->system == &system) {
      return *shadow;
    }
  }
  return *shadows_.emplace_back(std::make_unique<Shadow>(system, source_.options));
}

bool StepReplay::replay(Shadow& shadow, const Arguments& at, const settle::MoveStep& step,
                        Values& values) const {
  settle::RunState& state = shadow.state;
  const auto own = structure_beside(source_.system, shadow.system, at.structure);
  const auto next = structure_beside(source_.system, shadow.system, step.structure);
  if (!own || !next) {
    return false;
  }
  const auto before = state.modes.mode(*own);
  const auto target = state.modes.mode(*next);
  if (!before || !target || (*before)->locked->states().size() != at.x.size() ||
      (*target)->locked->states().size() != step.x.size()) {
    return false;
  }
  state.at.begin(**before, *at.configuration, at.x);
  state.at.step_to(trajectory::CompensatedTime(at.t), at.x);
  state.values.assign(at.values.begin(), at.values.end());
  std::vector<double> x;
  shadow.entry.states_for(**target, x);
  shadow.transfer.set_rates(shadow.entry.rates());
  if (!step.round) {
    if (!shadow.transfer.onto_constraints(**target, step.configuration, x)) {
      return false;
    }
    values.values.resize(state.values.size());
    (*target)->evaluator->set_configuration(step.configuration);
    if (!(*target)->evaluator->outputs(at.t, x, values.values).ok()) {
      return false;
    }
    values.x = std::move(x);
    values.discrete = step.configuration.discrete;
    return true;
  }
  const settle::RoundRecord& record = *step.round;
  system::RoundInputs inputs = record.inputs(at.t);
  inputs.previous = at.values;
  inputs.x_previous = x;
  inputs.reinits = at.reinits;
  system::RoundSolution& solution = (*target)->solution;
  const bool is_solved = record.by_transfer ? shadow.transfer.solve(**target, inputs, solution)
                                            : (*target)->rounds->solve(inputs, solution).ok();
  if (!is_solved) {
    return false;
  }
  values = {solution.x, solution.values, solution.discrete, solution.reinits};
  return true;
}

bool StepReplay::differentiate(const Arguments& at, const Seeds& seeds, const settle::MoveStep& step,
                               system::RoundTangentsFound& found) {
  Shadow& own = shadow_of(source_.system);
  Values values;
  if (!replay(own, at, step, values)) {
    return false;
  }
  for (std::size_t i = 0; i < step.x.size(); ++i) {
    const double size = std::max({std::abs(step.x[i]), std::abs(values.x[i]), 1.0});
    if (!(std::abs(step.x[i] - values.x[i]) <= kSameAgain * size)) {
      return false;
    }
  }
  const std::size_t n = source_.n_columns();
  found.x.assign(values.x.size() * n, 0.0);
  found.values.assign(values.values.size() * n, 0.0);
  found.discrete.assign(values.discrete.size() * n, 0.0);
  found.reinits.assign(values.reinits.size() * n, 0.0);
  const auto add_all = [&](double weight, std::size_t column) {
    add(values.x, weight, n, column, found.x);
    add(values.values, weight, n, column, found.values);
    add(values.discrete, weight, n, column, found.discrete);
    add(values.reinits, weight, n, column, found.reinits);
  };
  for (std::size_t k = 0; k < n; ++k) {
    for (const Twin& twin : source_.setup.columns[k].twins) {
      if (!replay(shadow_of(*twin.system), at, step, values)) {
        return false;
      }
      add_all(twin.weight, k);
    }
    const double most = std::max(
        {largest_part(at.x, seeds.x, n, k), largest_part(at.values, seeds.values, n, k),
         largest_part(at.reinits, seeds.reinits, n, k), seeds.time.empty() ? 0.0 : std::abs(seeds.time[k])});
    for (std::size_t s = 0; s < Stencil::offsets.size() && most > 0.0; ++s) {
      const double eta = Stencil::offsets[s] * Stencil::kPart / most;
      const std::vector<double> x = moved(at.x, seeds.x, n, k, eta);
      const std::vector<double> before = moved(at.values, seeds.values, n, k, eta);
      const std::vector<double> reinits = moved(at.reinits, seeds.reinits, n, k, eta);
      Arguments beside = at;
      beside.t = at.t + (seeds.time.empty() ? 0.0 : eta * seeds.time[k]);
      beside.x = x;
      beside.values = before;
      beside.reinits = reinits;
      if (!replay(own, beside, step, values)) {
        return false;
      }
      add_all(Stencil::weights[s] * most / Stencil::kPart, k);
    }
  }
  return true;
}

}  // namespace saltus::sensitivity
