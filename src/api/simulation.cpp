#include "saltus/simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "api/analysis/analysis_at.hpp"
#include "api/callback_instance.hpp"
#include "api/equation_values.hpp"
#include "api/model/dependencies.hpp"
#include "api/model/diagnostic_codes.hpp"
#include "api/model/model_data.hpp"
#include "api/options/bound_options.hpp"
#include "api/point_derivatives.hpp"
#include "api/results/extra_values.hpp"
#include "api/results/work_guard.hpp"
#include "api/run.hpp"
#include "base/similar_name.hpp"
#include "saltus/contract.hpp"

namespace saltus {
namespace api {

struct SimulationData {
  /// From the start again, with these options.
  std::function<Result<Simulation>(const SimulationOptions& options)> begin_again;

  RunSettings settings;
  SimulationOptions hooks;
  Columns columns;
  SimulationResult result;
  WallClock clock;
  std::unique_ptr<Run> run;
  std::vector<Simulation::Round> rounds;
  std::map<std::size_t, std::optional<ModeDependencies>>
      dependencies;  // by mode; found when they are asked for
  bool has_ended = false;
  bool is_finished = false;

  [[nodiscard]] hybrid::RunLoop& loop() const {
    SALTUS_EXPECT(!is_finished, "the simulation is finished");
    return run->loop();
  }

  // Leads on, under the limits of the run.
  template <class Work>
  bool lead(Work work) {
    SALTUS_EXPECT(!is_finished && !has_ended, "the simulation has ended");
    const WorkWatch watch(limits_of(settings, hooks));
    has_ended = !work();
    return !has_ended;
  }

