#include "program/evaluator_pullback.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "base/machine.hpp"
#include "program/blocks/sequence_pullback.hpp"
#include "program/vm/finite.hpp"
#include "saltus/contract.hpp"

namespace saltus::program {
namespace {

using Status = system::Evaluation::Status;

bool has_weight(std::span<const double> weights) {
  return std::any_of(weights.begin(), weights.end(), [](double weight) { return weight != 0.0; });
}

// One sequence with a runner of its own, so that the evaluator keeps where its iterations begin.
class PulledPiece {
 public:
  PulledPiece(const BlockSequence& sequence, const EvaluatorParts& parts)
      : parts_(parts),
        has_blocks_(!sequence.implicit_blocks().empty()),
        runner_(sequence),
        pullback_(sequence, parts.data.code->zeros),
        weights_(sequence.program().parts.back().n_outputs) {
    runner_.share(parts.store, false);
  }

  [[nodiscard]] std::size_t share_size() const { return pullback_.program().share_size(); }
  void to_parameters(std::span<const double> share, std::span<double> parameters) {
    pullback_.to_parameters(share, parameters);
  }

  // not_finite: the culprit is an output.
  [[nodiscard]] system::Evaluation add(std::span<const double> guess, double t, std::span<const double> x,
                                       std::span<const double> weights, const system::PullbackSums& sums) {
    const std::span<const double> held = parts_.derivatives.held();
    for (std::size_t i = 0; i < held.size(); ++i) {
      runner_.set_held(i, held[i]);
    }
    if (has_blocks_) {
      runner_.set_solutions(guess);
      if (const system::Evaluation evaluation = runner_.run(t, x.data(), outputs_of_runner());
          !evaluation.ok()) {
        return evaluation;
      }
    }
    if (const system::Evaluation evaluation = pullback_.run(runner_, t, x.data(), weights);
        !evaluation.ok()) {
      return evaluation;
    }
    for (std::size_t i = 0; i < weights.size(); ++i) {
      if (weights[i] != 0.0 && !std::isfinite(pullback_.outputs()[i])) {
        return {Status::not_finite, static_cast<Index>(i)};
      }
    }
    hand_over(sums);
    const bool is_finite =
        std::isfinite(sums.time) && all_finite(sums.x) && all_finite(sums.discrete) && all_finite(sums.share);
    return is_finite ? system::Evaluation{}
                     : system::Evaluation{Status::not_finite, find_culprit(t, x, weights)};
  }

 private:
  // Computed again on the way forwards.
  [[nodiscard]] double* outputs_of_runner() { return weights_.data(); }

  [[nodiscard]] bool moves(std::size_t discrete) const {
    return !parts_.data.code->is_whole(parts_.data.code->discrete[discrete]);
  }

  void hand_over(const system::PullbackSums& sums) {
    const std::span<const double> states = pullback_.states();
    const std::span<const double> discrete = pullback_.held().subspan(parts_.data.code->n_conditions());
    sums.time += pullback_.time();
    for (std::size_t i = 0; i < states.size(); ++i) {
      sums.x[i] += states[i];
    }
    for (std::size_t i = 0; i < sums.discrete.size(); ++i) {
      if (moves(i)) {
        sums.discrete[i] += discrete[i];
      }
    }
    pullback_.program().add_share(sums.share);
  }

  [[nodiscard]] bool has_found_finite() {
    const std::span<const double> discrete = pullback_.held().subspan(parts_.data.code->n_conditions());
    for (std::size_t i = 0; i < parts_.data.code->discrete.size(); ++i) {
      if (moves(i) && !std::isfinite(discrete[i])) {
        return false;
      }
    }
    return std::isfinite(pullback_.time()) && all_finite(pullback_.states()) &&
           pullback_.program().has_finite_share();
  }

  // The first result that alone gives what is not finite.
  [[nodiscard]] Index find_culprit(double t, std::span<const double> x, std::span<const double> weights) {
    Index first = -1;
    std::fill(weights_.begin(), weights_.end(), 0.0);
    for (std::size_t i = 0; i < weights.size(); ++i) {
      if (weights[i] == 0.0) {
        continue;
      }
      weights_[i] = weights[i];
      if (!pullback_.run(runner_, t, x.data(), weights_).ok() || !has_found_finite()) {
        return static_cast<Index>(i);
      }
      weights_[i] = 0.0;
      first = first < 0 ? static_cast<Index>(i) : first;
    }
    return first;
  }

  EvaluatorParts parts_;
  bool has_blocks_;
  SequenceRunner runner_;
  SequencePullback pullback_;
  std::vector<double> weights_;  // of one result; and where the runner writes what nobody reads
};

class EvaluatorPullback : public system::Pullback {
 public:
  explicit EvaluatorPullback(const EvaluatorParts& parts)
      : parts_(parts), guess_(n_implicit_unknowns(parts), kNan) {}

 protected:
  void expect_sizes(std::span<const double> x, const system::PullbackSums& sums) const {
    SALTUS_EXPECT(x.size() == parts_.mode.code.causalized.states.size() && sums.x.size() == x.size() &&
                      sums.discrete.size() == parts_.data.code->discrete.size() &&
                      sums.share.size() == share_size(),
                  "wrong number of states or sums");
  }

