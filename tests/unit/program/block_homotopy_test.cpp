#include "program/blocks/block_homotopy.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

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

// A chain of pipes between two pressures: rows in the pressures between them, p = k·q·|q| as in the network.
class Chain final : public ResidualFunction {
 public:
  Chain(std::size_t n, double first) : n_(n), first_(first) {}

  static BlockPattern pattern(int n) {
    std::vector<BlockPattern::Entry> entries;
    for (int i = 0; i < n; ++i) {
      for (int j = std::max(0, i - 1); j <= std::min(n - 1, i + 1); ++j) {
        entries.push_back({i, j});
      }
    }
    return BlockPattern(n, std::move(entries));
  }

  // Row i: s(z_i - z_{i-1}) + s(z_i - z_{i+1}) with s(d) = d·|d|, z outside the chain `first` and 0.
  void evaluate(std::span<const double> z, std::span<double> residual, std::span<double> entries) override {
    std::size_t k = 0;
    for (std::size_t i = 0; i < n_; ++i) {
      const double before = z[i] - (i > 0 ? z[i - 1] : first_);
      const double after = z[i] - (i + 1 < n_ ? z[i + 1] : 0.0);
      residual[i] = before * std::abs(before) + after * std::abs(after);
      if (i > 0) {
        entries[k++] = -2.0 * std::abs(before);
      }
      entries[k++] = 2.0 * (std::abs(before) + std::abs(after));
      if (i + 1 < n_) {
        entries[k++] = -2.0 * std::abs(after);
      }
    }
  }

 private:
  std::size_t n_;
  double first_;
};

// Dense and sparse, all of it singular but its first row at the guess.
TEST(BlockHomotopy, AChainOfPipes) {
  for (const int n : {1, 3, 20, 60}) {
    for (const double first : {1.0, -100.0}) {
      const BlockPattern pattern = Chain::pattern(n);
      std::vector<double> z(static_cast<std::size_t>(n), 0.0);
      const std::vector<double> nominals(z.size(), 1.0);
      NewtonBlockSolver newton(pattern, z, nominals);
      Chain chain(z.size(), first);
      BlockHomotopy homotopy(pattern, nominals, newton, chain);
      ASSERT_TRUE(homotopy.solve(z)) << n;
      for (int i = 0; i < n; ++i) {
        EXPECT_NEAR(z[static_cast<std::size_t>(i)], first * (n - i) / (n + 1), 1e-10 * std::abs(first)) << n;
      }
    }
  }
}

// a·x + b·y with a singular matrix everywhere: no path, and z is as it was.
class Dependent final : public ResidualFunction {
 public:
  void evaluate(std::span<const double> z, std::span<double> residual, std::span<double> entries) override {
    residual[0] = z[0] * z[0] + z[1] - 1.0;
    residual[1] = 2.0 * residual[0] + 1.0;
    entries[0] = 2.0 * z[0];
    entries[1] = 1.0;
    entries[2] = 4.0 * z[0];
    entries[3] = 2.0;
  }
};

TEST(BlockHomotopy, EquationsThatDependOnEachOtherFail) {
  const BlockPattern pattern = full_pattern(2);
  std::vector<double> z{0.25, 0.5};
  const std::vector<double> nominals(2, 1.0);
  NewtonBlockSolver newton(pattern, z, nominals);
  Dependent dependent;
  BlockHomotopy homotopy(pattern, nominals, newton, dependent);
  EXPECT_FALSE(homotopy.solve(z));
  EXPECT_EQ(z[0], 0.25);
  EXPECT_EQ(z[1], 0.5);
}

}  // namespace
}  // namespace saltus::program
