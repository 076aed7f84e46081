/// A system r(t, y, ẏ) = 0 given as one generic C++ function, as LockedDae and Evaluator: for tests of implicit methods that
/// need no model text. Derivatives by complex steps, so exact to rounding without being written.
#pragma once

#include <cmath>
#include <complex>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "linalg/dense_lu.hpp"
#include "system/locked_dae.hpp"

namespace saltus::test {

using Complex = std::complex<double>;

/// Function: (auto t, std::span<const S> y, std::span<const S> ydot, std::span<S> r) for S = double and Complex.
template <class Function>
class GenericEquations final : public system::EquationSet {
 public:
  /// `probe`: slots at which no entry of the Jacobian vanishes by chance; they show the pattern.
  GenericEquations(Function function, Index n_states, Index n_y, const std::vector<double>& probe)
      : function_(std::move(function)), n_states_(n_states), n_y_(n_y) {
    for (Index i = 0; i < n_y + n_states; ++i) {
      slots_.push_back({"slot" + std::to_string(i), i, i < n_y ? 0 : 1, 1.0});
    }
    rows_.resize(static_cast<std::size_t>(n_y));
    pattern_ = {n_y, n_y + n_states, {0}, {}};
    std::vector<double> column(static_cast<std::size_t>(n_y));
    for (Index j = 0; j < n_y + n_states; ++j) {
      derivative(0.375, probe, j, column);
      for (Index i = 0; i < n_y; ++i) {
        if (column[static_cast<std::size_t>(i)] != 0.0) {
          pattern_.rows.push_back(i);
        }
      }
      pattern_.column_starts.push_back(static_cast<Index>(pattern_.rows.size()));
    }
  }

  [[nodiscard]] const std::vector<system::SlotInfo>& slots() const override { return slots_; }
  [[nodiscard]] const std::vector<system::RowInfo>& rows() const override { return rows_; }
  [[nodiscard]] const system::RectangularPattern& pattern() const override { return pattern_; }
  [[nodiscard]] bool is_linear() const override { return false; }
  [[nodiscard]] std::unique_ptr<system::EquationRunner> make_runner() const override {
    return std::make_unique<Runner>(*this);
  }

  void residual(double t, std::span<const double> slots, std::span<double> r) const {
    const auto n = static_cast<std::size_t>(n_y_);
    function_(t, slots.first(n), slots.subspan(n), r);
  }
  /// ∂r/∂slot_j
  void derivative(double t, std::span<const double> slots, Index j, std::span<double> column) const {
    constexpr double kStep = 1e-100;
    const auto n = static_cast<std::size_t>(n_y_);
    thread_local std::vector<Complex> complex_slots;
    thread_local std::vector<Complex> values;
    complex_slots.assign(slots.begin(), slots.end());
    values.resize(n);
    complex_slots[static_cast<std::size_t>(j)] += Complex(0.0, kStep);
    const std::span<const Complex> view = complex_slots;
    function_(t, view.first(n), view.subspan(n), std::span<Complex>(values));
    for (std::size_t i = 0; i < n; ++i) {
      column[i] = values[i].imag() / kStep;
    }
  }
  [[nodiscard]] Index n_states() const { return n_states_; }
  [[nodiscard]] Index n_y() const { return n_y_; }

 private:
  class Runner final : public system::EquationRunner {
   public:
    explicit Runner(const GenericEquations& set) : set_(set), column_(static_cast<std::size_t>(set.n_y_)) {}
    void set_configuration(const system::Configuration& /*configuration*/) override {}
    system::Evaluation residual(double t, std::span<const double> slots, std::span<double> values) override {
      set_.residual(t, slots, values);
      return finite(values);
    }
    system::Evaluation jacobian(double t, std::span<const double> slots, std::span<double> entries) override {
      const auto& pattern = set_.pattern_;
      for (Index j = 0; j < pattern.n_columns; ++j) {
        set_.derivative(t, slots, j, column_);
        for (auto k = pattern.column_starts[static_cast<std::size_t>(j)];
             k < pattern.column_starts[static_cast<std::size_t>(j) + 1]; ++k) {
          entries[static_cast<std::size_t>(k)] =
              column_[static_cast<std::size_t>(pattern.rows[static_cast<std::size_t>(k)])];
        }
      }
      return finite(column_);
    }

   private:
    static system::Evaluation finite(std::span<const double> values) {
      for (std::size_t i = 0; i < values.size(); ++i) {
        if (!std::isfinite(values[i])) {
          return {system::Evaluation::Status::not_finite, static_cast<Index>(i)};
        }
      }
      return {};
    }
    const GenericEquations& set_;
    std::vector<double> column_;
  };

