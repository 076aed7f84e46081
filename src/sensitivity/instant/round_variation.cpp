#include "sensitivity/instant/round_variation.hpp"

#include <algorithm>
#include <utility>

namespace saltus::sensitivity {

RoundVariation::Solver& RoundVariation::solver_for(const system::StructureId& structure) {
  for (const auto& solver : solvers_) {
    if (solver->structure == structure) {
      return *solver;
    }
  }
  Solver& solver = *solvers_.emplace_back(std::make_unique<Solver>());
  solver.structure = structure;
  if (auto rounds = source_.system.rounds(structure); rounds && *rounds != nullptr) {
    solver.rounds = *std::move(rounds);
    solver.tangents = solver.rounds->tangents(source_.setup.known_directions);
  }
  return solver;
}

bool RoundVariation::offers(const system::StructureId& structure) {
  const bool moves_zero = std::any_of(source_.setup.columns.begin(), source_.setup.columns.end(),
                                      [](const Column& column) { return column.moves_zero; });
  return !moves_zero && solver_for(structure).tangents != nullptr;
}

system::Evaluation RoundVariation::solve(const system::StructureId& structure, double t,
                                         const settle::RoundRecord& record, const system::RoundSeeds& seeds,
                                         system::RoundTangentsFound& found) {
  return solver_for(structure).tangents->solve(record.inputs(t), seeds, found);
}

}  // namespace saltus::sensitivity
