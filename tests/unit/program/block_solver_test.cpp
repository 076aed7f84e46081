#include "program/blocks/block_solver.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <random>

namespace saltus::program {
namespace {

BlockPattern full_pattern(int n) {
  std::vector<BlockPattern::Entry> entries;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      entries.push_back({i, j});
    }
  }
  return BlockPattern(n, std::move(entries));
}

// Tridiagonal, rows first as a block gives it.
BlockPattern chain_pattern(int n) {
  std::vector<BlockPattern::Entry> entries;
  for (int i = 0; i < n; ++i) {
    for (int j = std::max(0, i - 1); j <= std::min(n - 1, i + 1); ++j) {
      entries.push_back({i, j});
    }
  }
  return BlockPattern(n, std::move(entries));
}

TEST(LinearBlockSolver, DenseAndSparseSolveAChain) {
  for (const int n : {1, 2, 5, 31, 32, 200}) {
    const BlockPattern pattern = chain_pattern(n);
    EXPECT_EQ(pattern.sparse != nullptr, n >= kSparseOrder);
    LinearBlockSolver solver(pattern);
    std::mt19937 random(7);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    std::vector<double> expected(static_cast<std::size_t>(n));
    for (double& v : expected) v = uniform(random);
    std::vector<double> entries;
    std::vector<double> b(expected.size(), 0.0);
    for (const BlockPattern::Entry& entry : pattern.entries) {
      entries.push_back(uniform(random) + (entry.row == entry.column ? 4.0 : 0.0));
      b[static_cast<std::size_t>(entry.row)] +=
          entries.back() * expected[static_cast<std::size_t>(entry.column)];
    }
    std::vector<double> z(expected.size());
    ASSERT_EQ(solver.solve(entries, b, z), BlockStatus::ok);
    for (std::size_t i = 0; i < z.size(); ++i) {
      EXPECT_NEAR(z[i], expected[i], 1e-14);
    }
    // The same of the transposed matrix, rows and columns of which have been scaled.
    for (std::size_t k = 0; k < entries.size(); ++k) {
      entries[k] *= std::ldexp(1.0, pattern.entries[k].row % 7 - 2 * (pattern.entries[k].column % 5));
    }
    std::fill(b.begin(), b.end(), 0.0);
    for (std::size_t k = 0; k < entries.size(); ++k) {
      b[static_cast<std::size_t>(pattern.entries[k].column)] +=
          entries[k] * expected[static_cast<std::size_t>(pattern.entries[k].row)];
    }
    ASSERT_EQ(solver.solve_transposed(entries, b, z), BlockStatus::ok);
    for (std::size_t i = 0; i < z.size(); ++i) {
      EXPECT_NEAR(z[i], expected[i], 1e-13);
    }
  }
}

TEST(LinearBlockSolver, TransposedIsSingularWhereTheMatrixIs) {
  const BlockPattern pattern = full_pattern(2);
  LinearBlockSolver solver(pattern);
  const std::vector<double> entries = {1.0, 2.0, 2.0, 4.0};
  std::vector<double> z(2);
  EXPECT_EQ(solver.solve_transposed(entries, std::vector<double>{1.0, 2.0}, z), BlockStatus::singular);
}

TEST(LinearBlockSolver, SeveralRightSidesAsOneByOne) {
  for (const int n : {1, 4, 40}) {
    const BlockPattern pattern = chain_pattern(n);
    LinearBlockSolver solver(pattern);
    std::mt19937 random(11);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    std::vector<double> entries;
    for (const BlockPattern::Entry& entry : pattern.entries) {
      entries.push_back(uniform(random) + (entry.row == entry.column ? 4.0 : 0.0));
    }
    // Of the four the second is zero, the third not finite in one row.
    constexpr std::size_t kRight = 4;
    std::vector<double> b(static_cast<std::size_t>(n) * kRight);
    for (std::size_t e = 0; e < b.size(); ++e) {
      b[e] = e % kRight == 1 ? 0.0 : uniform(random);
    }
    b[b.size() - 2] = std::numeric_limits<double>::infinity();
    std::vector<double> z(b.size());
    solver.reserve_rows(kRight);
    ASSERT_EQ(solver.solve_rows(entries, b, z), BlockStatus::ok);
    for (const std::size_t k : {0U, 3U}) {
      std::vector<double> one;
      for (std::size_t i = k; i < b.size(); i += kRight) {
        one.push_back(b[i]);
      }
      std::vector<double> expected(one.size());
      ASSERT_EQ(solver.solve(entries, one, expected), BlockStatus::ok);
      for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_NEAR(z[i * kRight + k], expected[i], 1e-15);
      }
    }
    for (std::size_t i = 0; i < z.size(); i += kRight) {
      EXPECT_EQ(z[i + 1], 0.0);
      EXPECT_TRUE(std::isnan(z[i + 2]));
    }
  }
}

