/// The modes of a run: what belongs to one is made when it is first entered and kept.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/archive.hpp"
#include "reduce/ranks/array_evaluator.hpp"
#include "saltus/result.hpp"
#include "settle/state/engine.hpp"
#include "settle/state/state_map.hpp"
#include "slide/field/own_side_evaluator.hpp"
#include "slide/field/sliding_field.hpp"
#include "system/hybrid_system.hpp"

namespace saltus::settle {

/// The same structure reduced by ranks, which a system may offer (program/structure_variants.hpp).
[[nodiscard]] inline system::StructureId by_ranks(const system::StructureId& structure) {
  return {structure.mode, -1 - structure.number};
}

/// All that a run keeps about one mode.
struct ModeData {
  ModeId id;
  system::StructureId structure;  ///< which of the mode: each is kept for itself
  const system::ModeInfo* info = nullptr;
  std::shared_ptr<const system::LockedDae> locked;
  std::unique_ptr<slide::OwnSideEvaluator> evaluator;
  reduce::ArrayEvaluator* by_ranks = nullptr;  ///< within it, where the mode is reduced by ranks
  Engine* engine = nullptr;
  bool has_run = false;                         ///< a step was begun in it: it was not only tried
  std::unique_ptr<system::RoundSolver> rounds;  ///< null where the system has no rounds
  system::RoundSolution conditions;             ///< of the question which clauses fire
  system::RoundSolution solution;               ///< with the bodies of what fired
  std::unique_ptr<slide::SlidingField> sliding;

  std::vector<Index> guards;        ///< that can be evaluated and matter here
  std::vector<Index> searched;      ///< of these: looked for on every step
  std::vector<Index> smooth_kinks;  ///< of these: smoother than the method, only looked at after steps
};

class ModeCache {
 public:
  ModeCache(const system::HybridSystem& system, const Options& options)
      : system_(system), options_(options) {}

  /// `guess`: for the iterations of implicit blocks (InitialPoint::guess), in the first mode.
  [[nodiscard]] Result<ModeData*> mode(const system::StructureId& id, std::span<const double> guess = {});
  /// From now on mode(structure) is by_ranks(structure).
  void use_ranks(const system::StructureId& structure) { ranked_.push_back(structure); }
  /// The field on a surface between two modes; `plus` holds where the guard is positive. Its states are those of the larger mode;
  /// without a field: they cannot be combined (state_map.hpp).
  [[nodiscard]] PairField& between(ModeData& plus, ModeData& minus);
  [[nodiscard]] slide::SlidingField& sliding_in(ModeData& mode);

  [[nodiscard]] const std::vector<std::unique_ptr<Engine>>& engines() const { return engines_; }
  /// Modes entered so far, in this order.
  [[nodiscard]] const std::vector<std::unique_ptr<ModeData>>& modes() const { return modes_; }
  /// Inner evaluations of all sliding fields.
  [[nodiscard]] std::int64_t sliding_evaluations() const;

  void fields(Archive& a);

 private:
  void mode_fields(Archive& a);
  void pair_fields(Archive& a);
  struct Pair {
    const ModeData* plus = nullptr;
    const ModeData* minus = nullptr;
    std::unique_ptr<PairField> field;
  };

  void list_guards(ModeData& mode) const;
  [[nodiscard]] Engine& engine_for(ModeId mode, const system::LockedDae& locked,
                                   system::Evaluator& evaluator);

  const system::HybridSystem& system_;
  const Options& options_;
  std::vector<std::unique_ptr<ModeData>> modes_;
  std::vector<system::StructureId> ranked_;
  std::vector<std::unique_ptr<Engine>> engines_;
  std::vector<Pair> pairs_;
};

}  // namespace saltus::settle
