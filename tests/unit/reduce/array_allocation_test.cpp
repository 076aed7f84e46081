// Evaluations over an array take no memory; equations by hand, since those of support/jet_dae.hpp do.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

#include "reduce/ranks/array_evaluator.hpp"
#include "support/allocation_guard.hpp"
#include "support/jet_dae.hpp"

namespace saltus::reduce {
namespace {

using system::Evaluation;

// x² + y² = 1, x' = -y, x + x·y² + x³ = 2·x (the first once more), up to one differentiation.
class CircleArray final : public system::EquationSet {
 public:
  explicit CircleArray(int level) {
    for (int order = 0; order <= 1 + level; ++order) {
      for (const Index j : {0, 1}) {
        slots_.push_back({test::JetArray::slot_name(static_cast<std::size_t>(j), order), j, order, 1.0});
      }
    }
    for (int order = 0; order <= level; ++order) {
      for (const Index i : {0, 1, 2}) {
        rows_.push_back({"equation", i, order, {}});
      }
    }
    pattern_.n_rows = static_cast<Index>(rows_.size());
    pattern_.n_columns = static_cast<Index>(slots_.size());
    // Columns x, y, x', y', x'', y''.
    const std::vector<std::vector<Index>> columns =
        level == 0
            ? std::vector<std::vector<Index>>{{0, 2}, {0, 1, 2}, {1}, {}}
            : std::vector<std::vector<Index>>{{0, 2, 3, 5}, {0, 1, 2, 3, 5}, {1, 3, 5}, {3, 4, 5}, {4}, {}};
    for (const std::vector<Index>& column : columns) {
      pattern_.column_starts.push_back(static_cast<Index>(pattern_.rows.size()));
      pattern_.rows.insert(pattern_.rows.end(), column.begin(), column.end());
    }
    pattern_.column_starts.push_back(static_cast<Index>(pattern_.rows.size()));
  }
  [[nodiscard]] const std::vector<system::SlotInfo>& slots() const override { return slots_; }
  [[nodiscard]] const std::vector<system::RowInfo>& rows() const override { return rows_; }
  [[nodiscard]] const system::RectangularPattern& pattern() const override { return pattern_; }
  [[nodiscard]] bool is_linear() const override { return false; }
  [[nodiscard]] std::unique_ptr<system::EquationRunner> make_runner() const override;

 private:
  std::vector<system::SlotInfo> slots_;
  std::vector<system::RowInfo> rows_;
  system::RectangularPattern pattern_;
};

class CircleRunner final : public system::EquationRunner {
 public:
  void set_configuration(const system::Configuration& /*configuration*/) override {}
  Evaluation residual(double /*t*/, std::span<const double> z, std::span<double> values) override {
    const double g = z[0] * z[0] + z[1] * z[1] - 1.0;
    values[0] = g;
    values[1] = z[2] + z[1];
    values[2] = z[0] * g;
    if (values.size() > 3) {
      const double rate = 2.0 * z[0] * z[2] + 2.0 * z[1] * z[3];
      values[3] = rate;
      values[4] = z[4] + z[3];
      values[5] = z[2] * g + z[0] * rate;
    }
    return {};
  }
  Evaluation jacobian(double /*t*/, std::span<const double> z, std::span<double> e) override {
    const double g = z[0] * z[0] + z[1] * z[1] - 1.0;
    const double gx = g + 2.0 * z[0] * z[0];
    const double gy = 2.0 * z[0] * z[1];
    if (e.size() == 6) {
      const double entries[] = {2.0 * z[0], gx, 2.0 * z[1], 1.0, gy, 1.0};
      std::copy(std::begin(entries), std::end(entries), e.begin());
      return {};
    }
    const double rate = 2.0 * z[0] * z[2] + 2.0 * z[1] * z[3];
    const double entries[] = {2.0 * z[0],
                              gx,
                              2.0 * z[2],
                              z[2] * 2.0 * z[0] + rate + z[0] * 2.0 * z[2],  // x
                              2.0 * z[1],
                              1.0,
                              gy,
                              2.0 * z[3],
                              z[2] * 2.0 * z[1] + z[0] * 2.0 * z[3],  // y
                              1.0,
                              2.0 * z[0],
                              g + z[0] * 2.0 * z[0],  // x'
                              2.0 * z[1],
                              1.0,
                              z[0] * 2.0 * z[1],  // y'
                              1.0};               // x''
    std::copy(std::begin(entries), std::end(entries), e.begin());
    return {};
  }
};

std::unique_ptr<system::EquationRunner> CircleArray::make_runner() const {
  return std::make_unique<CircleRunner>();
}

class Circle final : public system::LockedDae {
 public:
  [[nodiscard]] const std::vector<system::StateInfo>& states() const override { return states_; }
  [[nodiscard]] Index block_width() const override { return 1; }
  [[nodiscard]] std::unique_ptr<system::Evaluator> make_evaluator(
      std::span<const double> /*guess*/) const override {
    return std::make_unique<test::PlainEvaluator>(2);
  }
  [[nodiscard]] system::Reduction reduction() const override { return system::Reduction::ranks; }
  [[nodiscard]] Result<std::shared_ptr<const system::EquationSet>> derivative_array(
      int level) const override {
    return std::shared_ptr<const system::EquationSet>(std::make_shared<CircleArray>(level));
  }

 private:
  std::vector<system::StateInfo> states_ = {{.name = "x1", .quantity = {0, 0}},
                                            {.name = "x2", .quantity = {1, 0}}};
};

TEST(ArrayEvaluator, TakesNoMemoryAfterTheAnalysis) {
  const Circle dae;
  ArrayEvaluator evaluator(dae.make_evaluator({}), dae);
  // The solution is (cos, sin).
  std::vector<double> x = {std::cos(0.5), std::sin(0.5)};
  std::vector<double> rate(2);
  ASSERT_TRUE(evaluator.project(0.5, x).ok());
  EXPECT_EQ(evaluator.values()->level, 0);
  EXPECT_EQ(evaluator.values()->vanishing, 1);
  const test::AllocationGuard guard;
  for (int i = 0; i < 50; ++i) {
    const double t = 0.5 + 0.02 * i;
    x[0] = std::cos(t);
    x[1] = std::sin(t) + 1e-5;
    ASSERT_TRUE(evaluator.project(t, x).ok());
    ASSERT_TRUE(evaluator.rhs(t, x, rate).ok());
    EXPECT_NEAR(rate[0], -std::sin(t), 1e-10);
    EXPECT_NEAR(rate[1], std::cos(t), 1e-10);
    evaluator.keep_solutions();
  }
  EXPECT_EQ(guard.count(), 0);
}

}  // namespace
}  // namespace saltus::reduce