TEST(LinearBlockSolver, ASingularMatrixMattersWhereSomethingMoves) {
  const BlockPattern pattern = full_pattern(2);
  LinearBlockSolver solver(pattern);
  const std::vector<double> entries = {1.0, 2.0, 2.0, 4.0};
  std::vector<double> z(4, 1.0);
  solver.reserve_rows(2);
  EXPECT_EQ(solver.solve_rows(entries, std::vector<double>(4, 0.0), z), BlockStatus::ok);
  EXPECT_EQ(z, std::vector<double>(4, 0.0));
  EXPECT_EQ(solver.solve_rows(entries, std::vector<double>{1.0, 0.0, 0.0, 0.0}, z), BlockStatus::singular);
}

// A matrix that is the one before is not factorised again: a change of any one entry and a return to earlier values must be seen.
TEST(LinearBlockSolver, MatricesThatComeAgain) {
  const BlockPattern pattern = full_pattern(2);
  LinearBlockSolver solver(pattern);
  const std::vector<double> a{4.0, 1.0, 1.0, 2.0};
  const std::vector<double> other{4.0, 1.0, 1.0, 1.0};
  const std::vector<double> singular{1.0, 1.0, 1.0, 1.0};
  std::vector<double> z(2);
  const auto expect = [&](const std::vector<double>& entries, double z0, double z1) {
    const std::vector<double> b{entries[0] * z0 + entries[1] * z1, entries[2] * z0 + entries[3] * z1};
    ASSERT_EQ(solver.solve(entries, b, z), BlockStatus::ok);
    EXPECT_NEAR(z[0], z0, 1e-15);
    EXPECT_NEAR(z[1], z1, 1e-15);
  };
  expect(a, 1.0, 0.5);
  expect(a, -0.25, 1.0);
  expect(other, -0.25, 1.0);
  expect(a, 1.0, 0.5);
  const std::vector<double> b{1.0, 2.0};
  EXPECT_EQ(solver.solve(singular, b, z), BlockStatus::singular);
  EXPECT_EQ(solver.solve(singular, b, z), BlockStatus::singular);
  expect(a, 1.0, 0.5);
}

TEST(LinearBlockSolver, OneByOneIsADivision) {
  const BlockPattern pattern = full_pattern(1);
  LinearBlockSolver solver(pattern);
  std::vector<double> z(1);
  for (const double entry : {3.0, -7e-300, 1e300}) {
    ASSERT_EQ(solver.solve(std::vector<double>{entry}, std::vector<double>{2.0 * entry}, z), BlockStatus::ok)
        << entry;
    EXPECT_EQ(z[0], 2.0) << entry;
  }
  EXPECT_EQ(solver.solve(std::vector<double>{0.0}, std::vector<double>{1.0}, z), BlockStatus::singular);
  EXPECT_EQ(solver.solve(std::vector<double>{std::nan("")}, std::vector<double>{1.0}, z),
            BlockStatus::not_finite);
}

