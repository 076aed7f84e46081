/// What a round does to tangents: X⁺, D⁺ and those of all variables from X, those before and σ.
///
/// Method     the tangents that its solver offers (system::RoundTangents); solvers are kept by structure
/// Contract   what fired, truths and structures are those of the round that took effect. Rounds without tangents of their own are done again
///            (instant_replay.hpp).
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "sensitivity/field/stretch_field.hpp"
#include "settle/state/move.hpp"

namespace saltus::sensitivity {

class RoundVariation {
 public:
  explicit RoundVariation(const FieldSource& source) : source_(source) {}

  [[nodiscard]] bool offers(const system::StructureId& structure);
  /// The round of `record` in a structure that offers tangents. `seeds`: of its inputs.
  [[nodiscard]] system::Evaluation solve(const system::StructureId& structure, double t,
                                         const settle::RoundRecord& record, const system::RoundSeeds& seeds,
                                         system::RoundTangentsFound& found);

 private:
  struct Solver {
    system::StructureId structure;
    std::unique_ptr<system::RoundSolver> rounds;      // null: the system has none
    std::unique_ptr<system::RoundTangents> tangents;  // null: they are not offered
  };
  [[nodiscard]] Solver& solver_for(const system::StructureId& structure);

  const FieldSource& source_;
  std::vector<std::unique_ptr<Solver>> solvers_;
};

}  // namespace saltus::sensitivity
