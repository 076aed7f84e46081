// Evaluates an equation set by names of slots and compares its Jacobian with differences.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "system/equation_set.hpp"

namespace saltus::program::test {

class EquationCheck {
 public:
  explicit EquationCheck(std::shared_ptr<const system::EquationSet> equations)
      : EquationCheck(equations, equations->make_runner()) {}
  EquationCheck(std::shared_ptr<const system::EquationSet> equations,
                std::unique_ptr<system::EquationRunner> own)
      : set(std::move(equations)),
        owned_(std::move(own)),
        runner(owned_.get()),
        slots(static_cast<std::size_t>(set->n_slots()), 0.0) {}

  [[nodiscard]] bool has(const std::string& name) const {
    for (const system::SlotInfo& slot : set->slots()) {
      if (slot.name == name) {
        return true;
      }
    }
    return false;
  }
  /// All slots of this name; without effect where there is none.
  void set_slot(const std::string& name, double value) {
    for (std::size_t i = 0; i < slots.size(); ++i) {
      if (set->slots()[i].name == name) {
        slots[i] = value;
      }
    }
  }

  std::vector<double> residual(double t = 0.0) {
    std::vector<double> values(static_cast<std::size_t>(set->n_rows()));
    EXPECT_TRUE(runner->residual(t, slots, values).ok());
    return values;
  }

  /// [row][slot]
  std::vector<std::vector<double>> jacobian(double t = 0.0) {
    const system::RectangularPattern& pattern = set->pattern();
    std::vector<double> entries(pattern.n_entries());
    EXPECT_TRUE(runner->jacobian(t, slots, entries).ok());
    std::vector<std::vector<double>> matrix(static_cast<std::size_t>(pattern.n_rows),
                                            std::vector<double>(slots.size(), 0.0));
    for (std::size_t column = 0; column < slots.size(); ++column) {
      for (Index k = pattern.column_starts[column]; k < pattern.column_starts[column + 1]; ++k) {
        matrix[static_cast<std::size_t>(pattern.rows[static_cast<std::size_t>(k)])][column] =
            entries[static_cast<std::size_t>(k)];
      }
    }
    return matrix;
  }

  /// Central differences of step 1e-5: error about 1e-10 times third derivatives plus 1e-11 of rounding.
  void expect_jacobian_of_differences(double t = 0.0, double tolerance = 1e-8) {
    constexpr double kStep = 1e-5;
    const std::vector<std::vector<double>> matrix = jacobian(t);
    for (std::size_t column = 0; column < slots.size(); ++column) {
      const double value = slots[column];
      slots[column] = value + kStep;
      const std::vector<double> above = residual(t);
      slots[column] = value - kStep;
      const std::vector<double> below = residual(t);
      slots[column] = value;
      for (std::size_t row = 0; row < matrix.size(); ++row) {
        const double difference = (above[row] - below[row]) / (2.0 * kStep);
        EXPECT_NEAR(matrix[row][column], difference, tolerance * (1.0 + std::abs(difference)))
            << set->rows()[row].text << " by " << set->slots()[column].name;
      }
    }
  }

  std::shared_ptr<const system::EquationSet> set;

 private:
  std::unique_ptr<system::EquationRunner> owned_;

 public:
  system::EquationRunner* runner;
  std::vector<double> slots;
};

}  // namespace saltus::program::test
