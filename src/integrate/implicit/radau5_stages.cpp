#include "integrate/implicit/radau5_stages.hpp"

#include <cmath>

namespace saltus::integrate {
namespace {

using radau5::kStages;

}  // namespace

void Radau5Stages::resize() {
  const auto n = static_cast<std::size_t>(system_.n_y());
  for (std::size_t i = 0; i < kStages; ++i) {
    w_[i].resize(n);
    delta_[i].resize(n);
  }
  complex_.resize(n);
}

linalg::FactorStatus Radau5Stages::factorize(double h) {
  if (const linalg::FactorStatus status = system_.factorize(radau5::kGamma / h); !status.ok()) {
    return status;
  }
  return system_.factorize(std::complex<double>(radau5::kAlpha / h, radau5::kBeta / h));
}

StageOutcome Radau5Stages::solve(const Times& times, double h, std::span<const double> y0,
                                 std::span<const double> scale, NewtonConvergence& convergence,
                                 const Stages& z) {
  const std::size_t n = y0.size();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t s = 0; s < kStages; ++s) {
      const auto& row = radau5::kTInverse[s];
      w_[s][i] = row[0] * z[0][i] + row[1] * z[1][i] + row[2] * z[2][i];
    }
  }
  convergence.begin();
  for (;;) {
    if (!evaluate_residuals(times, h, y0, z)) {
      return StageOutcome::evaluation_failed;
    }
    find_correction();
    const NewtonConvergence::Verdict verdict = convergence.after(correction_norm(scale));
    if (verdict == NewtonConvergence::Verdict::diverges || verdict == NewtonConvergence::Verdict::too_slow) {
      return StageOutcome::not_converged;
    }
    add_correction(z);
    if (verdict == NewtonConvergence::Verdict::converged) {
      return StageOutcome::converged;
    }
  }
}

void Radau5Stages::place_stage(std::size_t stage, double h, std::span<const double> y0, const Stages& z) {
  const std::span<double> y = system_.y();
  for (std::size_t i = 0; i < y.size(); ++i) {
    y[i] = y0[i] + z[stage][i];
  }
  const auto& row = radau5::kInverse[stage];
  const std::span<double> ydot = system_.ydot();
  for (std::size_t i = 0; i < ydot.size(); ++i) {
    ydot[i] = (row[0] * z[0][i] + row[1] * z[1][i] + row[2] * z[2][i]) / h;
  }
}

bool Radau5Stages::evaluate_residuals(const Times& times, double h, std::span<const double> y0,
                                      const Stages& z) {
  for (std::size_t s = 0; s < kStages; ++s) {
    place_stage(s, h, y0, z);
    evaluation_ = system_.residual(times[s], delta_[s]);
    if (!evaluation_.ok()) {
      return false;
    }
  }
  return true;
}

// delta_ := -(Λ/h⊗B + I⊗A)⁻¹ (T⁻¹⊗I) r
void Radau5Stages::find_correction() {
  const std::size_t n = complex_.size();
  for (std::size_t i = 0; i < n; ++i) {
    const double r0 = delta_[0][i];
    const double r1 = delta_[1][i];
    const double r2 = delta_[2][i];
    const auto transformed = [&](std::size_t s) {
      const auto& row = radau5::kTInverse[s];
      return -(row[0] * r0 + row[1] * r1 + row[2] * r2);
    };
    delta_[0][i] = transformed(0);
    complex_[i] = {transformed(1), transformed(2)};
  }
  system_.solve(delta_[0]);
  system_.solve(complex_);
  for (std::size_t i = 0; i < n; ++i) {
    delta_[1][i] = complex_[i].real();
    delta_[2][i] = complex_[i].imag();
  }
}

double Radau5Stages::correction_norm(std::span<const double> scale) const {
  const std::size_t n = scale.size();
  if (n == 0) {
    return 0.0;
  }
  double sum = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    const double weight = 1.0 / scale[i];
    const double a = delta_[0][i] * weight;
    const double b = delta_[1][i] * weight;
    const double c = delta_[2][i] * weight;
    sum += a * a + b * b + c * c;
  }
  return std::sqrt(sum / static_cast<double>(kStages * n));
}

void Radau5Stages::add_correction(const Stages& z) {
  const std::size_t n = complex_.size();
  for (std::size_t i = 0; i < n; ++i) {
    const double w0 = w_[0][i] += delta_[0][i];
    const double w1 = w_[1][i] += delta_[1][i];
    const double w2 = w_[2][i] += delta_[2][i];
    const auto& t = radau5::kT;
    z[0][i] = t[0][0] * w0 + t[0][1] * w1 + t[0][2] * w2;
    z[1][i] = t[1][0] * w0 + t[1][1] * w1 + t[1][2] * w2;
    z[2][i] = w0 + w1;
  }
}

}  // namespace saltus::integrate
