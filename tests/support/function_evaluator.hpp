/// A right-hand side given as a C++ function, as an Evaluator: for tests of algorithms that need no model text.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>

#include "system/locked_dae.hpp"

namespace saltus::test {

using RhsFunction = std::function<void(double t, std::span<const double> x, std::span<double> xdot)>;

class FunctionEvaluator final : public system::Evaluator {
 public:
  explicit FunctionEvaluator(RhsFunction function) : function_(std::move(function)) {}

  system::Evaluation rhs(double t, std::span<const double> x, std::span<double> xdot) override {
    ++n_calls_;
    last_time_ = t;
    function_(t, x, xdot);
    for (std::size_t i = 0; i < xdot.size(); ++i) {
      if (!std::isfinite(xdot[i])) {
        return {system::Evaluation::Status::not_finite, static_cast<Index>(i)};
      }
    }
    return {};
  }
  system::Evaluation outputs(double /*t*/, std::span<const double> x, std::span<double> values) override {
    for (std::size_t i = 0; i < x.size(); ++i) {
      values[i] = x[i];
    }
    return {};
  }
  system::Evaluation outputs_block(std::span<const double> /*t*/, std::span<const double> x,
                                   std::span<double> values) override {
    return outputs(0.0, x, values);
  }
  std::string describe(const system::Evaluation& /*evaluation*/, double /*t*/) const override {
    return "the function failed";
  }

  [[nodiscard]] std::int64_t n_calls() const { return n_calls_; }
  [[nodiscard]] double last_time() const { return last_time_; }

 private:
  RhsFunction function_;
  std::int64_t n_calls_ = 0;
  double last_time_ = 0.0;
};

}  // namespace saltus::test
