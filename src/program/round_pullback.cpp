// Pullbacks of rounds: the way back over their sequence, with what the solver itself hands on; the transpose of round_tangents.cpp.

#include <algorithm>
#include <cmath>

#include "base/machine.hpp"
#include "program/blocks/sequence_pullback.hpp"
#include "program/compiled_rounds.hpp"
#include "program/vm/finite.hpp"
#include "saltus/contract.hpp"

namespace saltus::program {

// Solves the round and then goes back over it.
class CompiledRounds::Pullback final : public system::RoundPullback {
 public:
  Pullback(const CompiledRounds& owner, std::size_t mode)
      : owner_(owner),
        code_(*owner.data_->code),
        solver_(owner.data_, mode),
        pullback_(*owner.mode_.round, code_.zeros),
        guess_(owner.guess_.size(), kNan),
        weights_(solver_.outputs_.size()),
        alone_(weights_.size()) {
    solver_.prepare(solution_);
  }

  [[nodiscard]] std::size_t share_size() const override { return pullback_.program().share_size(); }

  system::Evaluation solve(const system::RoundInputs& inputs, const system::RoundWeights& weights,
                           const system::RoundSums& sums) override {
    const auto fits = [](std::span<const double> given, const std::vector<double>& found) {
      return given.empty() || given.size() == found.size();
    };
    SALTUS_EXPECT(fits(weights.x, solution_.x) && fits(weights.values, solution_.values) &&
                      fits(weights.discrete, solution_.discrete) && fits(weights.reinits, solution_.reinits),
                  "weights of a round have the wrong sizes");
    SALTUS_EXPECT(sums.previous.size() == inputs.previous.size() &&
                      sums.x_previous.size() == inputs.x_previous.size() &&
                      sums.reinits.size() == inputs.reinits.size() && sums.share.size() == share_size(),
                  "sums of a round have the wrong sizes");
    owner_.runner_.copy_solutions(guess_);
    solver_.runner_.set_solutions(guess_);
    if (const system::Evaluation evaluation = solver_.solve(inputs, solution_); !evaluation.ok()) {
      return evaluation;
    }
    take_weights(inputs, weights, sums);
    if (const system::Evaluation evaluation = pull(inputs.t, weights_); !evaluation.ok()) {
      return evaluation;
    }
    for (std::size_t i = 0; i < weights_.size(); ++i) {
      if (weights_[i] != 0.0 && !std::isfinite(pullback_.outputs()[i])) {
        return {Status::not_finite, culprit_of(i)};
      }
    }
    hand_over(sums);
    const bool is_finite = std::isfinite(sums.time) && all_finite(sums.previous) &&
                           all_finite(sums.x_previous) && all_finite(sums.reinits) && all_finite(sums.share);
    return is_finite ? system::Evaluation{} : system::Evaluation{Status::not_finite, find_culprit(inputs.t)};
  }

  void to_parameters(std::span<const double> share, std::span<double> parameters) override {
    pullback_.to_parameters(share, parameters);
  }

 private:
  [[nodiscard]] system::Evaluation pull(double t, std::span<const double> weights) {
    return pullback_.run(solver_.runner_, t, nullptr, weights);
  }
  [[nodiscard]] bool moves(std::size_t column) const { return !code_.is_whole(static_cast<Index>(column)); }

  // Where outputs of one kind begin; in the order of CompiledRounds::hand_over.
  [[nodiscard]] std::size_t first_value() const { return solution_.x.size(); }
  [[nodiscard]] std::size_t first_reinit() const { return weights_.size() - solution_.reinits.size(); }

