// Dense output of the open step of Bdf.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "integrate/implicit/bdf.hpp"
#include "saltus/contract.hpp"

namespace saltus::integrate {
namespace {

// Roundings of sums that bound the states, in units of the values, which are combined with factors of at most some tens.
constexpr double kRangeRounding = 256.0 * std::numeric_limits<double>::epsilon();

double binomial(int n, int k) {
  double result = 1.0;
  for (int i = 1; i <= k; ++i) {
    result *= static_cast<double>(n - k + i) / i;
  }
  return result;
}

}  // namespace

int Bdf::dense_order(DenseOutput which) const {
  return is_starting_ ? starter_.dense_order(which) : order_;
}

// Bernstein coefficients from powers: b_i = Σ_(p ≤ i) C(i, p)/C(k, p) c_p, as weights of the values.
void Bdf::enclose_step(std::span<const Index> states, std::span<Interval> ranges) const {
  SALTUS_EXPECT(phase_.is_open(), "dense output belongs to a good attempt");
  if (is_starting_) {
    starter_.enclose_step(states, ranges);
    return;
  }
  const bdf::PowerTable powers = bdf::dense_powers(order_, h_, offsets_);
  const auto order = static_cast<std::size_t>(order_);
  bdf::PowerTable bernstein{};
  for (std::size_t b = 1; b <= order; ++b) {
    for (std::size_t p = 1; p <= b; ++p) {
      const double factor =
          binomial(static_cast<int>(b), static_cast<int>(p)) / binomial(order_, static_cast<int>(p));
      for (std::size_t j = 0; j < order; ++j) {
        bernstein[b][j] += factor * powers[p][j];
      }
    }
  }
  for (std::size_t slot = 0; slot < states.size(); ++slot) {
    const auto i = static_cast<std::size_t>(states[slot]);
    const double x0 = past_[0][i];
    double lower = std::min(0.0, y_end_[i] - x0);
    double upper = std::max(0.0, y_end_[i] - x0);
    double size = std::abs(y_end_[i] - x0);
    for (std::size_t j = 1; j < order; ++j) {
      size += std::abs(past_[j][i] - x0);
    }
    for (std::size_t b = 1; b < order; ++b) {
      double value = bernstein[b][0] * (y_end_[i] - x0);
      for (std::size_t j = 1; j < order; ++j) {
        value += bernstein[b][j] * (past_[j][i] - x0);
      }
      lower = std::min(lower, value);
      upper = std::max(upper, value);
    }
    const double slack = kRangeRounding * (size + std::abs(x0));
    ranges[slot] = {x0 + lower - slack, x0 + upper + slack};
  }
}

system::Evaluation Bdf::dense_output(DenseOutput which, trajectory::SegmentView& segment) {
  SALTUS_EXPECT(phase_.is_open(), "dense output belongs to a good attempt");
  if (is_starting_) {
    return starter_.dense_output(which, segment);
  }
  const bdf::PowerTable powers = bdf::dense_powers(order_, h_, offsets_);
  const auto order = static_cast<std::size_t>(order_);
  const auto n = static_cast<std::size_t>(n_states_);
  std::copy_n(past_[0].begin(), n, dense_.begin());
  for (std::size_t p = 1; p <= order; ++p) {
    double* const row = dense_.data() + p * n;
    for (std::size_t i = 0; i < n; ++i) {
      row[i] = powers[p][0] * (y_end_[i] - past_[0][i]);
    }
    for (std::size_t j = 1; j < order; ++j) {
      const double weight = powers[p][j];
      for (std::size_t i = 0; i < n; ++i) {
        row[i] += weight * (past_[j][i] - past_[0][i]);
      }
    }
  }
  moved_.forget();
  segment = open_segment();
  return {};
}

trajectory::SegmentView Bdf::open_segment() const {
  const auto count = static_cast<std::size_t>((order_ + 1) * n_states_);
  return {start_, h_, end_.value(), n_states_, order_, std::span<const double>(dense_).first(count)};
}

void Bdf::place(const trajectory::SegmentView& extension, double theta) {
  const bdf::PowerTable powers = bdf::dense_powers(order_, h_, offsets_);
  const auto order = static_cast<std::size_t>(order_);
  std::array<double, bdf::kMostPoints> weights{};
  for (std::size_t p = order; p >= 1; --p) {
    for (std::size_t j = 0; j < order; ++j) {
      weights[j] = theta * (weights[j] + powers[p][j]);
    }
  }
  const std::span<double> y = system_.y();
  for (std::size_t i = 0; i < y.size(); ++i) {
    y[i] = past_[0][i] + weights[0] * (y_end_[i] - past_[0][i]);
    for (std::size_t j = 1; j < order; ++j) {
      y[i] += weights[j] * (past_[j][i] - past_[0][i]);
    }
  }
  extension.evaluate(theta, y.first(static_cast<std::size_t>(n_states_)));
  extension.derivative(theta, system_.ydot());
}

// As ImplicitOneStep does.
bool Bdf::settle_extension(double theta) {
  if (is_starting_) {
    return starter_.settle_extension(theta);
  }
  if (theta <= 0.0 || theta >= 1.0 || matrix_alpha_ == 0.0) {
    return false;
  }
  moved_.restore(dense_row(1));
  place(open_segment(), theta);
  Statistics& counts = starter_.counts();
  const std::int64_t residuals = counts.rhs.stages;
  const bool settles =
      settle_point(system_, time_within(theta), {.last = residual_, .next = predicted_, .change = change_});
  counts.rhs.dense_output += counts.rhs.stages - residuals;
  counts.rhs.stages = residuals;
  if (!settles ||
      !is_worth_moving(error_norm(tolerances_, step_start_state(), step_end_state(), states_of(change_)),
                       theta)) {
    return false;
  }
  MovedExtension::move(theta, change_, dense_row(1));
  return true;
}

double Bdf::extension_defect(const trajectory::SegmentView& extension, double theta) {
  if (is_starting_) {
    return starter_.extension_defect(extension, theta);
  }
  SALTUS_EXPECT(phase_.is_open(), "extensions belong to a good attempt");
  if (!tolerances_.test_error || matrix_alpha_ == 0.0) {
    return 0.0;
  }
  place(extension, theta);
  Statistics& counts = starter_.counts();
  const std::int64_t residuals = counts.rhs.stages;
  const bool is_known = system_.residual(time_within(theta), residual_).ok();
  counts.rhs.dense_output += counts.rhs.stages - residuals;
  counts.rhs.stages = residuals;
  if (!is_known) {
    return 0.0;
  }
  system_.solve(residual_);
  return error_norm(tolerances_, step_start_state(), step_end_state(), states_of(residual_));
}

}  // namespace saltus::integrate
