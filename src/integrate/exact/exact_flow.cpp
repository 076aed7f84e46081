#include "integrate/exact/exact_flow.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/machine.hpp"
#include "saltus/contract.hpp"

namespace saltus::integrate {
namespace {

// Different matrices that are kept: modes and switches of a run.
constexpr std::size_t kMostSystems = 64;

bool are_all_finite(std::span<const double> x) {
  return std::all_of(x.begin(), x.end(), [](double value) { return std::isfinite(value); });
}

}  // namespace

ExactFlow::ExactFlow(system::Evaluator& evaluator, Index n_states, Tolerances tolerances)
    : PolynomialStepper(evaluator, n_states, std::move(tolerances), kForcingDegree, kResolved) {
  SALTUS_EXPECT(static_cast<Index>(tolerances_.atol.size()) == n_states, "one absolute tolerance per state");
  const std::size_t n = at_index(n_states);
  for (std::vector<double>* vector : {&zero_, &rate_, &error_, &noise_, &forcing_noise_}) {
    vector->resize(n, 0.0);
  }
  const std::size_t n_nodes = kPiecesOfStep + 1;
  forcing_.resize(n_nodes * n);
  differences_.resize(kTermsOfStep * n);
  moved_.resize(n_nodes * n);
  increments_.resize(n_nodes * n);
}

ExactFlow::~ExactFlow() = default;

std::span<double> ExactFlow::node(std::vector<double>& values, int k) const {
  const std::size_t n = at_index(n_states_);
  return std::span(values).subspan(static_cast<std::size_t>(k) * n, n);
}

void ExactFlow::fields(Archive& a) {
  // Not saved: zero_; what is found again, systems_, flow_, next_place_; what belongs to an attempt alone, goes_by_flow_, rate_, noise_, forcing_noise_,
  // forcing_, differences_, moved_, increments_.
  PolynomialStepper::fields(a);
  a(adjustment_, worst_, error_);
}

void ExactFlow::accept() {
  PolynomialStepper::accept();
  if (projects()) {
    adjustment_.accept(h_, order(), statistics_);
  }
}

// Rates are affine in the state: differences to those of zero states are columns of A. States are as large as f, so that the rounding errors
// of f are roundings of A.
system::Evaluation ExactFlow::find_rates_of_unit_states(linalg::DenseMatrix& a) {
  const double t = start_.value();
  if (const system::Evaluation evaluation = evaluator_->rhs(t, zero_, rate_); !evaluation.ok()) {
    return evaluation;
  }
  double size = 1.0;
  for (const double entry : rate_) {
    size = std::max(size, std::exp2(std::ceil(std::log2(std::abs(entry) + 1.0))));
  }
  for (Index j = 0; j < n_states_; ++j) {
    std::fill(scratch_.begin(), scratch_.end(), 0.0);
    scratch_[at_index(j)] = size;
    if (const system::Evaluation evaluation = evaluator_->rhs(t, scratch_, error_); !evaluation.ok()) {
      return evaluation;
    }
    for (Index i = 0; i < n_states_; ++i) {
      a(i, j) = (error_[at_index(i)] - rate_[at_index(i)]) / size;
    }
  }
  return {};
}

system::Evaluation ExactFlow::find_system() {
  const std::size_t n = at_index(n_states_);
  linalg::DenseMatrix a(n_states_, n_states_);
  ++statistics_.jacobians;
  const std::unique_ptr<system::Tangents> tangents =
      n_states_ > 0 ? evaluator_->tangents({.n_directions = n_states_, .parameters = {}}) : nullptr;
  if (tangents != nullptr) {
    std::vector<double> unit(n * n, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
      unit[i * n + i] = 1.0;
    }
    std::vector<double> found(n * n);
    const system::Evaluation evaluation =
        tangents->rates(start_.value(), x_start_, {.time = zero_, .x = unit, .discrete = {}}, found);
    if (!evaluation.ok()) {
      return evaluation;
    }
    for (Index i = 0; i < n_states_; ++i) {
      for (Index j = 0; j < n_states_; ++j) {
        a(i, j) = found[at_index(i) * n + at_index(j)];
      }
    }
  } else if (const system::Evaluation evaluation = find_rates_of_unit_states(a); !evaluation.ok()) {
    return evaluation;
  }
  for (const auto& known : systems_) {
    if (known->a() == a) {
      flow_ = known.get();
      return {};
    }
  }
  auto made = std::make_unique<FlowMatrices>(a);
  flow_ = made.get();
  if (systems_.size() < kMostSystems) {
    systems_.push_back(std::move(made));
  } else {
    systems_[next_place_] = std::move(made);
    next_place_ = (next_place_ + 1) % kMostSystems;
  }
  return {};
}

// The end on its constraints, the polynomial to there, and the rate.
system::Evaluation ExactFlow::finish_end() {
  const std::span<const double> moved = node(moved_, kPiecesOfStep);
  for (std::size_t i = 0; i < x_end_.size(); ++i) {
    x_end_[i] = x_start_[i] + moved[i];
  }
  if (projects()) {
    std::copy(x_end_.begin(), x_end_.end(), scratch_.begin());
    if (const system::Evaluation evaluation = evaluator_->project(end_.value(), x_end_); !evaluation.ok()) {
      return evaluation;
    }
    adjustment_.note(scratch_, x_end_);
    for (std::size_t i = 0; i < x_end_.size(); ++i) {
      dense_[x_end_.size() + i] += x_end_[i] - scratch_[i];
    }
  }
  ++statistics_.rhs.stages;
  return evaluator_->rhs(end_.value(), x_end_, xdot_end_);
}

StepAttempt ExactFlow::do_attempt(double h, const trajectory::CompensatedTime& end) {
  begin_step();
  adjustment_.begin();
  h_ = h;
  end_ = end;
  const auto too_large = [this](double error) {
    ++statistics_.rejected_by_error;
    return StepAttempt{StepAttempt::Status::error_too_large, error, {}};
  };
  if (flow_ == nullptr) {
    if (const system::Evaluation found = find_system(); !found.ok()) {
      return failed(found);
    }
  }
  if (const double turns = std::abs(h) * flow_->turning() / kMostTurning; turns > 1.0) {
    return too_large(std::pow(turns, kForcingDegree + 1));
  }
  if (const system::Evaluation sampled = sample_forcing(); !sampled.ok()) {
    return failed(sampled);
  }
  std::fill(forcing_noise_.begin(), forcing_noise_.end(), 0.0);
  const double forcing_error = forcing_is_constant() ? 0.0 : fit_forcing();
  if (forcing_error > 1.0) {
    return too_large(forcing_error);
  }
  flow_through_nodes();
  const double error = std::max(fit_step(), forcing_error);
  if (!std::isfinite(error) || !are_all_finite(moved_)) {
    return failed({system::Evaluation::Status::not_finite, worst_});
  }
  if (error > 1.0) {
    return too_large(error);
  }
  if (const system::Evaluation finished = finish_end(); !finished.ok()) {
    return failed(finished);
  }
  phase_.open();
  return {StepAttempt::Status::good, error, {}};
}

}  // namespace saltus::integrate