TEST(LinearBlockSolver, SingularUpToRoundingIsSingular) {
  const BlockPattern pattern = full_pattern(3);
  LinearBlockSolver solver(pattern);
  // Third row = 0.1·first + 0.7·second: exact elimination leaves zero, rounding leaves a tiny pivot.
  std::vector<double> entries = {1.1, 2.3, 3.7, 4.1, 5.9, 6.3, 0.0, 0.0, 0.0};
  for (std::size_t j = 0; j < 3; ++j) {
    entries[6 + j] = 0.1 * entries[j] + 0.7 * entries[3 + j];
  }
  std::vector<double> z = {9.0, 9.0, 9.0};
  EXPECT_EQ(solver.solve(entries, std::vector<double>{1.0, 2.0, 3.0}, z), BlockStatus::singular);
  EXPECT_EQ(z[0], 9.0);  // a failure leaves the last solution
}

TEST(LinearBlockSolver, BadlyScaledRowsAreNotSingular) {
  const BlockPattern pattern = full_pattern(2);
  LinearBlockSolver solver(pattern);
  std::vector<double> z(2);
  ASSERT_EQ(solver.solve(std::vector<double>{1e15, 0.0, 1.0, 1e-12}, std::vector<double>{1e15, 2.0}, z),
            BlockStatus::ok);
  EXPECT_NEAR(z[0], 1.0, 1e-15);
  EXPECT_NEAR(z[1], 1e12, 1e-3);
}

// Equations that agree are singular all the same: x + y = 2, 2x + 2y = 4, and with coefficients that are rounded.
TEST(LinearBlockSolver, SingularWithConsistentRightSideIsSingular) {
  const BlockPattern pattern = full_pattern(2);
  LinearBlockSolver solver(pattern);
  std::vector<double> z(2);
  EXPECT_EQ(solver.solve(std::vector<double>{1.0, 1.0, 2.0, 2.0}, std::vector<double>{2.0, 4.0}, z),
            BlockStatus::singular);
  std::mt19937 random(11);
  std::uniform_real_distribution<double> uniform(0.1, 10.0);
  for (int i = 0; i < 1000; ++i) {
    const double a = uniform(random);
    const double b = uniform(random);
    const double factor = uniform(random) * std::ldexp(1.0, i % 80 - 40);  // units of any size
    EXPECT_EQ(solver.solve(std::vector<double>{a, b, factor * a, factor * b},
                           std::vector<double>{a + b, factor * a + factor * b}, z),
              BlockStatus::singular);
  }
}

// A closed chain of conductances without ground: every row sums to zero.
TEST(LinearBlockSolver, FloatingChainIsSingularDenseAndSparse) {
  for (const int n : {5, 31, 100}) {
    const BlockPattern pattern = chain_pattern(n);
    LinearBlockSolver solver(pattern);
    std::vector<double> entries;
    for (const BlockPattern::Entry& entry : pattern.entries) {
      const auto conductance = [n](int i) { return i >= 0 && i < n - 1 ? 0.1 * (1 + i % 7) : 0.0; };
      entries.push_back(entry.row == entry.column ? conductance(entry.row - 1) + conductance(entry.row)
                                                  : -conductance(std::min(entry.row, entry.column)));
    }
    std::vector<double> b(static_cast<std::size_t>(n), 0.0);
    b.front() = 1.0;
    b.back() = -1.0;
    std::vector<double> z(b.size());
    EXPECT_EQ(solver.solve(entries, b, z), BlockStatus::singular) << n;
  }
}

