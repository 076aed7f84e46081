#include "sensitivity/adjoint/instant_pullback.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "sensitivity/instant/close_clocks.hpp"
#include "sensitivity/instant/event_time.hpp"
#include "sensitivity/instant/instant_variation.hpp"
#include "sensitivity/instant/surface_places.hpp"

namespace saltus::sensitivity {
namespace {

bool has_constraints(AdjointField& field) {
  const auto constraints = field.field().locked().constraints();
  return constraints != nullptr && constraints->n_rows() > 0;
}

double product(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

void add(std::span<const double> from, std::span<double> to) {
  std::transform(from.begin(), from.end(), to.begin(), to.begin(), std::plus<>());
}

}  // namespace

InstantPullback::Solver& InstantPullback::solver_for(const system::StructureId& structure) {
  for (const auto& solver : solvers_) {
    if (solver->structure == structure) {
      return *solver;
    }
  }
  Solver& solver = *solvers_.emplace_back(std::make_unique<Solver>());
  solver.structure = structure;
  if (auto rounds = sources_.rest().system.rounds(structure); rounds && *rounds != nullptr) {
    solver.rounds = *std::move(rounds);
    solver.pullback = solver.rounds->pullback();
    solver.share.assign(solver.pullback == nullptr ? 0 : solver.pullback->share_size(), 0.0);
  }
  return solver;
}

bool InstantPullback::is_offered(const TapeStretch& before, const TapeInstant& instant,
                                 const TapeStretch& after, const InstantWeights& weights) {
  const settle::InstantMove& move = instant.move;
  if (!weights.empty() || !before.facts.surfaces.empty() || !after.facts.surfaces.empty() ||
      move.is_at_rest || before.has_new_ranks || after.has_new_ranks) {
    return false;
  }
  const std::size_t n_guards = sources_.rest().system.guards().size();
  const bool has_one_cause =
      move.crossings.size() + move.clocks.size() == 1 &&
      (move.crossings.empty() || static_cast<std::size_t>(move.crossings.front().guard) < n_guards);
  return has_one_cause &&
         std::all_of(move.steps.begin(), move.steps.end(), [&](const settle::MoveStep& step) {
           return stays(step, move.structure) &&
                  (!step.round ||
                   (sources_.places_of_rest().empty() && solver_for(step.structure).pullback != nullptr));
         });
}

bool InstantPullback::pass_round(const settle::MoveStep& step, double t, Bars& bars,
                                 std::vector<double>& share) {
  const settle::RoundRecord& record = *step.round;
  Solver& solver = solver_for(step.structure);
  Bars before;
  before.x.assign(record.x_previous.size(), 0.0);
  before.values.assign(sources_.rest().system.variables().size(), 0.0);
  before.reinits.assign(record.reinits.size(), 0.0);
  before.sigma = bars.sigma;
  share.assign(solver.share.size(), 0.0);
  const system::RoundWeights weights{
      record.keeps_states ? std::span<const double>() : std::span<const double>(bars.x), bars.values,
      bars.discrete, bars.reinits};
  const system::RoundSums sums{before.sigma, before.values, before.x, before.reinits, share};
  if (!solver.pullback->solve(record.inputs(t), weights, sums).ok()) {
    return false;
  }
  if (record.keeps_states) {
    add(bars.x, before.x);
  }
  // Discrete values before it are among those of all variables.
  before.discrete.assign(bars.discrete.size(), 0.0);
  bars = std::move(before);
  return true;
}

bool InstantPullback::pass_rounds(const settle::InstantMove& move, Bars& bars,
                                  std::vector<std::pair<Solver*, std::vector<double>>>& shares) {
  for (auto step = move.steps.rbegin(); step != move.steps.rend(); ++step) {
    if (step->round) {
      shares.emplace_back(&solver_for(step->structure), std::vector<double>());
      if (!pass_round(*step, move.t, bars, shares.back().second)) {
        return false;
      }
    }
  }
  return true;
}

// How far a relative tolerance in parameters moves a clock that is due at t.
double InstantPullback::clock_change(double t) const {
  const std::vector<Column>& given = sources_.given().columns;
  const bool moves =
      std::any_of(given.begin(), given.end(), [](const Column& column) { return column.moves_clocks; });
  const hybrid::Options& options = sources_.rest().options;
  return options.tolerances.rtol * std::max(moves ? std::abs(t) : 0.0, std::abs(t - options.start));
}

// How far a relative tolerance in states and times moves the instant; negative: not known.
double InstantPullback::time_change(const settle::InstantMove& move, const TapeStretch& before,
                                    double time_size) {
  if (move.crossings.empty()) {
    return clock_change(move.t);
  }
  AdjointField* const field = field_of_(before);
  if (field == nullptr) {
    return -1.0;
  }
  const GuardRate rate = rate_of_guard(sources_.rest(), field->field(), move.crossings.front().guard,
                                       {move.t, move.x, {}, {}, {}, time_size});
  // Parameters that change the pace of the run move its times by their part of what has passed.
  const hybrid::Options& options = sources_.rest().options;
  return rate.grazes ? -1.0
                     : rate.change / std::abs(rate.value) +
                           options.tolerances.rtol * std::abs(move.t - options.start);
}

// No guard is near zero after the instant but the one that has crossed, and that one is for all parameters: neither states nor discrete values that it reads
// are moved by the rounds.
bool InstantPullback::leaves_surfaces(const settle::InstantMove& move, const TapeStretch& after,
                                      double time_change, double time_size, AdjointField& field) {
  std::vector<Index> passed;
  if (!move.crossings.empty()) {
    const Index crossed = move.crossings.front().guard;
    Pulled guard;
    if (!field.pull_guard(crossed, after.from, after.x, 1.0, guard).ok()) {
      return false;
    }
    Bars bars{guard.x, guard.discrete, {}, {}, 0.0};
    std::vector<std::pair<Solver*, std::vector<double>>> shares;
    const auto is_nothing = [](std::span<const double> values) {
      return std::all_of(values.begin(), values.end(), [](double value) { return value == 0.0; });
    };
    const bool is_kept = pass_rounds(move, bars, shares) && bars.x == guard.x && bars.sigma == 0.0 &&
                         is_nothing(bars.values) && is_nothing(bars.reinits) &&
                         std::all_of(shares.begin(), shares.end(),
                                     [&](const auto& share) { return is_nothing(share.second); });
    if (is_kept) {
      passed.push_back(crossed);
    }
  }
  return !is_near_surface(sources_.rest(), field.field(), {after.from, after.x, {}, {}, {}, time_size},
                          time_change, passed);
}

bool InstantPullback::pass(const TapeStretch& before, const TapeInstant& instant, const TapeStretch& after,
                           const InstantWeights& weights, double step_size, AdjointSums& sums) {
  if (!is_offered(before, instant, after, weights)) {
    return false;
  }
  const settle::InstantMove& move = instant.move;
  const double time_size = step_size == 0.0 ? 1.0 : std::abs(step_size);
  const double change = time_change(move, before, time_size);
  AdjointField* field = field_of_(after);
  std::vector<double> rates(after.x.size());
  if (change < 0.0 || field == nullptr || !field->has_pullbacks() || has_constraints(*field) ||
      !field->field().evaluator().rhs(after.from, after.x, rates).ok()) {
    return false;
  }
  Bars bars{sums.x, sums.discrete, {}, {}, -product(rates, sums.x)};
  std::vector<std::pair<Solver*, std::vector<double>>> shares;
  if (!leaves_surfaces(move, after, change, time_size, *field) || !pass_rounds(move, bars, shares)) {
    return false;
  }
  field = field_of_(before);
  rates.resize(move.x.size());
  if (field == nullptr || !field->has_pullbacks() || has_constraints(*field) ||
      !field->field().evaluator().rhs(move.t, move.x, rates).ok()) {
    return false;
  }
  std::vector<Index> crossed_guards;
  for (const settle::InstantMove::Crossing& crossing : move.crossings) {
    crossed_guards.push_back(crossing.guard);
  }
  const double clock_distance = kTolerancesOfReach * (change + clock_change(move.t));
  if (is_near_clock(sources_.rest(), move.t, clock_distance, move.clocks) ||
      is_near_surface(sources_.rest(), field->field(), {move.t, move.x, {}, {}, {}, time_size}, change,
                      crossed_guards)) {
    return false;
  }
  Pulled values;
  if (!bars.values.empty()) {
    if (!field->pull_outputs(move.t, move.x, bars.values, values).ok()) {
      return false;
    }
    add(values.x, bars.x);
    bars.sigma += values.time;
  }
  bars.sigma += product(rates, bars.x);
  Pulled guard;
  std::vector<double> clock;
  if (!move.crossings.empty()) {
    const Index crossed = move.crossings.front().guard;
    const InstantPoint point{move.t, move.x, rates, {}, {}, time_size};
    const GuardRate rate = rate_of_guard(sources_.rest(), field->field(), crossed, point);
    if (rate.grazes || !field->pull_guard(crossed, move.t, move.x, -bars.sigma / rate.value, guard).ok()) {
      return false;
    }
    add(guard.x, bars.x);
  } else {
    clock.resize(sources_.all().n_columns());
    clock_time(sources_.all(), move.clocks.front(), move.t, clock);
  }
  sums.x = std::move(bars.x);
  sums.discrete = std::move(bars.discrete);
  for (auto& [solver, share] : shares) {
    add(share, solver->share);
  }
  if (!values.x.empty()) {
    field->keep(AdjointField::Of::outputs, 1.0, values, sums);
  }
  if (!guard.x.empty()) {
    field->keep(AdjointField::Of::guards, 1.0, guard, sums);
  }
  for (std::size_t k = 0; k < sums.gradient.size() && !clock.empty(); ++k) {
    sums.gradient[k] += bars.sigma * clock[sources_.first_given() + k];
  }
  return true;
}

void InstantPullback::collect(std::span<double> gradient) {
  const system::ParameterDirections& directions = sources_.given().known_directions;
  const auto n = static_cast<std::size_t>(directions.n_directions);
  for (const auto& solver : solvers_) {
    if (solver->pullback != nullptr && n > 0) {
      std::vector<double> parameters(directions.parameters.size() / n, 0.0);
      solver->pullback->to_parameters(solver->share, parameters);
      std::fill(solver->share.begin(), solver->share.end(), 0.0);
      sources_.add_parameters(parameters, gradient);
    }
  }
}

}  // namespace saltus::sensitivity
