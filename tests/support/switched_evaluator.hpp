/// A switched system given by C++ functions of (t, x, s), s being the sides or weights of its guards: for tests of sliding
/// and decisions that need no model text. Everything is exact, so that a test can say what must come out.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "system/locked_dae.hpp"

namespace saltus::test {

struct SwitchedSystem {
  using Point = std::span<const double>;
  using Sides = std::span<const double>;

  struct Guard {
    std::function<double(double t, Point x, Sides s)> value;
    std::function<double(double t, Point x, std::span<double> gradient)> gradient;  ///< returns ∂g/∂t
    /// Derivatives of order 2 and 3 along the field; empty: unknown.
    std::function<std::vector<double>(double t, Point x, Sides s)> higher;
    bool is_affine_in_weight = true;
    bool can_slide = true;
    std::optional<std::vector<Index>> sides = {};  ///< that the value depends on; none: not known
  };
  Index n_states = 0;
  std::vector<Guard> guards;
  std::function<void(double t, Point x, Sides s, std::span<double> xdot)> rhs;

  /// g = c·x + constant.
  static Guard linear(std::vector<double> coefficients, double constant = 0.0) {
    Guard guard;
    guard.value = [coefficients, constant](double, Point x, Sides) {
      double sum = constant;
      for (std::size_t i = 0; i < coefficients.size(); ++i) {
        sum += coefficients[i] * x[i];
      }
      return sum;
    };
    guard.gradient = [coefficients](double, Point, std::span<double> gradient) {
      std::copy(coefficients.begin(), coefficients.end(), gradient.begin());
      return 0.0;
    };
    return guard;
  }
};

class SwitchedEvaluator final : public system::Evaluator {
 public:
  explicit SwitchedEvaluator(const SwitchedSystem& system)
      : system_(system),
        sides_(system.guards.size(), 1.0),
        gradient_(static_cast<std::size_t>(system.n_states)),
        field_(static_cast<std::size_t>(system.n_states)) {
    for (std::size_t i = 0; i < system.guards.size(); ++i) {
      system::GuardInfo info;
      info.text = "g" + std::to_string(i);
      info.in_equations = true;
      info.can_slide = system.guards[i].can_slide;
      info.is_affine_in_weight = system.guards[i].is_affine_in_weight;
      infos.push_back(info);
    }
    configuration.latched.assign(system.guards.size(), 1.0);
  }

  void set_configuration(const system::Configuration& other) override { sides_ = other.latched; }
  void set_latched(Index guard, double value) override { sides_[static_cast<std::size_t>(guard)] = value; }

  system::Evaluation rhs(double t, std::span<const double> x, std::span<double> xdot) override {
    ++n_calls;
    system_.rhs(t, x, sides_, xdot);
    for (std::size_t i = 0; i < xdot.size(); ++i) {
      if (!std::isfinite(xdot[i])) {
        return {system::Evaluation::Status::not_finite, static_cast<Index>(i)};
      }
    }
    return {};
  }
  /// The states, then the sides.
  system::Evaluation outputs(double /*t*/, std::span<const double> x, std::span<double> values) override {
    std::copy(x.begin(), x.end(), values.begin());
    std::copy(sides_.begin(), sides_.end(), values.begin() + static_cast<std::ptrdiff_t>(x.size()));
    return {};
  }
  system::Evaluation outputs_block(std::span<const double> /*t*/, std::span<const double> /*x*/,
                                   std::span<double> /*values*/) override {
    return {};
  }
  std::string describe(const system::Evaluation& /*evaluation*/, double /*t*/) const override {
    return "the switched system failed";
  }

  system::Evaluation guards(std::span<const Index> which, double t, std::span<const double> x,
                            std::span<double> values) override {
    for (std::size_t i = 0; i < which.size(); ++i) {
      values[i] = system_.guards[static_cast<std::size_t>(which[i])].value(t, x, sides_);
    }
    return {};
  }
  std::optional<std::span<const Index>> guard_sides(Index i) const override {
    const auto& sides = system_.guards[static_cast<std::size_t>(i)].sides;
    return sides ? std::optional<std::span<const Index>>(*sides) : std::nullopt;
  }
  double guard_noise(Index i, double t, std::span<const double> x) override {
    double time_derivative = 0.0;
    static_cast<void>(guard_gradient(i, t, x, gradient_, time_derivative));
    double sum = std::abs(time_derivative * t);
    for (std::size_t k = 0; k < x.size(); ++k) {
      sum += std::abs(gradient_[k] * x[k]);
    }
    return 4.0 * std::numeric_limits<double>::epsilon() * sum;
  }
  system::Evaluation guard_gradient(Index i, double t, std::span<const double> x, std::span<double> gradient,
                                    double& time_derivative) override {
    time_derivative = system_.guards[static_cast<std::size_t>(i)].gradient(t, x, gradient);
    return {};
  }
  system::Evaluation guard_derivatives(Index i, double t, std::span<const double> x,
                                       system::GuardDerivatives& derivatives) override {
    ++n_close_looks;
    derivatives = {};
    double value = 0.0;
    static_cast<void>(guard_gradient(i, t, x, gradient_, value));
    system_.rhs(t, x, sides_, field_);
    for (std::size_t k = 0; k < x.size(); ++k) {
      value += gradient_[k] * field_[k];
    }
    // Fields of tests have terms of size one.
    derivatives.value[0] = value;
    derivatives.noise[0] = 8.0 * std::numeric_limits<double>::epsilon();
    derivatives.n_known = 1;
    if (const auto& higher = system_.guards[static_cast<std::size_t>(i)].higher; higher) {
      for (const double next : higher(t, x, sides_)) {
        const auto place = static_cast<std::size_t>(derivatives.n_known++);
        derivatives.value[place] = next;
        derivatives.noise[place] = 8.0 * std::numeric_limits<double>::epsilon();
      }
    }
    return {};
  }

  [[nodiscard]] const std::vector<double>& sides() const { return sides_; }

  std::vector<system::GuardInfo> infos;
  system::Configuration configuration;
  std::int64_t n_calls = 0;
  std::int64_t n_close_looks = 0;

 private:
  const SwitchedSystem& system_;
  std::vector<double> sides_;
  std::vector<double> gradient_;
  std::vector<double> field_;
};

}  // namespace saltus::test
