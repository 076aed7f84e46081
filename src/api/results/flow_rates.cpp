#include "api/results/flow_rates.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "sensitivity/field/difference_tangents.hpp"

namespace saltus::api {
namespace {

constexpr double kNoRate = std::numeric_limits<double>::quiet_NaN();

// Times over which a field is taken to change little, one after the other.
constexpr std::array<double, 5> kTimes{1.0, 0x1p-4, 0x1p-8, 0x1p-12, 0x1p-16};

}  // namespace

void FlowRates::bind(const system::LockedDae& locked, std::size_t n_variables) {
  locked_ = &locked;
  n_variables_ = n_variables;
  evaluator_ = nullptr;
  tangents_ = nullptr;
  values_.resize(n_variables);
}

void FlowRates::evaluate(system::Evaluator& evaluator, double t, std::span<const double> x,
                         std::span<const double> xdot, std::span<double> rates) {
  std::fill(rates.begin(), rates.end(), kNoRate);
  if (&evaluator != evaluator_) {
    tangents_ = evaluator.tangents({.n_directions = 1, .parameters = {}});
    evaluator_ = &evaluator;
  }
  // What has no value has no derivative. One that is not finite leaves the others theirs.
  std::fill(values_.begin(), values_.end(), kNoRate);
  (void)evaluator.outputs(t, x, values_);
  const double unit = 1.0;
  const system::Seeds along{.time = {&unit, 1}, .x = xdot, .discrete = {}};
  if (tangents_ != nullptr) {
    (void)tangents_->outputs(t, x, along, rates);
  } else {
    by_differences(t, x, along, rates);
  }
  for (std::size_t i = 0; i < n_variables_; ++i) {
    rates[i] = std::isfinite(values_[i]) && std::isfinite(rates[i]) ? rates[i] : kNoRate;
  }
}

void FlowRates::by_differences(double t, std::span<const double> x, const system::Seeds& seeds,
                               std::span<double> rates) {
  const system::Configuration nothing_moves;
  sensitivity::DifferenceTangents::Sizes sizes;
  for (const system::StateInfo& state : locked_->states()) {
    sizes.nominal.push_back(state.nominal);
  }
  sizes.n_variables = n_variables_;
  sensitivity::DifferenceTangents differences(
      *evaluator_, nothing_moves, std::move(sizes),
      std::vector<std::vector<sensitivity::DifferenceTangents::TwinEvaluator>>(1));
  std::vector<double> before(n_variables_, kNoRate);
  std::vector<double> found(n_variables_, kNoRate);
  for (const double time : kTimes) {
    differences.set_time_size(time);
    if (!differences.outputs(t, x, seeds, found).ok()) {
      std::fill(found.begin(), found.end(), kNoRate);
    }
    for (std::size_t i = 0; i < n_variables_; ++i) {
      const double size = std::max(std::abs(found[i]), std::abs(values_[i]));
      if (std::isnan(rates[i]) && std::abs(found[i] - before[i]) <= kMostDisagreement * size) {
        rates[i] = before[i];
      }
    }
    before.swap(found);
  }
}

}  // namespace saltus::api
