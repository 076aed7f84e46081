/// A difference over the twins of a column, which says whether it can be believed.
///
/// Problem    the distance of twins is a guess: what changes over less of it (tanh(1e5·p) at p = 0) has another derivative than the difference
/// Method     differences of fourth and of second order over the same values; where the function is smooth over the distance they differ by the square root of the
///            error of the former
/// Contract   is_believed(): they agree to kCoarseAgreement of the derivative, or of what the largest value over the size of the parameter is
/// Checked by tests/sensitivity/zero_values_test.cpp
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "sensitivity/field/difference_tangents.hpp"
#include "sensitivity/field/setup.hpp"

namespace saltus::sensitivity {

class TwinDifference {
 public:
  void begin(std::size_t n_values) {
    fine_.assign(n_values, 0.0);
    coarse_.assign(n_values, 0.0);
    largest_ = 0.0;
    size_ = 0.0;
  }

  /// Values of one twin.
  void add(const DifferenceTangents::TwinEvaluator& twin, std::span<const double> values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      fine_[i] += twin.weight * values[i];
      coarse_[i] += twin.coarse * values[i];
      largest_ = std::isfinite(values[i]) ? std::max(largest_, std::abs(values[i])) : largest_;
    }
    size_ = std::max(size_, std::abs(twin.offset));
  }

  [[nodiscard]] std::span<const double> derivatives() const { return fine_; }

  [[nodiscard]] bool is_believed() const {
    for (std::size_t i = 0; i < fine_.size(); ++i) {
      if (!orders_agree(fine_[i], coarse_[i], largest_, size_)) {
        return false;
      }
    }
    return true;
  }

 private:
  std::vector<double> fine_;
  std::vector<double> coarse_;
  double largest_ = 0.0;
  double size_ = 0.0;
};

}  // namespace saltus::sensitivity
