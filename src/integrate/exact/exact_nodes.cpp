// ExactFlow: f and the solution at the nodes of a step, and their polynomials.
#include <algorithm>
#include <array>
#include <cmath>

#include "base/machine.hpp"
#include "integrate/exact/exact_flow.hpp"
#include "integrate/exact/forward_differences.hpp"

namespace saltus::integrate {
namespace {

using Differences = ForwardDifferences<ExactFlow::kForcingDegree>;

// In units of the noise that differences show: of a polynomial that goes through noisy values, near its ends.
constexpr double kNoiseOfPolynomial = 64.0;
// Of the absolute tolerance, 1e-13 of the nominal value: what is smaller does not matter. The end of a long ladder begins with tᵏ/k!, which no polynomial
// of a lower degree meets in relative terms.
constexpr double kFloor = 1e-3;
// Orders of differences over which the noise must stay the same, and within which factor [MW11] 3.
constexpr int kLevelOrders = 3;
constexpr double kLevelFactor = 4.0;

// C(s + u, k) about every node, s = k/2.
const std::array<std::array<Differences::Row, ExactFlow::kTermsOfStep>, ExactFlow::kPiecesOfStep + 1>&
expansions() {
  static const auto kTable = [] {
    std::array<std::array<Differences::Row, ExactFlow::kTermsOfStep>, ExactFlow::kPiecesOfStep + 1> table{};
    for (std::size_t k = 0; k < table.size(); ++k) {
      table[k] = Differences::expansions(0.5 * static_cast<double>(k));
    }
    return table;
  }();
  return kTable;
}

// The noise of values of a function at the nodes, 0 where differences do not show it: σ_k² = (k!)²/(2k)! · mean of (Δᵏ)² is the same for all
// orders k if there is nothing but noise, and falls by at least four with each order as long as the function shows and turns by at most
// kMostTurning over the step.
double noise_of(std::array<double, ExactFlow::kPiecesOfStep + 1> values) {
  std::array<double, ExactFlow::kPiecesOfStep> levels{};
  double factor = 1.0;
  for (std::size_t k = 1; k <= static_cast<std::size_t>(ExactFlow::kForcingDegree) + 1; ++k) {
    double sum = 0.0;
    for (std::size_t j = 0; j + k < values.size(); ++j) {
      values[j] = values[j + 1] - values[j];
      sum += values[j] * values[j];
    }
    const auto order = static_cast<double>(k);
    factor *= order / (2.0 * (2.0 * order - 1.0));
    levels[k] = std::sqrt(factor * sum / static_cast<double>(values.size() - k));
    if (k >= static_cast<std::size_t>(kLevelOrders)) {
      const auto [least, most] =
          std::minmax_element(levels.begin() + static_cast<std::ptrdiff_t>(k) - kLevelOrders + 1,
                              levels.begin() + static_cast<std::ptrdiff_t>(k) + 1);
      if (*most <= kLevelFactor * *least) {
        return *most;
      }
    }
  }
  return 0.0;
}

}  // namespace

system::Evaluation ExactFlow::sample_forcing() {
  for (int k = 0; k <= kPiecesOfStep; ++k) {
    const double part = static_cast<double>(k) / kPiecesOfStep;
    const double t = k == kPiecesOfStep ? end_.value() : start_.value() + (start_.low() + part * h_);
    ++statistics_.rhs.stages;
    if (const system::Evaluation evaluation = evaluator_->rhs(t, zero_, node(forcing_, k));
        !evaluation.ok()) {
      return evaluation;
    }
  }
  return {};
}

bool ExactFlow::forcing_is_constant() const {
  const std::size_t n = at_index(n_states_);
  for (std::size_t place = n; place < forcing_.size(); ++place) {
    if (forcing_[place] != forcing_[place - n]) {
      return false;
    }
  }
  return true;
}

double ExactFlow::fit_forcing() {
  const std::size_t n = at_index(n_states_);
  double error = 0.0;
  // A time that is rounded to a double moves f by its rate times that.
  const double time_rounding = kEpsilon * std::max(std::abs(start_.value()), std::abs(end_.value()));
  for (std::size_t i = 0; i < n; ++i) {
    Differences::Row values{};
    double largest = 0.0;
    double steepest = 0.0;
    for (std::size_t k = 0; k < kTermsOfStep; ++k) {
      values[k] = forcing_[2 * k * n + i];
      largest = std::max(largest, std::abs(values[k]));
      steepest = k > 0 ? std::max(steepest, std::abs(values[k] - values[k - 1])) : 0.0;
    }
    for (std::size_t k = 0; k < kTermsOfStep; ++k) {
      differences_[k * n + i] = values[0];
      for (std::size_t j = 0; j + k + 1 < kTermsOfStep; ++j) {
        values[j] = values[j + 1] - values[j];
      }
    }
    std::array<double, kPiecesOfStep + 1> all{};
    for (std::size_t k = 0; k < all.size(); ++k) {
      all[k] = forcing_[k * n + i];
    }
    forcing_noise_[i] = std::max(
        kResolved * (largest + steepest * kForcingDegree * time_rounding / (kEpsilon * std::abs(h_))),
        kNoiseOfPolynomial * noise_of(all));
    forcing_noise_[i] = std::max(forcing_noise_[i], kFloor * tolerances_.atol[i] / std::abs(h_));
    for (std::size_t odd = 1; odd < kPiecesOfStep; odd += 2) {
      double sum = 0.0;
      for (std::size_t k = kTermsOfStep; k-- > 0;) {
        sum += differences_[k * n + i] * expansions()[odd][k][0];
      }
      const double missed = std::abs(sum - forcing_[odd * n + i]);
      if (missed > error * forcing_noise_[i] && forcing_noise_[i] > 0.0) {
        error = missed / forcing_noise_[i];
        worst_ = static_cast<Index>(i);
      }
    }
  }
  return error;
}

// Roundings of one piece by P₀·(A·x + f), which are small for short steps, or by Φ·x + P₀·f, for steps long beside 1/A: where A·x and f nearly
// cancel, P₀ would enlarge what is left of them. `size` of states and of f.
void ExactFlow::find_roundings(std::span<const double> x, std::span<const double> f, bool by_flow,
                               std::span<double> roundings) {
  const std::span<const linalg::DenseMatrix> matrices = flow_->of_size(h_ / kPiecesOfStep, 1);
  std::fill(roundings.begin(), roundings.end(), 0.0);
  std::copy(f.begin(), f.end(), rate_.begin());
  if (by_flow) {
    add_absolute_product(matrices[0], x, roundings);
  } else {
    add_absolute_product(flow_->a(), x, rate_);
  }
  add_absolute_product(matrices[1], rate_, roundings);
}

// The way with the smaller roundings, in units of absolute tolerances.
bool ExactFlow::is_better_by_flow() {
  std::array<double, 2> sums{};
  for (std::size_t i = 0; i < scratch_.size(); ++i) {
    scratch_[i] = std::abs(x_start_[i]);
    error_[i] = std::abs(forcing_[i]);
  }
  for (const bool by_flow : {false, true}) {
    find_roundings(scratch_, error_, by_flow, noise_);
    for (std::size_t i = 0; i < scratch_.size(); ++i) {
      sums[by_flow ? 1 : 0] += (noise_[i] + (by_flow ? scratch_[i] : 0.0)) / tolerances_.atol[i];
    }
  }
  return sums[1] < sums[0];
}

// Node k + 1 from node k: P₀·(A·x + f) + Σ P_q·h'^q·f⁽ᵠ⁾ further on, or Φ·x + P₀·f + Σ ….
void ExactFlow::flow_through_nodes() {
  const std::size_t n = at_index(n_states_);
  const bool is_constant = forcing_is_constant();
  const auto count = is_constant ? std::size_t{1} : kTermsOfStep;
  goes_by_flow_ = is_better_by_flow();
  const std::span<const linalg::DenseMatrix> matrices =
      flow_->of_size(h_ / kPiecesOfStep, static_cast<int>(count));
  std::fill_n(moved_.begin(), n, 0.0);
  for (int k = 0; k < kPiecesOfStep; ++k) {
    const std::span<double> here = node(moved_, k);
    const std::span<double> increment = node(increments_, k);
    const std::span<const double> f = node(forcing_, k);
    for (std::size_t i = 0; i < n; ++i) {
      scratch_[i] = x_start_[i] + here[i];
    }
    std::copy(f.begin(), f.end(), rate_.begin());
    std::fill(increment.begin(), increment.end(), 0.0);
    if (goes_by_flow_) {
      add_product(matrices[0], scratch_, increment);
    } else {
      add_product(flow_->a(), scratch_, rate_);
    }
    add_product(matrices[1], rate_, increment);
    double factor = 1.0;  // q!/2ᵠ: derivatives by time, over h'
    for (std::size_t q = 1; q < count; ++q) {
      factor *= 0.5 * static_cast<double>(q);
      std::fill(rate_.begin(), rate_.end(), 0.0);
      for (std::size_t j = q; j < kTermsOfStep; ++j) {
        const double weight = factor * expansions()[static_cast<std::size_t>(k)][j][q];
        for (std::size_t i = 0; i < n; ++i) {
          rate_[i] += weight * differences_[j * n + i];
        }
      }
      add_product(matrices[q + 1], rate_, increment);
    }
    const std::span<double> next = node(moved_, k + 1);
    for (std::size_t i = 0; i < n; ++i) {
      increment[i] = goes_by_flow_ ? increment[i] - scratch_[i] : increment[i];
      next[i] = here[i] + increment[i];
    }
  }
}

// The sizes of the terms that make a node: its state, and what each piece adds.
void ExactFlow::find_noise() {
  const std::size_t n = at_index(n_states_);
  std::fill(scratch_.begin(), scratch_.end(), 0.0);
  std::fill(error_.begin(), error_.end(), 0.0);
  for (int k = 0; k <= kPiecesOfStep; ++k) {
    const std::span<const double> here = node(moved_, k);
    const std::span<const double> f = node(forcing_, k);
    for (std::size_t i = 0; i < n; ++i) {
      scratch_[i] = std::max(scratch_[i], std::abs(x_start_[i] + here[i]));
      error_[i] = std::max(error_[i], std::abs(f[i]) + forcing_noise_[i] / kResolved);
    }
  }
  find_roundings(scratch_, error_, goes_by_flow_, noise_);
  for (std::size_t i = 0; i < n; ++i) {
    noise_[i] = std::max(kResolved * (scratch_[i] + kPiecesOfStep * noise_[i]), kFloor * tolerances_.atol[i]);
  }
}

double ExactFlow::fit_step() {
  const std::size_t n = at_index(n_states_);
  find_noise();
  // C(9θ, k) in powers of θ.
  static const std::array<Differences::Row, kTermsOfStep> kPowers = [] {
    std::array<Differences::Row, kTermsOfStep> rows = Differences::expansions(0.0);
    for (Differences::Row& row : rows) {
      double scale = 1.0;
      for (double& entry : row) {
        entry *= scale;
        scale *= ExactFlow::kForcingDegree;
      }
    }
    return rows;
  }();
  double error = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    // First differences are those of the pieces, which have not been added to anything.
    Differences::Row values{};
    for (std::size_t k = 0; k + 1 < kTermsOfStep; ++k) {
      values[k] = increments_[2 * k * n + i] + increments_[(2 * k + 1) * n + i];
    }
    Differences::Row differences{};
    for (std::size_t k = 1; k < kTermsOfStep; ++k) {
      differences[k] = values[0];
      for (std::size_t j = 0; j + k + 1 < kTermsOfStep; ++j) {
        values[j] = values[j + 1] - values[j];
      }
    }
    error_[i] = 0.0;
    for (std::size_t odd = 1; odd < kPiecesOfStep; odd += 2) {
      double sum = 0.0;
      for (std::size_t k = kTermsOfStep; k-- > 1;) {
        sum += differences[k] * expansions()[odd][k][0];
      }
      error_[i] = std::max(error_[i], std::abs(sum - moved_[odd * n + i]));
    }
    if (error_[i] > error * noise_[i]) {
      error = error_[i] / noise_[i];
      worst_ = static_cast<Index>(i);
    }
    dense_[i] = x_start_[i];
    for (std::size_t p = 1; p < kTermsOfStep; ++p) {
      double sum = 0.0;
      for (std::size_t k = kTermsOfStep; k-- > p;) {
        sum += differences[k] * kPowers[k][p];
      }
      dense_[p * n + i] = sum;
    }
  }
  return error;
}

}  // namespace saltus::integrate
