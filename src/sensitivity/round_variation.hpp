/// What a round does to tangents: X⁺, D⁺ and those of all variables from X, those before and σ.
///
/// Method     the round's own tangents, where its solver offers them; else differences: a stencil along the values before, and the rounds
///            of the twins with the same values
/// Contract   what fired, truths and structures are those of the round that took effect.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "sensitivity/stretch_field.hpp"
#include "settle/state/move.hpp"

namespace saltus::sensitivity {

class RoundVariation {
 public:
  explicit RoundVariation(const FieldSource& source) : source_(source) {}

  /// The round of `record` in a structure. `seeds`: of its inputs.
  [[nodiscard]] system::Evaluation solve(const system::StructureId& structure, double t,
                                         const settle::RoundRecord& record, const system::RoundSeeds& seeds,
                                         system::RoundTangentsFound& found);

 private:
  struct Solver {
    system::StructureId structure;
    std::unique_ptr<system::RoundSolver> rounds;
    std::unique_ptr<system::RoundTangents> tangents;
  };
  [[nodiscard]] Solver* solver_for(const system::StructureId& structure);
  [[nodiscard]] system::Evaluation solve_by_differences(Solver& solver, double t,
                                                        const settle::RoundRecord& record,
                                                        const system::RoundSeeds& seeds,
                                                        system::RoundTangentsFound& found);

  const FieldSource& source_;
  std::vector<std::unique_ptr<Solver>> solvers_;
};

}  // namespace saltus::sensitivity
