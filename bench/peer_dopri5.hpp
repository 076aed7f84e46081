/// Dormand-Prince 5(4) written by hand for one compiled right-hand side: what a careful programmer would get.
///
/// Method   [DP80]; step control, initial step and error norm as described in [HNW93] II.4 for the code DOPRI5: safety
///          0.9, factors within [0.2, 10], stabilised control with β = 0.04, weights atol + rtol·max(abs(y), abs(y1)).
/// Checked  against the published run of DOPRI5 on the Arenstorf orbit at tolerance 1e-7: 240 steps, 216 accepted, 1442
///          right-hand sides (bench/main.cpp prints a warning if these counts are not met).
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "measured_run.hpp"

namespace saltus::bench {

template <class Problem>
class Dopri5 {
 public:
  Dopri5(const Problem& problem, double tolerance)
      : problem_(problem),
        tolerance_(tolerance),
        n_(problem.data.x0.size()),
        y_(problem.data.x0),
        y_stage_(n_) {
    for (auto& k : k_) {
      k.resize(n_);
    }
  }

  MeasuredRun run() {
    const double t_end = problem_.data.t_end;
    double t = 0.0;
    rhs(t, y_, k_[0]);
    double h = initial_step(t_end);
    double last_error = 1e-4;
    bool rejected_before = false;
    bool at_end = false;
    while (!at_end) {
      at_end = t + 1.01 * h >= t_end;
      if (at_end) {
        h = t_end - t;
      }
      const double error = attempt(t, h);
      const double factor_of_error = std::pow(error, kExponent);
      if (error <= 1.0) {
        double factor = std::clamp(factor_of_error / std::pow(last_error, kBeta) / kSafety, 0.1, 5.0);
        if (rejected_before) {
          factor = std::max(factor, 1.0);  // no growth right after a rejection
        }
        last_error = std::max(error, 1e-4);
        t += h;
        h /= factor;
        std::swap(k_[0], k_[6]);
        std::swap(y_, y_stage_);
        rejected_before = false;
        ++result_.accepted;
      } else {
        h /= std::min(5.0, factor_of_error / kSafety);
        rejected_before = true;
        at_end = false;
        ++result_.rejected;
      }
    }
    result_.x_end = y_;
    return result_;
  }

 private:
  static constexpr double kSafety = 0.9;
  static constexpr double kBeta = 0.04;
  static constexpr double kExponent = 0.2 - 0.75 * kBeta;

  void rhs(double t, const std::vector<double>& y, std::vector<double>& dy) {
    problem_(t, y.data(), dy.data());
    ++result_.n_rhs;
  }

  double initial_step(double h_max) {
    double norm_f = 0.0;
    double norm_y = 0.0;
    for (std::size_t i = 0; i < n_; ++i) {
      const double weight = tolerance_ * (1.0 + std::abs(y_[i]));
      norm_f += k_[0][i] / weight * (k_[0][i] / weight);
      norm_y += y_[i] / weight * (y_[i] / weight);
    }
    double h = norm_f <= 1e-10 || norm_y <= 1e-10 ? 1e-6 : 0.01 * std::sqrt(norm_y / norm_f);
    h = std::min(h, h_max);
    for (std::size_t i = 0; i < n_; ++i) {
      y_stage_[i] = y_[i] + h * k_[0][i];
    }
    rhs(h, y_stage_, k_[1]);
    double second = 0.0;
    for (std::size_t i = 0; i < n_; ++i) {
      const double weight = tolerance_ * (1.0 + std::abs(y_[i]));
      second += (k_[1][i] - k_[0][i]) / weight * ((k_[1][i] - k_[0][i]) / weight);
    }
    const double largest = std::max(std::sqrt(second) / h, std::sqrt(norm_f));
    const double h_order = largest <= 1e-15 ? std::max(1e-6, 1e-3 * h) : std::pow(0.01 / largest, 0.2);
    return std::min({100.0 * h, h_order, h_max});
  }

  // One trial step: the new value is left in y_stage_, its derivative in k_[6]. Returns the weighted error.
  double attempt(double t, double h) {
    const double* y = y_.data();
    double* out = y_stage_.data();
    const double* k1 = k_[0].data();
    const double* k2 = k_[1].data();
    const double* k3 = k_[2].data();
    const double* k4 = k_[3].data();
    const double* k5 = k_[4].data();
    const double* k6 = k_[5].data();
    const double* k7 = k_[6].data();
    for (std::size_t i = 0; i < n_; ++i) {
      out[i] = y[i] + h * (1.0 / 5) * k1[i];
    }
    rhs(t + h / 5, y_stage_, k_[1]);
    for (std::size_t i = 0; i < n_; ++i) {
      out[i] = y[i] + h * ((3.0 / 40) * k1[i] + (9.0 / 40) * k2[i]);
    }
    rhs(t + 0.3 * h, y_stage_, k_[2]);
    for (std::size_t i = 0; i < n_; ++i) {
      out[i] = y[i] + h * ((44.0 / 45) * k1[i] + (-56.0 / 15) * k2[i] + (32.0 / 9) * k3[i]);
    }
    rhs(t + 0.8 * h, y_stage_, k_[3]);
    for (std::size_t i = 0; i < n_; ++i) {
      out[i] = y[i] + h * ((19372.0 / 6561) * k1[i] + (-25360.0 / 2187) * k2[i] + (64448.0 / 6561) * k3[i] +
                           (-212.0 / 729) * k4[i]);
    }
    rhs(t + h * 8 / 9, y_stage_, k_[4]);
    for (std::size_t i = 0; i < n_; ++i) {
      out[i] = y[i] + h * ((9017.0 / 3168) * k1[i] + (-355.0 / 33) * k2[i] + (46732.0 / 5247) * k3[i] +
                           (49.0 / 176) * k4[i] + (-5103.0 / 18656) * k5[i]);
    }
    rhs(t + h, y_stage_, k_[5]);
    for (std::size_t i = 0; i < n_; ++i) {
      out[i] = y[i] + h * ((35.0 / 384) * k1[i] + (500.0 / 1113) * k3[i] + (125.0 / 192) * k4[i] +
                           (-2187.0 / 6784) * k5[i] + (11.0 / 84) * k6[i]);
    }
    rhs(t + h, y_stage_, k_[6]);
    double sum = 0.0;
    for (std::size_t i = 0; i < n_; ++i) {
      const double difference =
          h * ((71.0 / 57600) * k1[i] + (-71.0 / 16695) * k3[i] + (71.0 / 1920) * k4[i] +
               (-17253.0 / 339200) * k5[i] + (22.0 / 525) * k6[i] + (-1.0 / 40) * k7[i]);
      const double weight = tolerance_ * (1.0 + std::max(std::abs(y[i]), std::abs(out[i])));
      sum += difference / weight * (difference / weight);
    }
    return std::sqrt(sum / static_cast<double>(n_));
  }

  const Problem& problem_;
  double tolerance_;
  std::size_t n_;
  std::vector<double> y_;
  std::vector<double> y_stage_;
  std::vector<double> k_[7];
  MeasuredRun result_;
};

template <class Problem>
MeasuredRun solve_dopri5(const Problem& problem, double tolerance) {
  return measure([&] { return Dopri5<Problem>(problem, tolerance).run(); });
}

}  // namespace saltus::bench