  Function function_;
  Index n_states_;
  Index n_y_;
  std::vector<system::SlotInfo> slots_;
  std::vector<system::RowInfo> rows_;
  system::RectangularPattern pattern_;
};

/// z and ẏ at given x by Newton's method on r = 0.
template <class Function>
class GenericDaeEvaluator final : public system::Evaluator {
 public:
  GenericDaeEvaluator(const GenericEquations<Function>& set, std::vector<double> z_guess)
      : set_(set),
        runner_(set.make_runner()),
        slots_(static_cast<std::size_t>(set.n_y() + set.n_states())),
        r_(static_cast<std::size_t>(set.n_y())),
        lu_(set.n_y()) {
    std::copy(z_guess.begin(), z_guess.end(), slots_.begin() + set.n_states());
  }

  system::EquationRunner* residual_runner() override { return runner_.get(); }
  system::Evaluation residual_point(double t, std::span<const double> x, std::span<double> y,
                                    std::span<double> ydot) override {
    if (const system::Evaluation solved = solve(t, x); !solved.ok()) {
      return solved;
    }
    std::copy_n(slots_.begin(), y.size(), y.begin());
    std::copy_n(slots_.begin() + set_.n_y(), ydot.size(), ydot.begin());
    return {};
  }
  system::Evaluation rhs(double t, std::span<const double> x, std::span<double> xdot) override {
    if (const system::Evaluation solved = solve(t, x); !solved.ok()) {
      return solved;
    }
    std::copy_n(slots_.begin() + set_.n_y(), xdot.size(), xdot.begin());
    return {};
  }
  system::Evaluation outputs(double /*t*/, std::span<const double> x, std::span<double> values) override {
    std::copy(x.begin(), x.end(), values.begin());
    return {};
  }
  system::Evaluation outputs_block(std::span<const double> /*t*/, std::span<const double> x,
                                   std::span<double> values) override {
    return outputs(0.0, x, values);
  }
  std::string describe(const system::Evaluation& /*evaluation*/, double /*t*/) const override {
    return "the function failed";
  }

 private:
  system::Evaluation solve(double t, std::span<const double> x) {
    constexpr int kIterations = 30;
    std::copy(x.begin(), x.end(), slots_.begin());
    const auto n = r_.size();
    for (int iteration = 0; iteration < kIterations; ++iteration) {
      if (const system::Evaluation evaluation = runner_->residual(t, slots_, r_); !evaluation.ok()) {
        return evaluation;
      }
      for (std::size_t j = 0; j < n; ++j) {
        set_.derivative(t, slots_, set_.n_states() + static_cast<Index>(j), lu_.matrix().subspan(j * n, n));
      }
      if (!lu_.factorize().ok()) {
        return {system::Evaluation::Status::singular_block, 0};
      }
      lu_.solve(r_);
      double moved = 0.0;
      for (std::size_t j = 0; j < n; ++j) {
        slots_[static_cast<std::size_t>(set_.n_states()) + j] -= r_[j];
        moved += std::abs(r_[j]) / (1.0 + std::abs(slots_[static_cast<std::size_t>(set_.n_states()) + j]));
      }
      if (moved < 1e-14) {
        return {};
      }
    }
    return {};
  }

  const GenericEquations<Function>& set_;
  std::unique_ptr<system::EquationRunner> runner_;
  std::vector<double> slots_;
  std::vector<double> r_;
  linalg::DenseLu lu_;
};

template <class Function>
class GenericDae final : public system::LockedDae {
 public:
  GenericDae(Function function, Index n_states, Index n_y, const std::vector<double>& probe,
             std::vector<double> z_guess = {})
      : set_(std::make_shared<GenericEquations<Function>>(std::move(function), n_states, n_y, probe)),
        z_guess_(std::move(z_guess)) {
    z_guess_.resize(static_cast<std::size_t>(n_y - n_states), 0.0);
    for (Index i = 0; i < n_states; ++i) {
      states_.push_back({.name = "x" + std::to_string(i), .quantity = {i, 0}});
    }
  }

  [[nodiscard]] const std::vector<system::StateInfo>& states() const override { return states_; }
  [[nodiscard]] Index block_width() const override { return 1; }
  [[nodiscard]] std::unique_ptr<system::Evaluator> make_evaluator(
      std::span<const double> /*guess*/) const override {
    return std::make_unique<GenericDaeEvaluator<Function>>(*set_, z_guess_);
  }
  using system::LockedDae::make_evaluator;
  [[nodiscard]] std::shared_ptr<const system::EquationSet> residual_form() const override { return set_; }

 private:
  std::shared_ptr<const GenericEquations<Function>> set_;
  std::vector<double> z_guess_;
  std::vector<system::StateInfo> states_;
};

}  // namespace saltus::test
