#include "program/evaluator_tangents.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "base/machine.hpp"
#include "program/blocks/frozen_tangents.hpp"
#include "program/blocks/sequence_tangent.hpp"
#include "program/vm/finite.hpp"
#include "saltus/contract.hpp"

namespace saltus::program {
namespace {

using Status = system::Evaluation::Status;

// One sequence with a runner of its own, so that the evaluator keeps where its iterations begin.
class Piece {
 public:
  Piece(const BlockSequence& sequence, std::span<const double> frozen_tangents, std::size_t n_directions,
        SolutionStore& store)
      : has_blocks_(!sequence.implicit_blocks().empty()),
        runner_(sequence),
        tangents_(sequence, frozen_tangents, n_directions),
        outputs_(sequence.program().parts.back().n_outputs) {
    runner_.share(store, false);
  }

  void set_held_tangents(std::size_t i, std::span<const double> tangents) { tangents_.set_held(i, tangents); }
  [[nodiscard]] system::Evaluation run(std::span<const double> held, std::span<const double> guess, double t,
                                       std::span<const double> x, const system::Seeds& seeds,
                                       std::span<double> tangents) {
    for (std::size_t i = 0; i < held.size(); ++i) {
      runner_.set_held(i, held[i]);
    }
    if (has_blocks_) {
      runner_.set_solutions(guess);
      if (const system::Evaluation evaluation = runner_.run(t, x.data(), outputs_.data()); !evaluation.ok()) {
        return evaluation;
      }
    }
    return tangents_.run(runner_, t, x.data(), {seeds.time, seeds.x.data()}, outputs_.data(),
                         tangents.data());
  }
  [[nodiscard]] std::span<const double> outputs() const { return outputs_; }

 private:
  bool has_blocks_;
  SequenceRunner runner_;
  SequenceTangents tangents_;
  std::vector<double> outputs_;
};

class EvaluatorTangents final : public ModeTangents {
 public:
  EvaluatorTangents(const EvaluatorParts& parts, std::size_t n_directions,
                    std::span<const double> frozen_tangents)
      : parts_(parts),
        n_(n_directions),
        rates_(parts.mode.derivatives, frozen_tangents, n_directions, parts.store),
        outputs_(parts.mode.values, frozen_tangents, n_directions, parts.store),
        guess_(n_implicit_unknowns(parts), kNan),
        guard_tangents_(static_cast<std::size_t>(parts.mode.guards.size()) * n_directions),
        zeros_(n_directions, 0.0) {
    const ConditionInputs& conditions = parts.data.code->conditions;
    for (std::size_t guard = 0; guard < conditions.guards().size(); ++guard) {
      if (conditions.guards()[guard].kind == flat::Condition::Kind::external) {
        for (const ConditionInputs::Use& use : conditions.of_guard(guard)) {
          outside_.push_back({use.condition, guard, zeros_});
        }
      }
    }
    if (parts.mode.guards.size() > 0) {
      guard_values_ = parts.equations.guard_values();
      const auto make = [&](const std::optional<BlockSequence>& sequence, std::optional<Piece>& piece) {
        if (sequence) {
          piece.emplace(*sequence, frozen_tangents, n_directions, parts.store);
        }
      };
      make(guard_values_->direct, direct_guards_);
      make(guard_values_->solved, solved_guards_);
    }
  }

  void set_outside(std::span<const double> seeds) override {
    SALTUS_EXPECT(seeds.empty() || seeds.size() == parts_.data.code->conditions.guards().size() * n_,
                  "wrong number of guards or directions");
    for (Outside& number : outside_) {
      for (std::size_t k = 0; k < n_; ++k) {
        number.seeds[k] = seeds.empty() ? 0.0 : seeds[number.guard * n_ + k];
      }
    }
  }

  system::Evaluation rates(double t, std::span<const double> x, const system::Seeds& seeds,
                           std::span<double> tangents) override {
    SALTUS_EXPECT(tangents.size() == x.size() * n_, "wrong number of states or directions");
    parts_.values.copy_solutions(guess_);
    parts_.derivatives.copy_solutions(guess_);
    const system::Evaluation evaluation = run(rates_, t, x, seeds, tangents);
    return evaluation.ok() ? checked(rates_.outputs(), tangents, 0) : evaluation;
  }

  system::Evaluation outputs(double t, std::span<const double> x, const system::Seeds& seeds,
                             std::span<double> tangents) override {
    SALTUS_EXPECT(tangents.size() == parts_.mode.code.variable_of_column.size() * n_,
                  "wrong number of variables or directions");
    parts_.derivatives.copy_solutions(guess_);
    parts_.values.copy_solutions(guess_);
    const system::Evaluation evaluation = run(outputs_, t, x, seeds, tangents);
    return evaluation.ok() ? checked(outputs_.outputs(), tangents, std::ssize(x)) : evaluation;
  }