TEST(LinearBlockSolver, UnitsDoNotMakeARegularMatrixSingular) {
  const BlockPattern pattern = full_pattern(2);
  LinearBlockSolver solver(pattern);
  std::vector<double> z(2);
  ASSERT_EQ(solver.solve(std::vector<double>{1e-12, 0.0, 0.0, 1e12}, std::vector<double>{3e-12, 5e12}, z),
            BlockStatus::ok);
  EXPECT_DOUBLE_EQ(z[0], 3.0);
  EXPECT_DOUBLE_EQ(z[1], 5.0);
  // (2, 1; 1, 3) with rows and columns in units from 1e-150 to 1e150
  for (const double row : {1e-150, 1e-9, 1e9, 1e150}) {
    for (const double column : {1e-150, 1e-9, 1e9, 1e150}) {
      const std::vector<double> entries = {2.0, column, row, 3.0 * row * column};
      ASSERT_EQ(solver.solve(entries, std::vector<double>{4.0, 7.0 * row}, z), BlockStatus::ok)
          << row << ' ' << column;
      EXPECT_NEAR(z[0], 1.0, 1e-15);
      EXPECT_NEAR(z[1] * column, 2.0, 1e-15);
    }
  }
  // Hilbert's matrix of order 8 has a condition of 1.5e10: bad, not singular.
  const BlockPattern hilbert = full_pattern(8);
  LinearBlockSolver hilbert_solver(hilbert);
  std::vector<double> entries;
  std::vector<double> b(8, 0.0);
  for (const BlockPattern::Entry& entry : hilbert.entries) {
    entries.push_back(1.0 / (entry.row + entry.column + 1));
    b[static_cast<std::size_t>(entry.row)] += entries.back();
  }
  std::vector<double> ones(8);
  ASSERT_EQ(hilbert_solver.solve(entries, b, ones), BlockStatus::ok);
  for (const double one : ones) {
    EXPECT_NEAR(one, 1.0, 1e-5);
  }
}

// One unknown is zero, in units in which its rounding is larger than the other one.
TEST(LinearBlockSolver, RoundingOfAnUnknownInSmallUnitsIsNotThatOfTheOthers) {
  const BlockPattern pattern = full_pattern(2);
  LinearBlockSolver solver(pattern, std::array{1e12, 1e-10});
  LinearBlockSolver transposed(pattern);
  int n_rounded = 0;
  for (int i = 1; i <= 50; ++i) {
    const double force = 9.8 + 0.01 * i;
    const std::vector<double> entries = {0.7e-12, 0.3e10, 0.1e-12, 0.9e10};
    const std::vector<double> b = {0.3 * force, 0.9 * force};
    std::vector<double> z(2);
    ASSERT_EQ(solver.solve(entries, b, z), BlockStatus::ok) << i;
    EXPECT_NEAR(z[1], 1e-10 * force, 1e-24);
    n_rounded += z[0] != 0.0 ? 1 : 0;
    const std::vector<double> columns = {0.7e-12, 0.1e-12, 0.3e10, 0.9e10};
    ASSERT_EQ(transposed.solve_transposed(columns, b, z), BlockStatus::ok) << i;
    EXPECT_NEAR(z[1], 1e-10 * force, 1e-24);
    solver.reserve_rows(1);
    ASSERT_EQ(solver.solve_rows(entries, b, z), BlockStatus::ok) << i;
    EXPECT_NEAR(z[1], 1e-10 * force, 1e-24);
  }
  EXPECT_GT(n_rounded, 0);
}

class Function final : public ResidualFunction {
 public:
  using Body = std::function<void(std::span<const double>, std::span<double>, std::span<double>)>;
  explicit Function(Body body) : body_(std::move(body)) {}
  void evaluate(std::span<const double> z, std::span<double> r, std::span<double> j) override {
    ++n_calls;
    body_(z, r, j);
  }
  int n_calls = 0;

 private:
  Body body_;
};

TEST(NewtonBlockSolver, ResultDoesNotDependOnTheStart) {
  // x² + y² = 4, x·y = 1 with x > y > 0: x = (√6 + √2)/2, y = (√6 - √2)/2
  Function f([](auto z, auto r, auto j) {
    r[0] = z[0] * z[0] + z[1] * z[1] - 4.0;
    r[1] = 1e6 * (z[0] * z[1] - 1.0);  // units of another size
    j[0] = 2 * z[0];
    j[1] = 2 * z[1];
    j[2] = 1e6 * z[1];
    j[3] = 1e6 * z[0];
  });
  const BlockPattern pattern = full_pattern(2);
  NewtonBlockSolver solver(pattern, {2.0, 0.5}, {1.0, 1.0});
  for (const auto& start : {std::vector<double>{2.0, 0.5}, {1.5, 0.1}, {3.0, 1.0}, {1.93, 0.52}}) {
    std::vector<double> z = start;
    ASSERT_EQ(solver.solve(f, z), BlockStatus::ok);
    EXPECT_NEAR(z[0], (std::sqrt(6.0) + std::sqrt(2.0)) / 2, 4e-16);
    EXPECT_NEAR(z[1], (std::sqrt(6.0) - std::sqrt(2.0)) / 2, 4e-16);
  }
}

