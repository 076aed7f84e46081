#include "program/blocks/rows_pullback.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "program/vm/finite.hpp"
#include "program/vm/program_pullback.hpp"
#include "saltus/contract.hpp"

namespace saltus::program {
namespace {

using Status = system::Evaluation::Status;

class RowsPullback final : public system::Pullback {
 public:
  explicit RowsPullback(const RowsOfProgram& given)
      : given_(given),
        program_(given.program, given.frozen, given.zeros),
        rows_(given.program.parts[kLastPart].n_outputs),
        weights_(rows_.size()),
        alone_(rows_.size()) {}

  [[nodiscard]] std::size_t share_size() const override { return program_.share_size(); }

  system::Evaluation at(double t, std::span<const double> x, std::span<const double> weights,
                        const system::PullbackSums& sums) override {
    SALTUS_EXPECT(x.size() == given_.program.n_states && sums.x.size() == x.size() &&
                      sums.discrete.size() == given_.n_discrete && weights.size() == rows_.size() &&
                      sums.share.size() == share_size(),
                  "wrong number of slots, rows or sums");
    pull(t, x, weights);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (weights[i] != 0.0 && !std::isfinite(rows_[i])) {
        return {Status::not_finite, static_cast<Index>(i)};
      }
    }
    hand_over(sums);
    const bool is_finite =
        std::isfinite(sums.time) && all_finite(sums.x) && all_finite(sums.discrete) && all_finite(sums.share);
    return is_finite ? system::Evaluation{}
                     : system::Evaluation{Status::not_finite, find_culprit(t, x, weights)};
  }

  void to_parameters(std::span<const double> share, std::span<double> parameters) override {
    program_.to_parameters(share, parameters);
  }

 private:
  // The program of the rows has one part, with a preparing one before it that is empty.
  static constexpr std::size_t kLastPart = 1;

  void pull(double t, std::span<const double> x, std::span<const double> weights) {
    program_.clear();
    program_.inputs()[0] = t;
    std::copy(given_.held.begin(), given_.held.end(), program_.inputs().begin() + 1);
    program_.run_held();
    program_.run(kLastPart, x.data(), rows_.data());
    std::copy(weights.begin(), weights.end(), weights_.begin());
    program_.pull(kLastPart, x.data(), rows_.data(), weights_.data());
    program_.pull_held();
  }

  [[nodiscard]] std::span<const double> discrete() {
    return program_.input_cotangents().last(given_.n_discrete);
  }
  [[nodiscard]] bool moves(std::size_t discrete) const {
    return given_.rests.empty() || given_.rests[discrete] == 0;
  }

  void hand_over(const system::PullbackSums& sums) {
    sums.time += program_.input_cotangents()[0];
    for (std::size_t i = 0; i < sums.x.size(); ++i) {
      sums.x[i] += program_.state_cotangents()[i];
    }
    for (std::size_t i = 0; i < given_.n_discrete; ++i) {
      if (moves(i)) {
        sums.discrete[i] += discrete()[i];
      }
    }
    program_.add_share(sums.share);
  }

  [[nodiscard]] bool has_found_finite() {
    for (std::size_t i = 0; i < given_.n_discrete; ++i) {
      if (moves(i) && !std::isfinite(discrete()[i])) {
        return false;
      }
    }
    return std::isfinite(program_.input_cotangents()[0]) && all_finite(program_.state_cotangents()) &&
           program_.has_finite_share();
  }

  // The first row that alone gives what is not finite.
  [[nodiscard]] Index find_culprit(double t, std::span<const double> x, std::span<const double> weights) {
    Index first = -1;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (weights[i] == 0.0) {
        continue;
      }
      alone_[i] = weights[i];
      pull(t, x, alone_);
      alone_[i] = 0.0;
      if (!has_found_finite()) {
        return static_cast<Index>(i);
      }
      first = first < 0 ? static_cast<Index>(i) : first;
    }
    return first;
  }

  RowsOfProgram given_;
  ProgramPullback program_;
  std::vector<double> rows_;
  std::vector<double> weights_;  // as the way back leaves them
  std::vector<double> alone_;    // the weight of one row; zero between calls
};

}  // namespace

std::unique_ptr<system::Pullback> make_rows_pullback(const RowsOfProgram& rows) {
  return std::make_unique<RowsPullback>(rows);
}

}  // namespace saltus::program