  // Of the outputs of the sequence. What the solver hands on from before the round goes to the sums at once.
  void take_weights(const system::RoundInputs& inputs, const system::RoundWeights& weights,
                    const system::RoundSums& sums) {
    std::fill(weights_.begin(), weights_.end(), 0.0);
    const auto put = [this](std::span<const double> given, std::size_t first) {
      std::copy(given.begin(), given.end(), weights_.begin() + static_cast<std::ptrdiff_t>(first));
    };
    put(weights.x, 0);
    put(weights.values, first_value());
    put(weights.reinits, first_reinit());
    for (std::size_t i = 0; i < code_.discrete.size(); ++i) {
      const auto column = static_cast<std::size_t>(code_.discrete[i]);
      double& weight = weights_[first_value() + column];
      weight += weights.discrete.empty() ? 0.0 : weights.discrete[i];
      if (!moves(column)) {
        weight = 0.0;
      } else if (!inputs.reinits.empty()) {
        sums.previous[column] += weight;  // discrete equations are asked in the next round
        weight = 0.0;
      }
    }
  }

  [[nodiscard]] std::span<const double> held(std::size_t first, std::size_t count) {
    return pullback_.held().subspan(first, count);
  }

  // Truths and flags rest.
  void hand_over(const system::RoundSums& sums) {
    const auto add = [](std::span<const double> found, std::span<double> to) {
      for (std::size_t i = 0; i < to.size(); ++i) {
        to[i] += found[i];
      }
    };
    const RoundSystem& round = owner_.round_;
    sums.time += pullback_.time();
    add(held(round.first_state, sums.x_previous.size()), sums.x_previous);
    add(held(round.first_reinit, sums.reinits.size()), sums.reinits);
    const std::span<const double> previous = held(round.first_previous, sums.previous.size());
    for (std::size_t i = 0; i < previous.size(); ++i) {
      sums.previous[i] += moves(i) ? previous[i] : 0.0;
    }
    pullback_.program().add_share(sums.share);
  }

  [[nodiscard]] bool has_found_finite() {
    const RoundSystem& round = owner_.round_;
    const std::span<const double> previous = held(round.first_previous, code_.columns.size());
    for (std::size_t i = 0; i < previous.size(); ++i) {
      if (moves(i) && !std::isfinite(previous[i])) {
        return false;
      }
    }
    return std::isfinite(pullback_.time()) && all_finite(held(round.first_state, solution_.x.size())) &&
           all_finite(held(round.first_reinit, solution_.reinits.size())) &&
           pullback_.program().has_finite_share();
  }

  // A state, or a variable behind the states; of what reinit assigns, the variable that it is assigned to.
  [[nodiscard]] Index culprit_of(std::size_t output) const {
    if (output < first_reinit()) {
      return static_cast<Index>(output);
    }
    const auto number = static_cast<Index>(output - first_reinit());
    for (std::size_t action = 0; action < code_.actions.bodies.size(); ++action) {
      const flat::Body* const body = code_.actions.bodies[action];
      const Index place = number - code_.actions.first_reinit[action];
      if (body != nullptr && place >= 0 && place < std::ssize(body->reinits)) {
        const VariableId variable = body->reinits[static_cast<std::size_t>(place)].variable;
        return static_cast<Index>(first_value()) + code_.column_of_variable[variable.index()];
      }
    }
    return 0;
  }

  // The first result that alone gives what is not finite.
  [[nodiscard]] Index find_culprit(double t) {
    Index first = 0;
    for (std::size_t i = weights_.size(); i-- > 0;) {
      if (weights_[i] == 0.0) {
        continue;
      }
      alone_[i] = weights_[i];
      const bool is_finite = pull(t, alone_).ok() && has_found_finite();
      alone_[i] = 0.0;
      first = is_finite ? first : culprit_of(i);
    }
    return first;
  }

  const CompiledRounds& owner_;
  const SystemCode& code_;
  CompiledRounds solver_;
  SequencePullback pullback_;
  system::RoundSolution solution_;
  std::vector<double> guess_;
  std::vector<double> weights_;  // by output of the sequence
  std::vector<double> alone_;    // of one of them; zero between calls
};

std::unique_ptr<system::RoundPullback> CompiledRounds::pullback() {
  return std::make_unique<Pullback>(*this, number_);
}

}  // namespace saltus::program