  [[nodiscard]] Index external_guard(const std::string& name) const {
    const std::vector<system::GuardInfo>& guards = run->instance().system->guards();
    for (std::size_t i = 0; i < guards.size(); ++i) {
      if (guards[i].kind == system::GuardInfo::Kind::external && guards[i].condition == name) {
        return static_cast<Index>(i);
      }
    }
    return -1;
  }
};

namespace {

// Why a run that did not begin did not.
Unexpected<Diagnostics> not_begun(SimulationResult result) {
  if (!result.diagnostics.has_errors()) {
    result.diagnostics.error(kCannotBegin, result.message);
  }
  return Unexpected(std::move(result.diagnostics));
}

}  // namespace
}  // namespace api

Result<Simulation> Simulation::begin(const Model& model, const SimulationOptions& options,
                                     const std::vector<std::string>& tunable) {
  Diagnostics problems;
  auto data = std::make_unique<api::SimulationData>();
  data->begin_again = [model, tunable](const SimulationOptions& same) { return begin(model, same, tunable); };
  data->hooks = options;
  data->settings = api::resolve(model, options, problems);
  if (!data->settings.sensitivities.empty()) {
    problems.error(api::kOptionNotSupported, "a simulation that is led from outside has no sensitivities yet",
                   std::nullopt, "leave out --sens, or use simulate()");
  }
  data->settings.inputs.is_open = true;
  data->settings.inputs.tunable = tunable;
  if (problems.has_errors()) {
    return Unexpected(std::move(problems));
  }
  return api::under_limits(
      api::limits_of(data->settings, options), "before the run began",
      [&]() -> Result<Simulation> {
        const Result<api::Instance> instance = api::instantiate(
            model.data(), data->settings.set, data->settings.inputs, data->settings.formulation);
        if (!instance) {
          return Unexpected(instance.error());
        }
        if (Diagnostics unknown = api::check_variable_names(data->settings, instance->variables);
            unknown.has_errors()) {
          return Unexpected(std::move(unknown));
        }
        problems.append(
            api::warn_of_held_ends(data->settings.inputs, data->settings.start, data->settings.stop));
        return begin(std::move(data), *instance, std::move(problems));
      },
      [](const api::EarlyEnd& end) -> Result<Simulation> { return Unexpected(end.diagnostics()); });
}

Result<Simulation> Simulation::begin(const CallbackModel& model, const SimulationOptions& options) {
  Result<api::CallbackInstance> made = api::callback_instance(model, options);
  if (!made) {
    return Unexpected(std::move(made).error());
  }
  auto data = std::make_unique<api::SimulationData>();
  data->begin_again = [model](const SimulationOptions& same) { return begin(model, same); };
  data->hooks = options;
  data->settings = std::move(made->settings);
  return api::under_limits(
      api::limits_of(data->settings, options), "before the run began",
      [&] { return begin(std::move(data), made->instance, std::move(made->warnings)); },
      [](const api::EarlyEnd& end) -> Result<Simulation> { return Unexpected(end.diagnostics()); });
}

Result<Simulation> Simulation::begin(std::unique_ptr<api::SimulationData> data, const api::Instance& instance,
                                     Diagnostics warnings) {
  Result<api::Columns> columns =
      api::choose_columns(data->settings.columns, instance.variables, *instance.system);
  if (!columns) {
    return Unexpected(columns.error());
  }
  data->columns = *std::move(columns);
  data->result.diagnostics = std::move(warnings);
  data->result.diagnostics.append(instance.warnings);
  data->result.variables = instance.variables;
  data->result.columns = data->columns.infos;
  data->result.parameters = instance.parameters;
  data->result.statistics.method = data->settings.choice.method->name;
  data->result.statistics.method_reason = data->settings.method_reason;
  data->run = std::make_unique<api::Run>(instance, data->settings, data->columns, data->hooks, data->result);
  data->run->keep_rounds(&data->rounds);
  const Result<std::optional<api::Checkpoint>> from =
      api::checkpoint_to_resume(instance, data->settings, data->hooks);
  if (!from) {
    return Unexpected(from.error());
  }
  if (*from ? !data->run->resume(**from) : !data->run->begin()) {
    data->run->conclude();
    return api::not_begun(std::move(data->result));
  }
  data->has_ended = data->settings.stop == data->settings.start;
  return Simulation(std::move(data));
}

Simulation::Simulation(std::unique_ptr<api::SimulationData> data) : data_(std::move(data)) {}
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;
Simulation::~Simulation() = default;

double Simulation::time() const {
  return data_->loop().position().time();
}

double Simulation::stop_time() const {
  return data_->settings.stop;
}

bool Simulation::has_ended() const {
  return data_->has_ended;
}

namespace {

bool lead_to(api::SimulationData& data, double time, hybrid::RunLoop::Until until) {
  const double direction = data.settings.stop < data.settings.start ? -1.0 : 1.0;
  const double now = data.loop().position().time();
  SALTUS_EXPECT(std::isfinite(time) && direction * (time - now) >= 0.0,
                fmt::format("the simulation is at {} and cannot go to {}", now, time));
  SALTUS_EXPECT(direction * (time - data.settings.stop) <= 0.0,
                fmt::format("{} lies beyond the stop at {}", time, data.settings.stop));
  return data.lead([&] {
    const bool goes_on = data.run->advance(time, until);
    return goes_on && data.loop().position().t().since(data.settings.stop) != 0.0;
  });
}

}  // namespace

bool Simulation::step() {
  return lead_to(*data_, data_->settings.stop, hybrid::RunLoop::Until::step);
}

bool Simulation::advance_to(double time) {
  return lead_to(*data_, time, hybrid::RunLoop::Until::horizon);
}

bool Simulation::advance_to_event(double time) {
  return lead_to(*data_, time, hybrid::RunLoop::Until::instant);
}

std::int64_t Simulation::n_events() const {
  return data_->loop().counters().events;
}

EventList Simulation::events() const {
  SALTUS_EXPECT(!data_->is_finished, "the simulation is finished");
  return data_->run->events();
}

const std::vector<Simulation::Round>& Simulation::rounds() const {
  SALTUS_EXPECT(!data_->is_finished, "the simulation is finished");
  return data_->rounds;
}

bool Simulation::set(const std::vector<NamedValue>& values) {
  std::vector<settle::OutsideValue> outside;
  for (const NamedValue& item : values) {
    const Index guard = data_->external_guard(item.name);
    SALTUS_EXPECT(guard >= 0,
                  fmt::format("'{}' is neither an input without a table nor a tunable parameter", item.name));
    SALTUS_EXPECT(std::isfinite(item.value), fmt::format("'{}' cannot be set to {}", item.name, item.value));
    outside.push_back({guard, item.value});
  }
  return data_->lead([&] { return data_->run->set_outside(outside); });
}

const std::vector<VariableInfo>& Simulation::variables() const {
  return data_->result.variables;
}

std::vector<double> Simulation::values() const {
  const std::span<const double> values = data_->loop().values();
  return {values.begin(), values.end()};
}

double Simulation::value(std::string_view name) const {
  const std::vector<VariableInfo>& all = variables();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].name == name) {
      return data_->loop().values()[i];
    }
  }
  SALTUS_EXPECT(false, "no variable '" + std::string(name) + "'");
  return 0.0;
}

