/// Equations given as C++ functions, as an EquationSet: for tests of algorithms that need no model text. Derivatives by forward
/// differentiation, exact up to rounding.
#pragma once

#include <cmath>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "system/equation_set.hpp"

namespace saltus::test {

/// A value and its derivative in one direction.
struct Dual {
  double value = 0.0;
  double derivative = 0.0;

  Dual() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): numbers are constants
  Dual(double number, double slope = 0.0) : value(number), derivative(slope) {}

  friend Dual operator+(Dual a, Dual b) { return {a.value + b.value, a.derivative + b.derivative}; }
  friend Dual operator-(Dual a, Dual b) { return {a.value - b.value, a.derivative - b.derivative}; }
  friend Dual operator*(Dual a, Dual b) {
    return {a.value * b.value, a.derivative * b.value + a.value * b.derivative};
  }
  friend Dual operator/(Dual a, Dual b) {
    return {a.value / b.value, (a.derivative - a.value / b.value * b.derivative) / b.value};
  }
  friend Dual sqrt(Dual a) { return {std::sqrt(a.value), a.derivative / (2.0 * std::sqrt(a.value))}; }
  friend Dual exp(Dual a) { return {std::exp(a.value), a.derivative * std::exp(a.value)}; }
};

/// One row: its text, how often it was differentiated, its slots, and left minus right side as a function of (t, all slots).
struct FunctionRow {
  std::string text;
  int order = 0;
  std::vector<Index> slots;
  std::function<Dual(double t, std::span<const Dual> slots)> function;
  Index equation = -1;  ///< RowInfo::equation; -1: the number of the row
};

class FunctionEquations final : public system::EquationSet {
 public:
  FunctionEquations(std::vector<system::SlotInfo> slots, std::vector<FunctionRow> rows)
      : slots_(std::move(slots)), functions_(std::move(rows)) {
    for (std::size_t i = 0; i < functions_.size(); ++i) {
      system::RowInfo info;
      info.text = functions_[i].text;
      info.equation = functions_[i].equation < 0 ? static_cast<Index>(i) : functions_[i].equation;
      info.order = functions_[i].order;
      infos_.push_back(info);
    }
    std::vector<std::vector<Index>> rows_of(slots_.size());
    for (std::size_t i = 0; i < functions_.size(); ++i) {
      for (const Index slot : functions_[i].slots) {
        rows_of[static_cast<std::size_t>(slot)].push_back(static_cast<Index>(i));
      }
    }
    pattern_.n_rows = static_cast<Index>(functions_.size());
    pattern_.n_columns = static_cast<Index>(slots_.size());
    pattern_.column_starts.push_back(0);
    for (const std::vector<Index>& list : rows_of) {
      pattern_.rows.insert(pattern_.rows.end(), list.begin(), list.end());
      pattern_.column_starts.push_back(static_cast<Index>(pattern_.rows.size()));
    }
  }

  [[nodiscard]] const std::vector<system::SlotInfo>& slots() const override { return slots_; }
  [[nodiscard]] const std::vector<system::RowInfo>& rows() const override { return infos_; }
  [[nodiscard]] const system::RectangularPattern& pattern() const override { return pattern_; }
  [[nodiscard]] bool is_linear() const override { return false; }
  [[nodiscard]] std::unique_ptr<system::EquationRunner> make_runner() const override {
    return std::make_unique<Runner>(*this);
  }

 private:
  class Runner final : public system::EquationRunner {
   public:
    explicit Runner(const FunctionEquations& set) : set_(set), duals_(set.slots_.size()) {}
    void set_configuration(const system::Configuration& /*configuration*/) override {}
    system::Evaluation residual(double t, std::span<const double> slots, std::span<double> values) override {
      copy(slots);
      system::Evaluation evaluation;
      for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = set_.functions_[i].function(t, duals_).value;
        if (!std::isfinite(values[i]) && evaluation.ok()) {
          evaluation = {system::Evaluation::Status::not_finite, static_cast<Index>(i)};
        }
      }
      return evaluation;
    }
    system::Evaluation jacobian(double t, std::span<const double> slots, std::span<double> entries) override {
      copy(slots);
      system::Evaluation evaluation;
      for (std::size_t j = 0; j < duals_.size(); ++j) {
        duals_[j].derivative = 1.0;
        for (Index e = set_.pattern_.column_starts[j]; e < set_.pattern_.column_starts[j + 1]; ++e) {
          const Index row = set_.pattern_.rows[static_cast<std::size_t>(e)];
          const double slope = set_.functions_[static_cast<std::size_t>(row)].function(t, duals_).derivative;
          entries[static_cast<std::size_t>(e)] = slope;
          if (!std::isfinite(slope) && evaluation.ok()) {
            evaluation = {system::Evaluation::Status::not_finite, row};
          }
        }
        duals_[j].derivative = 0.0;
      }
      return evaluation;
    }

   private:
    void copy(std::span<const double> slots) {
      for (std::size_t j = 0; j < slots.size(); ++j) {
        duals_[j] = Dual(slots[j]);
      }
    }
    const FunctionEquations& set_;
    std::vector<Dual> duals_;
  };

  std::vector<system::SlotInfo> slots_;
  std::vector<FunctionRow> functions_;
  std::vector<system::RowInfo> infos_;
  system::RectangularPattern pattern_;
};

}  // namespace saltus::test