  EvaluatorParts parts_;
  std::vector<double> guess_;
};

// Rates or outputs.
class SequenceResults final : public EvaluatorPullback {
 public:
  SequenceResults(const EvaluatorParts& parts, bool are_rates)
      : EvaluatorPullback(parts),
        are_rates_(are_rates),
        piece_(are_rates ? parts.mode.derivatives : parts.mode.values, parts) {}

  [[nodiscard]] std::size_t share_size() const override { return piece_.share_size(); }

  system::Evaluation at(double t, std::span<const double> x, std::span<const double> weights,
                        const system::PullbackSums& sums) override {
    expect_sizes(x, sums);
    if (!has_weight(weights)) {
      return {};
    }
    (are_rates_ ? parts_.values : parts_.derivatives).copy_solutions(guess_);
    (are_rates_ ? parts_.derivatives : parts_.values).copy_solutions(guess_);
    system::Evaluation evaluation = piece_.add(guess_, t, x, weights, sums);
    if (evaluation.status == Status::not_finite && !are_rates_) {
      evaluation.culprit += std::ssize(x);
    }
    return evaluation;
  }

  void to_parameters(std::span<const double> share, std::span<double> parameters) override {
    piece_.to_parameters(share, parameters);
  }

 private:
  bool are_rates_;
  PulledPiece piece_;
};

class GuardResults final : public EvaluatorPullback {
 public:
  explicit GuardResults(const EvaluatorParts& parts)
      : EvaluatorPullback(parts), weights_(static_cast<std::size_t>(parts.mode.guards.size())) {
    if (weights_.empty()) {
      return;
    }
    guard_values_ = parts.equations.guard_values();
    if (guard_values_->direct) {
      direct_.emplace(*guard_values_->direct, parts);
    }
    if (guard_values_->solved) {
      solved_.emplace(*guard_values_->solved, parts);
    }
  }

  [[nodiscard]] std::size_t share_size() const override { return size_of(direct_) + size_of(solved_); }

  system::Evaluation at(double t, std::span<const double> x, std::span<const double> weights,
                        const system::PullbackSums& sums) override {
    expect_sizes(x, sums);
    SALTUS_EXPECT(weights.size() == weights_.size(), "a weight for every guard");
    for (std::size_t i = 0; i < weights.size(); ++i) {
      if (weights[i] != 0.0 && kind_of(i) == Kind::none) {
        return {Status::not_finite, -1 - static_cast<Index>(i)};
      }
    }
    const system::Evaluation evaluation = add(direct_, Kind::direct, t, x, weights, sums);
    return evaluation.ok() ? add(solved_, Kind::solved, t, x, weights, sums) : evaluation;
  }

  void to_parameters(std::span<const double> share, std::span<double> parameters) override {
    SALTUS_EXPECT(share.size() == share_size(), "a share of this object");
    if (direct_) {
      direct_->to_parameters(share.first(size_of(direct_)), parameters);
    }
    if (solved_) {
      solved_->to_parameters(share.last(size_of(solved_)), parameters);
    }
  }

 private:
  using Kind = GuardValuesCode::Kind;

  [[nodiscard]] static std::size_t size_of(const std::optional<PulledPiece>& piece) {
    return piece ? piece->share_size() : 0;
  }
  [[nodiscard]] Kind kind_of(std::size_t guard) const { return guard_values_->code->kinds[guard]; }

  system::Evaluation add(std::optional<PulledPiece>& piece, Kind kind, double t, std::span<const double> x,
                         std::span<const double> weights, const system::PullbackSums& sums) {
    for (std::size_t i = 0; i < weights.size(); ++i) {
      weights_[i] = kind_of(i) == kind ? weights[i] : 0.0;
    }
    if (!has_weight(weights_)) {
      return {};
    }
    parts_.values.copy_solutions(guess_);
    parts_.derivatives.copy_solutions(guess_);
    parts_.guards.copy_solutions(guess_);
    const std::span<double> share =
        kind == Kind::direct ? sums.share.first(size_of(direct_)) : sums.share.last(size_of(solved_));
    system::Evaluation evaluation =
        piece->add(guess_, t, x, weights_, {sums.time, sums.x, sums.discrete, share});
    if (evaluation.status == Status::not_finite) {
      evaluation.culprit = -1 - evaluation.culprit;
    }
    return evaluation;
  }

  std::shared_ptr<const GuardValues> guard_values_;  // null: there are no guards
  std::optional<PulledPiece> direct_;
  std::optional<PulledPiece> solved_;
  std::vector<double> weights_;  // of the guards of one kind
};

}  // namespace

std::unique_ptr<system::Pullback> make_pullback(const EvaluatorParts& parts, system::Evaluated of) {
  if (parts.mode.code.causalized.needs_ranks) {
    return nullptr;
  }
  if (of == system::Evaluated::guards) {
    return std::make_unique<GuardResults>(parts);
  }
  return std::make_unique<SequenceResults>(parts, of == system::Evaluated::rates);
}

}  // namespace saltus::program
