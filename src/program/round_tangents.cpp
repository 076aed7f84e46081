// Tangents of rounds: the tangents of their sequence, with what the solver itself hands on.

#include <algorithm>
#include <cmath>

#include "base/machine.hpp"
#include "program/blocks/frozen_tangents.hpp"
#include "program/blocks/sequence_tangent.hpp"
#include "program/compiled_rounds.hpp"
#include "saltus/contract.hpp"

namespace saltus::program {

// Solves the round and then moves its inputs.
class CompiledRounds::Tangents final : public system::RoundTangents {
 public:
  Tangents(const CompiledRounds& owner, std::size_t mode, std::size_t n_directions,
           std::span<const double> frozen_tangents)
      : owner_(owner),
        solver_(owner.data_, mode),
        n_(n_directions),
        tangents_(*owner.mode_.round, frozen_tangents, n_directions),
        outputs_(solver_.outputs_.size()),
        output_tangents_(outputs_.size() * n_directions),
        guess_(owner.guess_.size(), kNan),
        zeros_(n_directions, 0.0) {
    solver_.prepare(solution_);
  }

  system::Evaluation solve(const system::RoundInputs& inputs, const system::RoundSeeds& seeds,
                           system::RoundTangentsFound& found) override {
    SALTUS_EXPECT(seeds.time.size() == n_ && seeds.previous.size() == inputs.previous.size() * n_ &&
                      seeds.x_previous.size() == inputs.x_previous.size() * n_ &&
                      seeds.reinits.size() == inputs.reinits.size() * n_,
                  "seeds of a round have the wrong sizes");
    owner_.runner_.copy_solutions(guess_);
    solver_.runner_.set_solutions(guess_);
    system::Evaluation evaluation = solver_.solve(inputs, solution_);
    if (!evaluation.ok()) {
      return evaluation;
    }
    move_inputs(seeds);
    evaluation = tangents_.run(solver_.runner_, inputs.t, nullptr, {seeds.time, nullptr}, outputs_.data(),
                               output_tangents_.data());
    if (!evaluation.ok()) {
      return evaluation;
    }
    hand_over(inputs, found);
    return check_finite(found);
  }

 private:
  using Values = std::span<const double>;

  [[nodiscard]] bool is_whole(std::size_t column) const {
    return owner_.data_->code->is_whole(static_cast<Index>(column));
  }

  // Truths and flags rest.
  void move_inputs(const system::RoundSeeds& seeds) {
    const RoundSystem& round = owner_.round_;
    const std::size_t n_columns = owner_.data_->code->columns.size();
    for (std::size_t i = 0; i < owner_.mode_.code.causalized.states.size(); ++i) {
      tangents_.set_held(round.first_state + i, seeds.x_previous.subspan(i * n_, n_));
    }
    for (std::size_t i = 0; i < n_columns; ++i) {
      tangents_.set_held(round.first_previous + i,
                         is_whole(i) ? Values(zeros_) : seeds.previous.subspan(i * n_, n_));
    }
    for (std::size_t i = 0; i < round.n_held - round.first_reinit; ++i) {
      tangents_.set_held(round.first_reinit + i,
                         seeds.reinits.empty() ? Values(zeros_) : seeds.reinits.subspan(i * n_, n_));
    }
    previous_ = seeds.previous;
  }

  [[nodiscard]] Values of_column(Values tangents, std::size_t column) const {
    return is_whole(column) ? Values(zeros_) : tangents.subspan(column * n_, n_);
  }

  // As CompiledRounds::hand_over.
  void hand_over(const system::RoundInputs& inputs, system::RoundTangentsFound& found) const {
    const SystemCode& code = *owner_.data_->code;
    Values next = output_tangents_;
    const auto take = [&](std::size_t count) {
      const Values taken = next.first(count * n_);
      next = next.subspan(count * n_);
      return taken;
    };
    const auto copy = [](Values from, std::vector<double>& to) { to.assign(from.begin(), from.end()); };
    const auto put = [&](Values from, std::size_t place, std::vector<double>& to) {
      std::copy(from.begin(), from.end(), to.begin() + static_cast<std::ptrdiff_t>(place * n_));
    };
    copy(take(solution_.x.size()), found.x);
    copy(take(solution_.values.size()), found.values);
    take(solution_.triggers.size() + solution_.messages.size() + solution_.guards.size());
    copy(take(solution_.reinits.size()), found.reinits);
    found.discrete.resize(code.discrete.size() * n_);
    for (std::size_t i = 0; i < code.discrete.size(); ++i) {
      const auto column = static_cast<std::size_t>(code.discrete[i]);
      if (is_whole(column) || !inputs.reinits.empty()) {
        put(of_column(previous_, column), column, found.values);
      }
      put(Values(found.values).subspan(column * n_, n_), i, found.discrete);
    }
  }

  [[nodiscard]] system::Evaluation check_finite(const system::RoundTangentsFound& found) const {
    for (std::size_t i = 0; i < found.x.size() + found.values.size(); ++i) {
      if (!std::isfinite(i < found.x.size() ? found.x[i] : found.values[i - found.x.size()])) {
        return {Status::not_finite, static_cast<Index>(i / n_)};
      }
    }
    return {};
  }

  const CompiledRounds& owner_;
  CompiledRounds solver_;
  std::size_t n_;
  SequenceTangents tangents_;
  system::RoundSolution solution_;
  std::vector<double> outputs_;
  std::vector<double> output_tangents_;
  std::vector<double> guess_;
  std::vector<double> zeros_;
  Values previous_;  // of the round that is being solved
};

std::unique_ptr<system::RoundTangents> CompiledRounds::tangents(
    const system::ParameterDirections& directions) {
  const auto frozen = frozen_tangents(directions, data_->code->n_frozen_inputs(), data_->code->zeros);
  if (!frozen) {
    return nullptr;
  }
  return std::make_unique<Tangents>(*this, number_, static_cast<std::size_t>(directions.n_directions),
                                    *frozen);
}

}  // namespace saltus::program