  system::Evaluation guards(std::span<const Index> which, double t, std::span<const double> x,
                            const system::Seeds& seeds, std::span<double> tangents) override {
    SALTUS_EXPECT(tangents.size() == which.size() * n_, "wrong number of guards or directions");
    using Found = GuardValuesCode::Kind;
    system::Evaluation result;
    for (const auto& [kind, piece] :
         {std::pair(Found::direct, &direct_guards_), std::pair(Found::solved, &solved_guards_)}) {
      const bool is_asked_for =
          std::any_of(which.begin(), which.end(), [&](Index guard) { return kind_of(guard) == kind; });
      if (!is_asked_for) {
        continue;
      }
      parts_.values.copy_solutions(guess_);
      parts_.derivatives.copy_solutions(guess_);
      parts_.guards.copy_solutions(guess_);
      if (const system::Evaluation evaluation = run(**piece, t, x, seeds, guard_tangents_);
          !evaluation.ok()) {
        return evaluation;
      }
      for (std::size_t i = 0; i < which.size(); ++i) {
        if (kind_of(which[i]) == kind && !take_guard(**piece, which[i], tangents.subspan(i * n_, n_))) {
          result = {Status::not_finite, -1 - which[i]};
        }
      }
    }
    for (std::size_t i = 0; i < which.size(); ++i) {
      if (kind_of(which[i]) == Found::none) {
        std::fill_n(tangents.begin() + static_cast<std::ptrdiff_t>(i * n_), n_, kNan);
        result = {Status::not_finite, -1 - which[i]};
      }
    }
    return result;
  }

 private:
  // A number that is set from outside: which held input it is, of which guard, and how it moves.
  struct Outside {
    std::size_t input = 0;
    std::size_t guard = 0;
    std::vector<double> seeds;
  };

  [[nodiscard]] GuardValuesCode::Kind kind_of(Index guard) const {
    return guard_values_->code->kinds[static_cast<std::size_t>(guard)];
  }

  // Whether it is finite.
  bool take_guard(const Piece& piece, Index guard, std::span<double> tangents) const {
    const auto place = static_cast<std::size_t>(guard);
    std::copy_n(guard_tangents_.begin() + static_cast<std::ptrdiff_t>(place * n_), n_, tangents.begin());
    return std::isfinite(piece.outputs()[place]) && all_finite(tangents);
  }

  [[nodiscard]] system::Evaluation run(Piece& piece, double t, std::span<const double> x,
                                       const system::Seeds& seeds, std::span<double> tangents) {
    const SystemCode& code = *parts_.data.code;
    SALTUS_EXPECT(seeds.time.size() == n_ && seeds.x.size() == x.size() * n_ &&
                      (seeds.discrete.empty() || seeds.discrete.size() == code.discrete.size() * n_),
                  "wrong number of seeds");
    for (const Outside& number : outside_) {
      piece.set_held_tangents(number.input, number.seeds);
    }
    for (std::size_t i = 0; i < code.discrete.size(); ++i) {
      const system::VariableInfo& variable = code.columns[static_cast<std::size_t>(code.discrete[i])];
      const bool rests = variable.is_boolean || variable.is_integer || seeds.discrete.empty();
      piece.set_held_tangents(code.n_conditions() + i,
                              rests ? std::span<const double>(zeros_) : seeds.discrete.subspan(i * n_, n_));
    }
    return piece.run(parts_.derivatives.held(), guess_, t, x, seeds, tangents);
  }

  [[nodiscard]] system::Evaluation checked(std::span<const double> values, std::span<const double> tangents,
                                           Index first_culprit) const {
    if (all_finite(values) && all_finite(tangents)) {
      return {};
    }
    Index culprit = first_not_finite(values);
    if (culprit < 0) {
      culprit = first_not_finite(tangents) / static_cast<Index>(n_);
    }
    return {Status::not_finite, first_culprit + culprit};
  }

  EvaluatorParts parts_;
  std::size_t n_;
  Piece rates_;
  Piece outputs_;
  std::shared_ptr<const GuardValues> guard_values_;  // null: there are no guards
  std::optional<Piece> direct_guards_;
  std::optional<Piece> solved_guards_;
  std::vector<double> guess_;
  std::vector<double> guard_tangents_;
  std::vector<double> zeros_;
  std::vector<Outside> outside_;
};

}  // namespace

std::size_t n_implicit_unknowns(const EvaluatorParts& parts) {
  std::size_t n = 0;
  for (const structure::Block& block : parts.mode.code.causalized.blocks) {
    n += block.kind == structure::Block::Kind::explicit_formula ? 0 : block.unknowns.size();
  }
  return n;
}

std::unique_ptr<system::Tangents> make_tangents(const EvaluatorParts& parts,
                                                const system::ParameterDirections& directions) {
  const SystemCode& code = *parts.data.code;
  const auto frozen = frozen_tangents(directions, code.n_frozen_inputs(), code.zeros);
  if (!frozen || parts.mode.code.causalized.needs_ranks) {
    return nullptr;
  }
  return std::make_unique<EvaluatorTangents>(parts, static_cast<std::size_t>(directions.n_directions),
                                             *frozen);
}

}  // namespace saltus::program