std::string Simulation::mode() const {
  return std::string(data_->loop().mode_text());
}

std::vector<Simulation::State> Simulation::states() const {
  const settle::Position& at = data_->loop().position();
  std::vector<double> xdot(at.x().size(), std::nan(""));
  if (!at.field().rhs(at.time(), at.x(), xdot).ok()) {
    std::fill(xdot.begin(), xdot.end(), std::nan(""));
  }
  std::vector<State> states;
  const std::vector<system::StateInfo>& infos = at.mode().locked->states();
  for (std::size_t i = 0; i < infos.size(); ++i) {
    states.push_back({infos[i].name, at.x()[i], xdot[i]});
  }
  return states;
}

std::vector<NamedValue> Simulation::guards() const {
  const settle::Position& at = data_->loop().position();
  const std::vector<Index>& which = at.mode().guards;
  std::vector<double> values(which.size(), std::nan(""));
  if (!at.field().guards(which, at.time(), at.x(), values).ok()) {
    std::fill(values.begin(), values.end(), std::nan(""));
  }
  std::vector<NamedValue> guards;
  for (std::size_t k = 0; k < which.size(); ++k) {
    guards.push_back(
        {data_->run->instance().system->guards()[static_cast<std::size_t>(which[k])].text, values[k]});
  }
  return guards;
}

double Simulation::derivative(std::string_view name) const {
  const std::vector<VariableInfo>& all = variables();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const VariableInfo& info) { return info.name == name; });
  SALTUS_EXPECT(found != all.end(), "no variable '" + std::string(name) + "'");
  if (found->is_discrete) {
    return std::nan("");
  }
  api::Columns columns;
  columns.n_variables = all.size();
  columns.derivatives = {{static_cast<Index>(found - all.begin()), 1}};
  api::ExtraValues derivatives(columns);
  const settle::Position& at = data_->loop().position();
  derivatives.bind(*at.mode().locked);
  double value = std::nan("");
  derivatives.evaluate(at.field(), at.time(), at.x(), std::span(&value, 1));
  at.field().restore_solutions();  // where the run goes on from
  return value;
}

namespace {

void check_seeds(const std::vector<double>& seeds, std::size_t n) {
  SALTUS_EXPECT(seeds.size() == n, fmt::format("{} seeds for {} names", seeds.size(), n));
  for (const double seed : seeds) {
    SALTUS_EXPECT(std::isfinite(seed), fmt::format("a seed is {}", seed));
  }
}

}  // namespace

Result<Matrix> Simulation::partial_derivatives(const std::vector<std::string>& unknowns,
                                               const std::vector<std::string>& knowns) const {
  api::PointDerivatives derivatives(*data_->run->instance().system, data_->loop().position());
  derivatives.set_unknowns(unknowns);
  derivatives.set_knowns(knowns);
  return derivatives.all();
}

Result<std::vector<double>> Simulation::directional_derivative(const std::vector<std::string>& unknowns,
                                                               const std::vector<std::string>& knowns,
                                                               const std::vector<double>& seeds) const {
  check_seeds(seeds, knowns.size());
  api::PointDerivatives derivatives(*data_->run->instance().system, data_->loop().position());
  derivatives.set_unknowns(unknowns);
  derivatives.set_knowns(knowns);
  Matrix columns;
  for (const double seed : seeds) {
    columns.push_back({seed});
  }
  const Result<Matrix> moved = derivatives.along(columns);
  if (!moved) {
    return Unexpected(moved.error());
  }
  std::vector<double> result(unknowns.size(), 0.0);
  for (std::size_t u = 0; u < unknowns.size() && !knowns.empty(); ++u) {
    result[u] = (*moved)[u][0];
  }
  return result;
}

Result<std::vector<double>> Simulation::adjoint_derivative(const std::vector<std::string>& unknowns,
                                                           const std::vector<double>& seeds,
                                                           const std::vector<std::string>& knowns) const {
  check_seeds(seeds, unknowns.size());
  const Result<Matrix> all = partial_derivatives(unknowns, knowns);
  if (!all) {
    return Unexpected(all.error());
  }
  std::vector<double> result(knowns.size(), 0.0);
  for (std::size_t u = 0; u < unknowns.size(); ++u) {
    for (std::size_t k = 0; k < knowns.size(); ++k) {
      result[k] += seeds[u] * (*all)[u][k];
    }
  }
  return result;
}