TEST(NewtonBlockSolver, DampingTamesAnOvershootingStart) {
  // atan: undamped Newton diverges from |z| > 1.39.
  Function f([](auto z, auto r, auto j) {
    r[0] = std::atan(z[0] - 3.0);
    j[0] = 1.0 / (1.0 + (z[0] - 3.0) * (z[0] - 3.0));
  });
  const BlockPattern pattern = full_pattern(1);
  NewtonBlockSolver solver(pattern, {0.0}, {1.0});
  std::vector<double> z = {40.0};
  ASSERT_EQ(solver.solve(f, z), BlockStatus::ok);
  EXPECT_NEAR(z[0], 3.0, 1e-15);
}

TEST(NewtonBlockSolver, GuessWithSingularJacobianIsLeft) {
  Function f([](auto z, auto r, auto j) {
    r[0] = z[0] * z[0] - 2.0;
    j[0] = 2.0 * z[0];
  });
  const BlockPattern pattern = full_pattern(1);
  NewtonBlockSolver solver(pattern, {0.0}, {1.0});
  std::vector<double> z = {0.0};
  ASSERT_EQ(solver.solve(f, z), BlockStatus::ok);
  EXPECT_NEAR(z[0], std::sqrt(2.0), 2.3e-16);
}

TEST(NewtonBlockSolver, NoRootIsReportedAndLeavesTheLastSolution) {
  Function f([](auto z, auto r, auto j) {
    r[0] = z[0] * z[0] + 1.0;
    j[0] = 2.0 * z[0];
  });
  const BlockPattern pattern = full_pattern(1);
  NewtonBlockSolver solver(pattern, {0.5}, {1.0});
  std::vector<double> z = {0.7};
  EXPECT_EQ(solver.solve(f, z), BlockStatus::no_convergence);
  EXPECT_EQ(z[0], 0.7);
}

TEST(NewtonBlockSolver, LastSolutionThatIsNotFiniteIsNotUsed) {
  Function f([](auto z, auto r, auto j) {
    r[0] = z[0] * z[0] - 2.0;
    j[0] = 2.0 * z[0];
  });
  const BlockPattern pattern = full_pattern(1);
  NewtonBlockSolver solver(pattern, {-1.0}, {1.0});
  std::vector<double> z = {std::nan("")};
  ASSERT_EQ(solver.solve(f, z), BlockStatus::ok);
  EXPECT_NEAR(z[0], -std::sqrt(2.0), 2.3e-16);
}

TEST(NewtonBlockSolver, DependentEquationsAreSingular) {
  // x² + y = 2 twice, in other units
  Function f([](auto z, auto r, auto j) {
    r[0] = z[0] * z[0] + z[1] - 2.0;
    r[1] = 0.3 * r[0];
    j[0] = 2.0 * z[0];
    j[1] = 1.0;
    j[2] = 0.3 * j[0];
    j[3] = 0.3;
  });
  const BlockPattern pattern = full_pattern(2);
  NewtonBlockSolver solver(pattern, {0.7, 0.2}, {1.0, 1.0});
  std::vector<double> z = {0.7, 0.2};
  EXPECT_EQ(solver.solve(f, z), BlockStatus::singular);
}

TEST(NewtonBlockSolver, WarmStartCostsTwoEvaluations) {
  Function f([](auto z, auto r, auto j) {
    r[0] = std::exp(z[0]) + z[0] - 2.0;
    j[0] = std::exp(z[0]) + 1.0;
  });
  const BlockPattern pattern = full_pattern(1);
  NewtonBlockSolver solver(pattern, {0.0}, {1.0});
  std::vector<double> z = {0.0};
  ASSERT_EQ(solver.solve(f, z), BlockStatus::ok);
  f.n_calls = 0;
  ASSERT_EQ(solver.solve(f, z), BlockStatus::ok);
  EXPECT_LE(f.n_calls, 2);
}

}  // namespace
}  // namespace saltus::program
