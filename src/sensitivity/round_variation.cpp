#include "sensitivity/round_variation.hpp"

#include <algorithm>
#include <cmath>

#include "sensitivity/stencil.hpp"

namespace saltus::sensitivity {
namespace {

using system::Evaluation;

system::RoundInputs inputs_of(double t, const settle::RoundRecord& record) {
  system::RoundInputs inputs;
  inputs.t = t;
  inputs.configuration = &record.configuration;
  inputs.previous = record.previous;
  inputs.x_previous = record.x_previous;
  inputs.fired = record.fired;
  inputs.clocks = record.clocks;
  inputs.reinits = record.reinits;
  inputs.is_initial = record.is_initial;
  inputs.is_terminal = record.is_terminal;
  inputs.keeps_states = record.keeps_states;
  return inputs;
}

// Values moved along a direction.
std::vector<double> moved(std::span<const double> values, std::span<const double> seeds, std::size_t n,
                          std::size_t direction, double eta) {
  std::vector<double> result(values.begin(), values.end());
  for (std::size_t i = 0; i < result.size() && !seeds.empty(); ++i) {
    result[i] += eta * seeds[i * n + direction];
  }
  return result;
}

double most_of(std::span<const double> values, std::span<const double> seeds, std::size_t n,
               std::size_t direction) {
  double most = 0.0;
  for (std::size_t i = 0; i < values.size() && !seeds.empty(); ++i) {
    const double size = std::isnan(values[i]) ? 1.0 : std::max(std::abs(values[i]), 1.0);
    most = std::max(most, std::abs(seeds[i * n + direction]) / size);
  }
  return most;
}

void add(std::span<const double> values, double weight, std::size_t n, std::size_t direction,
         std::vector<double>& tangents) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    tangents[i * n + direction] += std::isnan(values[i]) ? 0.0 : weight * values[i];
  }
}

void add(const system::RoundSolution& solution, double weight, std::size_t n, std::size_t direction,
         system::RoundTangentsFound& found) {
  add(solution.x, weight, n, direction, found.x);
  add(solution.values, weight, n, direction, found.values);
  add(solution.discrete, weight, n, direction, found.discrete);
  add(solution.reinits, weight, n, direction, found.reinits);
}

}  // namespace

RoundVariation::Solver* RoundVariation::solver_for(const system::StructureId& structure) {
  for (const auto& solver : solvers_) {
    if (solver->structure == structure) {
      return solver.get();
    }
  }
  auto rounds = source_.system.rounds(structure);
  if (!rounds || *rounds == nullptr) {
    return nullptr;
  }
  auto tangents = (*rounds)->tangents(source_.setup.directions);
  return solvers_
      .emplace_back(std::make_unique<Solver>(Solver{structure, *std::move(rounds), std::move(tangents)}))
      .get();
}

Evaluation RoundVariation::solve(const system::StructureId& structure, double t,
                                 const settle::RoundRecord& record, const system::RoundSeeds& seeds,
                                 system::RoundTangentsFound& found) {
  Solver* const solver = solver_for(structure);
  if (solver == nullptr) {
    return {Evaluation::Status::no_convergence, -1};
  }
  return solver->tangents != nullptr ? solver->tangents->solve(inputs_of(t, record), seeds, found)
                                     : solve_by_differences(*solver, t, record, seeds, found);
}

Evaluation RoundVariation::solve_by_differences(Solver& solver, double t, const settle::RoundRecord& record,
                                                const system::RoundSeeds& seeds,
                                                system::RoundTangentsFound& found) {
  const std::size_t n = source_.n_columns();
  system::RoundSolution solution;
  solver.rounds->prepare(solution);
  found.x.assign(solution.x.size() * n, 0.0);
  found.values.assign(solution.values.size() * n, 0.0);
  found.discrete.assign(solution.discrete.size() * n, 0.0);
  found.reinits.assign(solution.reinits.size() * n, 0.0);
  const system::RoundInputs inputs = inputs_of(t, record);
  for (std::size_t k = 0; k < n; ++k) {
    for (const Twin& twin : source_.setup.columns[k].twins) {
      auto rounds = twin.system->rounds(solver.structure);
      if (!rounds || *rounds == nullptr) {
        return {Evaluation::Status::no_convergence, -1};
      }
      system::RoundSolution beside;
      (*rounds)->prepare(beside);
      if (const Evaluation evaluation = (*rounds)->solve(inputs, beside); !evaluation.ok()) {
        return evaluation;
      }
      add(beside, twin.weight, n, k, found);
    }
    const double most = std::max(
        {most_of(record.previous, seeds.previous, n, k), most_of(record.x_previous, seeds.x_previous, n, k),
         most_of(record.reinits, seeds.reinits, n, k), seeds.time.empty() ? 0.0 : std::abs(seeds.time[k])});
    for (std::size_t s = 0; s < Stencil::offsets.size() && most > 0.0; ++s) {
      const double eta = Stencil::offsets[s] * Stencil::kPart / most;
      const std::vector<double> previous = moved(record.previous, seeds.previous, n, k, eta);
      const std::vector<double> x_previous = moved(record.x_previous, seeds.x_previous, n, k, eta);
      const std::vector<double> reinits = moved(record.reinits, seeds.reinits, n, k, eta);
      system::RoundInputs beside = inputs;
      beside.previous = previous;
      beside.x_previous = x_previous;
      beside.reinits = reinits;
      beside.t = t + (seeds.time.empty() ? 0.0 : eta * seeds.time[k]);
      if (const Evaluation evaluation = solver.rounds->solve(beside, solution); !evaluation.ok()) {
        return evaluation;
      }
      add(solution, Stencil::weights[s] * most / Stencil::kPart, n, k, found);
    }
  }
  return {};
}

}  // namespace saltus::sensitivity