std::optional<std::vector<std::string>> Simulation::dependencies(std::string_view unknown) const {
  const settle::Position& at = data_->loop().position();
  if (data_->run->instance().flat == nullptr || at.mode().locked->reduction() == system::Reduction::ranks) {
    return std::nullopt;
  }
  const flat::Model& model = *data_->run->instance().flat;
  const ModeId mode = at.configuration().mode;
  const auto [found, is_new] = data_->dependencies.try_emplace(mode.index());
  if (is_new) {
    found->second = api::ModeDependencies::find(model, model.modes.empty() ? ModeId{} : mode);
  }
  if (!found->second) {
    return std::nullopt;
  }
  std::optional<std::vector<std::string>> names = found->second->of(unknown);
  SALTUS_EXPECT(names.has_value(),
                fmt::format("'{}' is neither a variable of the mode nor the derivative of a state", unknown));
  return names;
}

Result<EquationValues> Simulation::equations(const std::vector<NamedValue>& elsewhere) const {
  hybrid::RunLoop& loop = data_->loop();
  return api::equations_at(data_->run->instance(), loop.position(), loop.values(), elsewhere);
}

Result<Analysis> Simulation::analyze(const AnalysisOptions& options) const {
  hybrid::RunLoop& loop = data_->loop();
  return api::under_limits(
      options.limits, "while the mode was analysed",
      [&] { return api::analyze_at(data_->run->instance(), loop.position(), loop.values(), options); },
      [](const api::EarlyEnd& end) -> Result<Analysis> { return Unexpected(end.diagnostics()); });
}

double Simulation::last_step() const {
  return data_->loop().sizes().last;
}

int Simulation::last_order() const {
  return data_->loop().sizes().last_order;
}

std::optional<double> Simulation::next_event_time() const {
  return data_->loop().next_scheduled();
}

Diagnostics Simulation::reset() {
  SimulationOptions options = data_->hooks;  // a copy: what begins anew replaces what they belong to
  options.resume.clear();  // the start is that of the run, not where this process took it up
  const auto begin_again = data_->begin_again;
  Result<Simulation> again = begin_again(options);
  if (!again) {
    return again.error();
  }
  *this = *std::move(again);
  return {};
}

double Simulation::next_step() const {
  return data_->loop().position().mode().engine->advance().next_step();
}

Diagnostics Simulation::save(const std::string& file) {
  SALTUS_EXPECT(!data_->is_finished && !data_->has_ended, "the simulation has ended");
  return data_->run->save(file);
}

SimulationResult Simulation::finish() {
  SALTUS_EXPECT(!data_->is_finished, "the simulation is finished");
  data_->is_finished = true;
  const WorkWatch watch(api::limits_of(data_->settings, data_->hooks));
  data_->run->conclude();
  data_->result.statistics.wall_seconds = data_->clock.seconds();
  return std::move(data_->result);
}

Initialization::Initialization(Model model, SimulationOptions options, std::vector<std::string> tunable)
    : model_(std::move(model)), options_(std::move(options)), tunable_(std::move(tunable)) {}

void Initialization::set(const std::vector<SetValue>& values) {
  for (const SetValue& value : values) {
    std::erase_if(options_.set, [&](const SetValue& before) { return before.name == value.name; });
    options_.set.push_back(value);
  }
  begun_.reset();
}

const Result<Simulation>& Initialization::solved() {
  if (!begun_) {
    begun_.emplace(Simulation::begin(model_, options_, tunable_));
  }
  return *begun_;
}

Result<std::vector<double>> Initialization::values() {
  const Result<Simulation>& begun = solved();
  return begun ? Result<std::vector<double>>(begun->values()) : Unexpected(begun.error());
}

Result<double> Initialization::value(std::string_view name) {
  const Result<Simulation>& begun = solved();
  return begun ? Result<double>(begun->value(name)) : Unexpected(begun.error());
}

Result<Simulation> Initialization::exit() {
  Result<Simulation> begun =
      std::move(begun_ ? *begun_ : begun_.emplace(Simulation::begin(model_, options_, tunable_)));
  begun_.reset();
  return begun;
}

}  // namespace saltus
