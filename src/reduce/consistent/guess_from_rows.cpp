#include "reduce/consistent/guess_from_rows.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

namespace saltus::reduce {
namespace {

// Of the largest of three values of a row: roundings of a formula are below, a row that bends is above.
constexpr double kStraight = 1e-10;

class ForwardSubstitution {
 public:
  ForwardSubstitution(const system::InitialProblem& problem, double t)
      : problem_(problem),
        t_(t),
        runner_(problem.equations->make_runner()),
        slots_(problem.guess),
        n_unknown_(static_cast<std::size_t>(problem.equations->n_rows()), 0),
        unknown_of_(n_unknown_.size(), -1) {
    runner_->set_configuration(problem.configuration);
    for (const system::StartTier tier : problem.tier) {
      is_known_.push_back(tier != system::StartTier::free ? 1 : 0);
    }
  }

  [[nodiscard]] bool has_value() {
    std::vector<double> rows(n_unknown_.size());
    std::vector<double> entries(problem_.equations->pattern().n_entries());
    return runner_->residual(t_, slots_, rows).ok() && runner_->jacobian(t_, slots_, entries).ok();
  }

  /// Whether it found anything.
  bool pass() {
    count_unknowns();
    std::array<std::vector<double>, 3> rows;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      std::vector<double> at = slots_;
      for (std::size_t j = 0; j < at.size(); ++j) {
        at[j] = is_known_[j] != 0 ? at[j] : static_cast<double>(k) * nominal(j);
      }
      rows[k].resize(n_unknown_.size());
      static_cast<void>(runner_->residual(t_, at, rows[k]));  // rows without a value give nothing
    }
    bool found = false;
    for (std::size_t i = 0; i < n_unknown_.size(); ++i) {
      if (n_unknown_[i] == 1 && is_known_[static_cast<std::size_t>(unknown_of_[i])] == 0) {
        found |= take(static_cast<std::size_t>(unknown_of_[i]), rows[0][i], rows[1][i], rows[2][i]);
      }
    }
    return found;
  }

  [[nodiscard]] std::vector<double> slots() && { return std::move(slots_); }

 private:
  [[nodiscard]] double nominal(std::size_t slot) const { return problem_.equations->slots()[slot].nominal; }

  void count_unknowns() {
    std::fill(n_unknown_.begin(), n_unknown_.end(), 0);
    const system::RectangularPattern& pattern = problem_.equations->pattern();
    for (std::size_t j = 0; j < slots_.size(); ++j) {
      for (Index e = pattern.column_starts[j]; is_known_[j] == 0 && e < pattern.column_starts[j + 1]; ++e) {
        const auto row = static_cast<std::size_t>(pattern.rows[static_cast<std::size_t>(e)]);
        ++n_unknown_[row];
        unknown_of_[row] = static_cast<Index>(j);
      }
    }
  }

  bool take(std::size_t slot, double at_zero, double at_one, double at_two) {
    const double size = std::max({std::abs(at_zero), std::abs(at_one), std::abs(at_two)});
    const double value = at_zero / (at_zero - at_one) * nominal(slot);
    if (!(std::abs(at_two - 2.0 * at_one + at_zero) <= kStraight * size) || !std::isfinite(value)) {
      return false;
    }
    slots_[slot] = value;
    is_known_[slot] = 1;
    return true;
  }

  const system::InitialProblem& problem_;
  double t_;
  std::unique_ptr<system::EquationRunner> runner_;
  std::vector<double> slots_;
  std::vector<std::uint8_t> is_known_;
  std::vector<int> n_unknown_;     // by row
  std::vector<Index> unknown_of_;  // by row: the last one
};

}  // namespace

std::optional<std::vector<double>> guess_from_rows(const system::InitialProblem& problem, double t) {
  ForwardSubstitution substitution(problem, t);
  if (substitution.has_value() || !substitution.pass()) {
    return std::nullopt;
  }
  while (substitution.pass()) {
  }
  return std::move(substitution).slots();
}

}  // namespace saltus::reduce
